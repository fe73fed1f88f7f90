import CLinux
import Foundation
import Testing

/// What readers and disks do to an output, and that no line is ever torn by it.
@Suite struct OutputTests {
    /// A capture file of many frames; each is about 1.8 KB.
    private func capture(of frames: Int, in folder: TemporaryFolder) throws -> (path: String, replayed: String) {
        let line = TransientLine(source: "replay", kind: "replay", transport: "replay", bins: 32)
        let path = try folder.write(line.run(of: frames), to: "capture.jsonl")
        let whole = try run(["replay", "--fast", path])
        #expect(whole.lines.count == frames)
        return (path, whole.output)
    }

    @Test func headTakesOneLineAndNobodyComplains() throws {
        let folder = try TemporaryFolder()
        let (path, replayed) = try capture(of: 2_000, in: folder)
        let summary = folder.path("sum")
        let shell = try RunningProgram(
            [
                "-c", #""$1" replay --fast "$2" --summary-json "$3" | head -n 1; echo "${PIPESTATUS[0]}""#, "bash", RunningProgram.path,
                path, summary,
            ],
            of: "/bin/bash")
        try shell.finish()
        #expect(shell.lines.first == replayed.split(separator: "\n").first.map(String.init))
        #expect(shell.lines.last == "1")
        #expect(try object(folder.read("sum"))["end"] as? String == "output_closed")
        #expect(!shell.said.contains("nlos-bridge:"))
    }

    /// Fifty readers that leave after a different number of bytes, some of them before the first.
    @Test func aReaderThatLeavesAtAnyMoment() throws {
        let folder = try TemporaryFolder()
        let (path, replayed) = try capture(of: 1_000, in: folder)
        let whole = Array(replayed.utf8)
        for round in 0..<50 {
            let taken = round * round * 400
            let summary = folder.path("sum\(round)")
            let replay = try RunningProgram(["replay", "--fast", path, "--summary-json", summary])
            try replay.wait { $0.output.count >= taken }
            replay.closeOutput()
            #expect(try replay.finish() == 1)
            #expect(whole.starts(with: replay.output))
            let told = try object(folder.read("sum\(round)"))
            #expect(told["end"] as? String == "output_closed")
            // The digest is that of the whole lines that were written, which are at least those that were read.
            let lines = try #require(told["framesEmitted"] as? Int)
            #expect(lines >= replay.output.count { $0 == UInt8(ascii: "\n") })
            let written = replayed.split(separator: "\n").prefix(lines).map { "\($0)\n" }.joined()
            #expect(try told["sha256"] as? String == sha256(ofFile: folder.write(written, to: "written")))
        }
    }

    @Test(arguments: ["sim", "jsonl", "check", "probe", "help"]) func standardOutputThatIsClosedFromTheStart(what: String) throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(TransientLine().run(of: 3), to: "in.jsonl")
        let arguments =
            switch what {
            case "sim": ["capture", "--sensor", "sim:matte-wall", "--frames", "3", "--record", folder.path("raw.pcap")] + labels
            case "jsonl": ["replay", "--fast", file]
            case "check": ["check", "--as", "transient", file]
            case "probe": ["probe", "--sensor", "sim:matte-wall"]
            default: ["--help"]
            }
        let program = try RunningProgram(arguments, output: .closed)
        #expect(try program.finish() == 1)
        // Nothing that it opened later took the place of standard output.
        if what == "sim" { #expect(try !folder.read("raw.pcap").starts(with: Data("{".utf8))) }
    }

    @Test func messagesThatNobodyCanReadChangeNothing() throws {
        for messages in [RunningProgram.Stream.closed, .file("/dev/full")] {
            let program = try RunningProgram(["capture", "--sensor", "sim:matte-wall", "--frames", "2"] + labels, messages: messages)
            #expect(try program.finish() == 0)
            #expect(program.lines.count == 2)
        }
    }

    @Test(arguments: [
        ["capture", "--sensor", "sim:matte-wall", "--frames", "2"] + labels, ["probe", "--sensor", "sim:moving"], ["--help"],
    ])
    func aFullDeviceIsAnErrorWithASentence(arguments: [String]) throws {
        let program = try RunningProgram(arguments, output: .file("/dev/full"))
        #expect(try program.finish() == 1)
        #expect(program.said.contains("standard output: cannot write: No space left on device"))
    }

    /// The limit stands in for a full disk: a write is cut short there, and the next one fails.
    @Test(arguments: [50_001, 100_000, 131_072]) func aFullDiskEndsTheFileWithAWholeLine(limit: Int) throws {
        let folder = try TemporaryFolder()
        let (path, _) = try capture(of: 1_000, in: folder)
        let replay = try run(
            ["replay", "--fast", path, "-o", folder.path("out"), "--summary-json", folder.path("sum")],
            through: ["prlimit", "--fsize=\(limit):\(limit)"])
        #expect(replay.status == 1)
        #expect(replay.messages.contains("out: cannot write: File too large; it ends with its last whole line\n  next: make room"))
        let bytes = try folder.read("out")
        #expect(bytes.last == UInt8(ascii: "\n"))
        #expect(bytes.count <= limit && bytes.count > limit - 8_000)
        #expect(try run(["check", "--as", "transient", "--sequence", folder.path("out")]).status == 0)
        let summary = try object(folder.read("sum"))
        #expect(summary["end"] as? String == "output_closed")
        #expect(try summary["sha256"] as? String == sha256(ofFile: folder.path("out")))
        #expect(try summary["framesEmitted"] as? Int == folder.lines("out").count)
    }

    @Test func aFullDiskEndsTheRecordingAndNotTheCapture() throws {
        let folder = try TemporaryFolder()
        let board = try Emulator()
        let capture = try run(
            ["capture", "--port", board.port, "--frames", "20", "--record", folder.path("raw.pcap"), "--summary-json", folder.path("sum")]
                + labels, through: ["prlimit", "--fsize=60000:60000"])
        #expect(capture.lines.count == 20)
        #expect(capture.status == 1)
        #expect(capture.messages.contains("raw.pcap: the recording ends early (File too large)"))
        let summary = try object(folder.read("sum"))
        #expect((summary["recording"] as? [String: Any])?["complete"] as? Bool == false)
        #expect(try (summary["recording"] as? [String: Any])?["sha256"] as? String == sha256(ofFile: folder.path("raw.pcap")))
        let replay = try run(["replay", "--fast", folder.path("raw.pcap")])
        #expect((3..<20).contains(replay.lines.count))
    }

    /// A disk that is really full, where this machine lets a test make one.
    @Test(.enabled(if: Machine.canMount, "only root can make a small disk"))
    func aDiskThatIsReallyFull() throws {
        let folder = try TemporaryFolder()
        let (path, _) = try capture(of: 1_000, in: folder)
        let script = #"""
            mount -t tmpfs -o size=256k nlos "$2" || exit 99
            "$1" replay --fast "$3" -o "$2/out" --summary-json "$4/sum"
            status=$?
            cp "$2/out" "$4/out"
            exit $status
            """#
        try FileManager.default.createDirectory(atPath: folder.path("disk"), withIntermediateDirectories: true)
        let shell = try RunningProgram(
            ["-c", script, "sh", RunningProgram.path, folder.path("disk"), path, folder.url.path(percentEncoded: false)], of: "/bin/sh",
            through: ["unshare", "-m"])
        #expect(try shell.finish() == 1)
        #expect(shell.said.contains("out: cannot write: No space left on device"))
        #expect(try folder.read("out").last == UInt8(ascii: "\n"))
        #expect(try object(folder.read("sum"))["sha256"] as? String == sha256(ofFile: folder.path("out")))
    }

    /// A pipe of one page, in either mode of blocking, and a reader that takes little at a time.
    @Test(arguments: [false, true]) func aSlowReaderOnASmallPipeGetsEveryByte(nonBlocking: Bool) throws {
        let folder = try TemporaryFolder()
        let (path, replayed) = try capture(of: 600, in: folder)
        let pipe = Pipe()
        let (reading, writing) = (pipe.fileHandleForReading.fileDescriptor, pipe.fileHandleForWriting.fileDescriptor)
        #expect(fcntl(writing, setPipeSize, 4_096) == 4_096)
        if nonBlocking { _ = fcntl(writing, F_SETFL, fcntl(writing, F_GETFL) | O_NONBLOCK) }
        let replay = try RunningProgram(
            ["replay", "--fast", path, "--summary-json", folder.path("sum")], output: .descriptor(writing))
        try pipe.fileHandleForWriting.close()
        var taken: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1_777)
        while true {
            let count = read(reading, &buffer, buffer.count)
            guard count > 0 else { break }
            taken += buffer[..<count]
        }
        #expect(try replay.finish() == 0)
        #expect(taken == Array(replayed.utf8))
        #expect(try object(folder.read("sum"))["framesRejected"] as? [String: Int] == [:])
    }

    /// The description is shared with the shell that started the program: it must be found as it was left.
    @Test func standardOutputStaysAsItWas() throws {
        let pipe = Pipe()
        let writing = pipe.fileHandleForWriting.fileDescriptor
        let program = try RunningProgram(["capture", "--sensor", "sim:matte-wall", "--frames", "1"] + labels, output: .descriptor(writing))
        #expect(try program.finish() == 0)
        #expect(fcntl(writing, F_GETFL) & O_NONBLOCK == 0)
    }
}

/// `F_SETPIPE_SZ`, which the C library hides behind _GNU_SOURCE.
private let setPipeSize: CInt = 1_031

extension Machine {
    static let canMount: Bool = {
        guard isRoot, let program = try? RunningProgram(["-c", "mount -t tmpfs nlos /mnt"], of: "/bin/sh", through: ["unshare", "-m"])
        else {
            return false
        }
        return (try? program.finish()) == 0
    }()
}
