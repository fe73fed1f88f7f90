import Foundation
import Testing

/// `emulate` as other programs meet it.
@Suite struct EmulateTests {
    @Test("what the line took is in the copy, byte for byte what a reader gets") func theCopyHoldsWhatTheLineTook() throws {
        let folder = try TemporaryFolder()
        let program = try RunningProgram(["emulate", "--pty", "--fault", "byte-loss=0.001", "--copy", folder.path("sent")])
        try program.wait { $0.text.hasSuffix("\n") }
        let reader = try RunningProgram(["-c", "20000", program.lines[0]], of: "/usr/bin/head")
        #expect(try reader.finish() == 0)
        program.send(signal: SIGTERM)
        #expect(try program.finish() == 143)
        let sent = try folder.read("sent")
        #expect(reader.output.count == 20_000)
        #expect(sent.range(of: reader.output) != nil)
        #expect(program.said.contains("sent \(sent.count) bytes"))
    }

    @Test("an old file is not written over, and a full one ends the run") func aCopyThatCannotBeWritten() throws {
        let folder = try TemporaryFolder()
        let old = try folder.write("old", to: "sent")
        let refused = try run(["emulate", "--pty", "--copy", old])
        #expect(refused.status == 1)
        #expect(refused.messages.contains("cannot create: File exists"))
        #expect(try folder.read("sent") == Data("old".utf8))

        let program = try RunningProgram(
            ["emulate", "--pty", "--copy", folder.path("new")], through: ["/usr/bin/prlimit", "--fsize=4096"])
        try program.wait { $0.text.hasSuffix("\n") }
        let reader = try RunningProgram(["-c", "8000", program.lines[0]], of: "/usr/bin/head")
        #expect(try program.finish() == 1)
        #expect(program.said.contains("cannot write: File too large"))
        #expect(try folder.read("new").count == 4096)
        reader.send(signal: SIGKILL)
        _ = try reader.finish()
    }
}
