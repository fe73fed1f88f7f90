import CLinux
import Foundation
import Testing

/// A sensor does not wait for a reader, and memory does not grow for one.
@Suite struct BacklogTests {
    @Test func aReaderThatStandsStill() throws {
        let folder = try TemporaryFolder()
        let board = try Terminal()
        var ends: [CInt] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        let capture = try RunningProgram(
            ["capture", "--port", board.node, "--profile", "st-nucleo-vl53l8ch", "--summary-json", folder.path("sum")] + labels,
            output: .descriptor(ends[1]))
        close(ends[1])
        try capture.wait { $0.said.contains("labelled synthetic") }
        // The backlog takes 4 MiB, which is some 400 of these frames. The line takes no more than the program reads.
        for number in 0..<600 { board.write(FirmwareText.frame(seed: number)) }
        let before = try capture.ownMemoryKiB
        for number in 600..<1_200 { board.write(FirmwareText.frame(seed: number)) }
        #expect(try capture.ownMemoryKiB - before < 1_024)
        board.hangUp()
        let text = String(decoding: FileHandle(fileDescriptor: ends[0], closeOnDealloc: false).readDataToEndOfFile(), as: UTF8.self)
        #expect(try capture.finish() == 1)

        let summary = try object(folder.read("sum"))
        let emitted = try #require(summary["framesEmitted"] as? Int)
        let lost = try #require((summary["framesRejected"] as? [String: Int])?["output_backlog"])
        #expect(lost > 0)
        #expect((emitted + lost) > 1_100)
        #expect((summary["gaps"] as? [[String: Any]])?.allSatisfy { $0["reason"] as? String == "output_backlog" } == true)
        // What came out is whole.
        #expect(text.hasSuffix("\n"))
        let out = try folder.write(text, to: "out")
        #expect(try run(["check", "--as", "transient", out]).output == "\(emitted) of \(emitted) messages accepted\n")
        #expect(try summary["sha256"] as? String == sha256(ofFile: out))
    }

    @Test func memoryIsFlatOverManyFrames() throws {
        let folder = try TemporaryFolder()
        let fifo = folder.path("in")
        try #require(mkfifo(fifo, 0o600) == 0)
        let replay = try RunningProgram(["replay", "--fast", fifo, "-o", "/dev/null", "--force"])
        let input = open(fifo, O_WRONLY | O_CLOEXEC)
        func write(_ frames: Range<UInt64>) {
            let bytes = Array(
                TransientLine(sequence: frames.lowerBound, monotonicNs: frames.lowerBound * 1_000 + 1).run(
                    of: frames.count, everyNs: 1_000
                ).utf8)
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Foundation.write(input, $0.baseAddress, $0.count) }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
        // A program that leaves is a failed test and not the end of all.
        signal(SIGPIPE, SIG_IGN)
        write(0..<1_000)
        let before = try replay.ownMemoryKiB
        for start in stride(from: UInt64(1_000), to: 6_000, by: 500) { write(start..<start + 500) }
        #expect(try replay.ownMemoryKiB - before < 512)
        close(input)
        #expect(try replay.finish() == 0)
        #expect(replay.said.contains("frames      6000 "))
    }

    @Test func aLineWithoutAnEndCostsNoMemory() throws {
        let board = try Terminal()
        let capture = try RunningProgram(["capture", "--port", board.node, "--profile", "st-nucleo-vl53l8ch"] + labels)
        try capture.wait { $0.said.contains("labelled synthetic") }
        board.write(FirmwareText.frames(3) + "D\n0 100 1000")
        try capture.wait { $0.lines.count >= 2 }
        let before = try capture.ownMemoryKiB
        let digits = String(repeating: " 123", count: 1_024)
        for _ in 0..<1_000 { board.write(digits) }
        #expect(try capture.ownMemoryKiB - before < 512)
        // And the next frames are as good as ever.
        let had = capture.lines.count
        board.write("\n" + FirmwareText.frames(3))
        try capture.wait { $0.lines.count >= had + 2 }
        capture.send(signal: SIGINT)
        #expect(try capture.finish() == 130)
        #expect(capture.said.contains("out_of_range 1") || capture.said.contains("row_shape 1"))
    }
}
