import CLinux
import Foundation
import Testing

/// A stream that nobody reads stops neither a signal nor the sensor, and nothing that was not taken is called emitted.
@Suite struct StuckStreamTests {
    /// A pipe that is full from the start.
    private final class FullPipe {
        private(set) var ends: [CInt] = [-1, -1]

        init() throws {
            try #require(privateDescriptors.withLock { _ in pipe(&ends) == 0 })
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
            while write(ends[1], [UInt8](repeating: 0x20, count: 4096), 4096) > 0 {}
            _ = fcntl(ends[1], F_SETFL, 0)
        }

        deinit { for end in ends { close(end) } }
        var input: CInt { ends[1] }
    }

    private static let capture = ["capture", "--sensor", "sim:matte-wall", "--zones", "4x4", "--bins", "8"] + labels

    @Test(arguments: [(SIGINT, Int32(130)), (SIGTERM, Int32(143))])
    func messagesThatNobodyReads(signal: CInt, status: Int32) throws {
        let full = try FullPipe()
        let folder = try TemporaryFolder()
        let capture = try RunningProgram(Self.capture + ["-o", folder.path("out")], messages: .descriptor(full.input))
        try capture.waitForBytes(in: folder.path("out"), atLeast: 20_000)
        capture.send(signal: signal)
        #expect(try capture.finish(seconds: 5) == status)
        #expect(try run(["check", "--as", "transient", "--sequence", folder.path("out")]).status == 0)
    }

    @Test(arguments: [["emulate", "--pty"], capture])
    func resultsThatNobodyReads(command: [String]) throws {
        let full = try FullPipe()
        let program = try RunningProgram(command, output: .descriptor(full.input))
        try program.waitUntilItBlocks(SIGINT)
        program.send(signal: SIGINT)
        #expect(try program.finish(seconds: 5) == 130)
    }

    @Test func framesThatNobodyTookAreNotEmitted() throws {
        let full = try FullPipe()
        let folder = try TemporaryFolder()
        let capture = try RunningProgram(
            Self.capture + ["--frames", "12", "--summary-json", folder.path("sum")], output: .descriptor(full.input))
        #expect(try capture.finish(seconds: 40) == 1)
        let summary = try object(folder.read("sum"))
        #expect(summary["framesEmitted"] as? Int == 0)
        #expect(summary["framesRejected"] as? [String: Int] == ["output_backlog": 12])
        #expect((summary["gaps"] as? [Any])?.count == 1)
        #expect(summary["end"] as? String == "frames_reached")
    }

    /// What can wait does, for a reader that comes late; longer than a sensor's frames would be kept.
    @Test func aReplayWaitsForItsReader() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(TransientLine().run(of: 400), to: "in")
        var ends: [CInt] = [-1, -1]
        try #require(privateDescriptors.withLock { _ in pipe(&ends) == 0 })
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let replay = try RunningProgram(["replay", "--fast", file], output: .descriptor(ends[1]))
        close(ends[1])
        // Nothing happens for longer than the five seconds that a sensor's reader is given.
        #expect(throws: RunningProgram.Late.self) { try replay.finish(seconds: 6, killing: false) }
        let text = String(decoding: FileHandle(fileDescriptor: ends[0], closeOnDealloc: true).readDataToEndOfFile(), as: UTF8.self)
        #expect(try replay.finish() == 0)
        #expect(text.split(separator: "\n").count == 400)
        #expect(text.hasSuffix("\n"))
    }

    /// A wait for input ends with a signal, whatever is waited for.
    @Test(arguments: [["replay", "-"], ["replay", "FIFO"], ["replay", "--fast", "/dev/zero"]])
    func inputThatDoesNotCome(command: [String]) throws {
        let folder = try TemporaryFolder()
        try #require(mkfifo(folder.path("FIFO"), 0o600) == 0)
        let program = try RunningProgram(command.map { $0 == "FIFO" ? folder.path("FIFO") : $0 }, input: .pipe)
        try program.waitUntilItBlocks(SIGINT)
        program.send(signal: SIGINT)
        #expect(try program.finish(seconds: 5) == 130)
    }

    @Test func framesForAStreamThatIsClosed() throws {
        let folder = try TemporaryFolder()
        let capture = try RunningProgram(Self.capture + ["--summary-json", folder.path("sum")], output: .closed)
        #expect(try capture.finish() == 1)
        let summary = try object(folder.read("sum"))
        #expect(summary["end"] as? String == "output_closed")
        #expect(summary["framesRejected"] as? [String: Int] == ["output_closed": 1])
        #expect(!capture.said.contains("no frame came"))
    }
}
