import CLinux
import Foundation
import Testing

/// What a terminal is shown, and what everything else is spared.
@Suite struct ScreenTests {
    static let commands: [[String]] = [
        ["--help"], ["probe", "--help"], ["capture", "--help"], ["emulate", "--help"], ["probe", "--sensor", "sim:matte-wall"],
        ["probe", "--open", "--sensor", "sim:hidden-target"],
        ["capture", "--sensor", "sim:matte-wall", "--seconds", "1.5", "-o", "/dev/null", "--force"] + labels,
        ["capture", "--sensor", "sim:dark-wall", "--seconds", "0.5"] + labels, ["probe", "--no-such-option"],
    ]

    /// Runs with both outputs on a screen and returns what it shows.
    private func shown(_ arguments: [String], columns: UInt16, environment: [String: String] = [:]) throws -> String {
        let screen = try Terminal(columns: columns, rows: columns == 0 ? 0 : 24)
        let program = try RunningProgram(
            arguments, output: .descriptor(screen.far), messages: .descriptor(screen.far), environment: environment)
        var text = ""
        while true {
            text += screen.shown()
            if try program.hasEnded(milliseconds: 20) { break }
        }
        return text + screen.shown()
    }

    @Test(arguments: commands) func noControlCharacterWhereNoTerminalIs(command: [String]) throws {
        let finished = try run(command)
        for text in [finished.output, finished.messages] {
            #expect(!text.utf8.contains { $0 < 0x20 && $0 != UInt8(ascii: "\n") || $0 == 0x7f })
        }
    }

    @Test(arguments: [("NO_COLOR", "1"), ("TERM", "dumb")]) func coloursCanBeRefused(name: String, value: String) throws {
        let plain = try shown(["probe", "--sensor", "sim:matte-wall"], columns: 80, environment: [name: value])
        #expect(plain.contains("direct_depth only"))
        #expect(!plain.contains("\u{1b}"))
        #expect(try shown(["probe", "--sensor", "sim:matte-wall"], columns: 80, environment: ["NO_COLOR": ""]).contains("\u{1b}[1m"))
    }

    /// Only what cannot be broken is wider: a digest, a path, and the command line of a "next:" that is there to be copied.
    @Test(arguments: commands, [60, 80, 0] as [UInt16]) func nothingIsWiderThanTheScreen(command: [String], columns: UInt16) throws {
        let text = try shown(command, columns: columns, environment: ["TERM": "dumb"])
        #expect(!text.isEmpty)
        // A progress line comes after a carriage return without a line feed.
        for line in text.split(whereSeparator: { $0 == "\r\n" || $0 == "\n" || $0 == "\r" }) {
            guard !line.hasPrefix("  next: "), !line.hasPrefix("    or: "), line.firstMatch(of: /[0-9a-f]{64}/) == nil else { continue }
            #expect(line.utf8.count <= (columns == 0 ? 80 : Int(columns)), "\(line)")
        }
    }

    @Test(arguments: [1, 20] as [UInt16]) func aTinyScreenIsNoReasonToFail(columns: UInt16) throws {
        for command in Self.commands { #expect(try !shown(command, columns: columns).isEmpty) }
    }

    @Test func progressIsTakenAwayBeforeTheSummary() throws {
        let text = try shown(
            ["capture", "--sensor", "sim:matte-wall", "--seconds", "2.5", "-o", "/dev/null", "--force"] + labels, columns: 80)
        #expect(text.contains("\rframes "))
        // The last thing on the progress line is blanks.
        let line = try #require(text.components(separatedBy: "\r\n").last { $0.contains("\rframes ") })
        let pieces = line.split(separator: "\r")
        #expect(pieces.last?.hasPrefix("frames      ") == true)
        #expect(pieces.dropLast().last?.allSatisfy { $0 == " " } == true)
    }

    @Test func whatABoardSaysIsEscaped() throws {
        let board = try Terminal()
        let capture = try RunningProgram(["capture", "--port", board.node, "--profile", "st-nucleo-vl53l8ch"] + labels)
        try capture.wait { $0.said.contains("labelled synthetic") }
        board.write("VL53LMZ CC Hardware Driver\u{1b}]0;x\u{07}\n")
        board.write("VL53LMZ ULD ready! (Version: \u{1b}[2J)\n")
        board.write("Error: vl53lmz_\u{1b}]0;title\u{07}\u{9b}31m failed\\ : 5\n")
        board.write(FirmwareText.frames(4))
        try capture.wait { $0.said.contains("the board says: Error") && $0.lines.count >= 2 }
        capture.send(signal: SIGINT)
        #expect(try capture.finish() == 130)
        #expect(capture.said.contains(#"the board says: Error: vl53lmz_\x1b]0;title\x07\xc2\x9b31m failed\\ : 5"#))
        #expect(capture.said.contains(#"version \x1b[2J"#))
        for bytes in [capture.output, capture.messages] {
            #expect(!bytes.contains { $0 < 0x20 && $0 != UInt8(ascii: "\n") || $0 >= 0x7f })
        }
    }

    @Test func namesOfFilesAreEscaped() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("x\n", to: "a\u{1b}[31mb")
        let check = try run(["check", "--as", "transient", file])
        #expect(check.output.contains(#"a\x1b[31mb:1: malformed"#))
        let capture = try run(["capture", "--sensor", "sim:matte-wall", "--frames", "1", "--record", folder.path("c\u{1b}d")] + labels)
        #expect(capture.messages.contains(#"c\x1bd"#))
        for text in [check.output, capture.messages] { #expect(!text.contains("\u{1b}")) }
    }
}

extension RunningProgram {
    /// Whether the process has ended, waiting for that no longer than so.
    func hasEnded(milliseconds: Int) throws -> Bool {
        do {
            try finish(seconds: Double(milliseconds) / 1_000, killing: false)
            return true
        } catch is Late {
            return false
        }
    }
}
