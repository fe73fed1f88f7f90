import CLinux
import Foundation
import Testing

/// A run that is stopped in the middle leaves whole lines, a readable recording, a summary, and the port as it was.
@Suite struct InterruptionTests {
    @Test func whatItsStarterIgnoresItGoesOnIgnoring() throws {
        let folder = try TemporaryFolder()
        let capture = try RunningProgram(
            ["capture", "--sensor", "sim:matte-wall", "-o", folder.path("out")] + labels, through: ["/usr/bin/nohup"])
        try capture.waitForBytes(in: folder.path("out"), atLeast: 10_000)
        capture.send(signal: SIGHUP)
        let size = try folder.read("out").count
        try capture.waitForBytes(in: folder.path("out"), atLeast: size + 30_000)
        capture.send(signal: SIGTERM)
        #expect(try capture.finish() == 143)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func aSignalInMidCapture(signal: CInt) throws {
        let folder = try TemporaryFolder()
        let board = try Emulator()
        let before = try settings(of: board.port)
        let capture = try RunningProgram(
            [
                "capture", "--port", board.port, "-o", folder.path("out"), "--record", folder.path("raw.pcap"), "--summary-json",
                folder.path("sum"),
            ] + labels)
        try capture.waitForBytes(in: folder.path("out"), atLeast: 30_000)
        capture.send(signal: signal)
        #expect(try capture.finish() == (signal == SIGINT ? 130 : 143))

        let lines = try folder.lines("out")
        #expect(try folder.read("out").last == UInt8(ascii: "\n"))
        #expect(try run(["check", "--as", "transient", "--sequence", folder.path("out")]).status == 0)
        let summary = try object(folder.read("sum"))
        #expect(summary["end"] as? String == "interrupted")
        #expect(summary["framesEmitted"] as? Int == lines.count)
        #expect(try summary["sha256"] as? String == sha256(ofFile: folder.path("out")))
        #expect((summary["recording"] as? [String: Any])?["complete"] as? Bool == true)
        #expect(try run(["replay", "--fast", folder.path("raw.pcap")]).lines.count >= lines.count)
        #expect(capture.said.contains("end         interrupted"))
        // Canonical mode and all others are as they were before.
        #expect(try settings(of: board.port) == before)
        #expect(try board.stop() == 130)
    }

    @Test func ctrlCWhileTheBoardIsBeingConfigured() throws {
        let folder = try TemporaryFolder()
        let board = try Terminal()
        let capture = try RunningProgram(
            ["capture", "--port", board.node, "--bins", "32", "-o", folder.path("out"), "--summary-json", folder.path("sum")] + labels)
        try capture.wait { $0.said.contains("labelled synthetic") }
        capture.send(signal: SIGINT)
        #expect(try capture.finish(seconds: 5) == 130)
        #expect(try folder.read("out").isEmpty)
        #expect(try object(folder.read("sum"))["framesEmitted"] as? Int == 0)
    }

    @Test func aSecondProgramIsToldWhoHoldsThePort() throws {
        let board = try Emulator()
        let first = try RunningProgram(["capture", "--port", board.port] + labels)
        try first.wait { $0.output.count > 1_000 }
        let second = try run(["capture", "--port", board.port, "--frames", "1"] + labels)
        #expect(second.status == 5)
        #expect(second.messages.contains("tty:\(board.port): \(board.port) is held by another program"))
        #expect(second.messages.contains("  next: fuser -v \(board.port)"))
        // Nobody has to wait for that to the end.
        let third = try RunningProgram(["capture", "--port", board.port, "--frames", "1"] + labels)
        try third.wait { $0.said.contains("trying again for") }
        third.send(signal: SIGINT)
        #expect(try third.finish(seconds: 5) == 130)
        first.send(signal: SIGTERM)
        #expect(try first.finish() == 143)
        // And the first one lost nothing by it.
        #expect(try run(["capture", "--port", board.port, "--frames", "1"] + labels).status == 0)
    }

    @Test func aKilledProgramLeavesARecordingThatCanBeRead() throws {
        let folder = try TemporaryFolder()
        let board = try Emulator()
        let capture = try RunningProgram(
            ["capture", "--port", board.port, "-o", folder.path("out"), "--record", folder.path("raw.pcap")] + labels)
        try capture.waitForBytes(in: folder.path("out"), atLeast: 60_000)
        capture.send(signal: SIGKILL)
        #expect(try capture.finish() == 137)
        let whole = try folder.read("out").split(separator: UInt8(ascii: "\n")).count
        #expect(try run(["replay", "--fast", folder.path("raw.pcap")]).lines.count >= whole)
    }

    @Test func pulledOutInMidCapture() throws {
        let folder = try TemporaryFolder()
        let board = try Emulator("--fault", "unplug-after=60000")
        let capture = try run(["capture", "--port", board.port, "-o", folder.path("out"), "--summary-json", folder.path("sum")] + labels)
        #expect(capture.status == 1)
        #expect(capture.messages.contains("tty:\(board.port): unplugged"))
        let summary = try object(folder.read("sum"))
        #expect(summary["end"] as? String == "sensor_disconnected")
        #expect(summary["framesEmitted"] as? Int ?? 0 > 0)
        #expect(try run(["check", "--as", "transient", "--sequence", folder.path("out")]).status == 0)
        #expect(try board.program.finish() == 0)
    }

    private func settings(of port: String) throws -> [UInt32] {
        let descriptor = open(port, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        defer { close(descriptor) }
        var settings = nlos_termios2()
        #expect(nlos_tty_get(descriptor, &settings) == 0)
        return [settings.c_iflag, settings.c_oflag, settings.c_cflag, settings.c_lflag, settings.c_ospeed]
    }
}
