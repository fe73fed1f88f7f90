import CLinux
import Foundation
import Testing

/// `validate` on a terminal: the prompt, the screen, and the terminal as it was before.
struct ValidateScreenTests {
    private static let enter = "\u{1b}[?1049h"
    private static let leave = "\u{1b}[?1049l"
    private static let sim = ["validate", "--sensor", "sim:matte-wall"]

    /// The program with a terminal on all three streams, or with its results in a pipe.
    private final class Seen {
        let screen: Terminal
        let program: RunningProgram
        private(set) var text = ""
        private let before: termios

        init(
            _ arguments: [String], columns: UInt16 = 80, rows: UInt16 = 24, environment: [String: String] = [:], pipedOutput: Bool = false
        ) throws {
            screen = try Terminal(columns: columns, rows: rows)
            before = Self.settings(screen)
            program = try RunningProgram(
                arguments, input: .descriptor(screen.far), output: pipedOutput ? .pipe : .descriptor(screen.far),
                messages: .descriptor(screen.far), environment: environment)
        }

        static func settings(_ terminal: Terminal) -> termios {
            var settings = termios()
            tcgetattr(terminal.far, &settings)
            return settings
        }

        /// Waits until the terminal shows the words.
        func wait(for words: String, seconds: Double = 30) throws {
            let limit = Date().addingTimeInterval(seconds)
            while !text.contains(words) {
                text += screen.shown()
                if text.contains(words) { return }
                guard Date() < limit, try !program.hasEnded(milliseconds: 20) else {
                    text += screen.shown()
                    try #require(text.contains(words), "\(words) in \(text.suffix(3000))")
                    return
                }
            }
        }

        func finish(seconds: Double = 60) throws -> Int32 {
            let limit = Date().addingTimeInterval(seconds)
            while try !program.hasEnded(milliseconds: 20), Date() < limit { text += screen.shown() }
            text += screen.shown()
            return try program.finish(seconds: 1)
        }

        /// The terminal is as it was: its settings, its cursor, its first screen.
        var isRestored: Bool {
            let after = Self.settings(screen)
            return after.c_lflag == before.c_lflag && after.c_iflag == before.c_iflag && after.c_oflag == before.c_oflag
                && text.components(separatedBy: enter).count == text.components(separatedBy: leave).count
                && (text.range(of: "\u{1b}[?25h", options: .backwards)?.lowerBound ?? text.startIndex)
                    >= (text.range(of: "\u{1b}[?25l", options: .backwards)?.lowerBound ?? text.startIndex)
        }
    }

    @Test("Nothing begins before Enter; then the screen, and the report where the prompt was")
    func fromPromptToReport() throws {
        let seen = try Seen(Self.sim + ["--shortened"])
        try seen.wait(for: "Press Enter to start")
        let prompt = seen.text.replacing("\r\n", with: " ")
        #expect(prompt.contains("nothing is sent anywhere") && prompt.contains("sliding along a plain wall"))
        #expect(!seen.text.contains(Self.enter))
        seen.screen.write("\n")
        try seen.wait(for: Self.enter)
        try seen.wait(for: "1 of 2")
        try seen.wait(for: "2 of 2")
        #expect(try seen.finish() == 1)
        #expect(seen.isRestored)
        for words in ["SYNTHETIC", "SHORTENED", "wall scan", "\u{1b}[32m#", "48;5;"] { #expect(seen.text.contains(words), "\(words)") }
        let report = try #require(seen.text.components(separatedBy: Self.leave).last)
        #expect(report.contains("shortened") && report.contains("\"completionStatus\""))
        for line in report.split(separator: "\r\n") { #expect(line.replacing(/\u{1b}\[[0-9;]*m/, with: "").utf8.count <= 80, "\(line)") }
    }

    @Test("Leaving at the prompt opens nothing and says so", arguments: [SIGINT, SIGTERM])
    func declined(signal: CInt) throws {
        let folder = try TemporaryFolder()
        let seen = try Seen(Self.sim + ["--json", "--export", folder.path("a.json"), "--consent-export"], pipedOutput: true)
        try seen.wait(for: "Press Enter to start")
        #expect(seen.text.contains("SYNTHETIC Direct-depth validation"))
        seen.program.send(signal: signal)
        #expect(try seen.finish() == (signal == SIGINT ? 130 : 143))
        let diagnostic = try object(seen.program.text)
        #expect(diagnostic["completionStatus"] as? String == "cancelled")
        #expect((diagnostic["consent"] as? [String: Any])?["localValidation"] as? Bool == false)
        #expect((diagnostic["sensorModelFamily"] as? String)?.hasSuffix("(SYNTHETIC)") == true)
        #expect(!FileManager.default.fileExists(atPath: folder.path("a.json")))
        #expect(seen.isRestored && !seen.text.contains(Self.enter))
    }

    @Test("A signal in mid-run gives the terminal back", arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 143)] as [(CInt, Int32)])
    func interrupted(signal: CInt, status: Int32) throws {
        let seen = try Seen(Self.sim + ["--yes"])
        try seen.wait(for: "1 of 2")
        seen.program.send(signal: signal)
        #expect(try seen.finish() == status)
        #expect(seen.isRestored)
        #expect(seen.text.components(separatedBy: Self.leave).last?.contains("cancelled") == true)
    }

    @Test("A sensor that goes away gives the terminal back, and the reason stands on it")
    func unplugged() throws {
        let emulator = try Emulator("--fault", "unplug-after=60000")
        let seen = try Seen(["validate", "--port", emulator.port, "--yes"])
        #expect(try seen.finish() == 1)
        #expect(seen.isRestored)
        #expect(seen.text.components(separatedBy: Self.leave).last?.contains("sensor_disconnected") == true)
    }

    @Test("A window that changes its size gets a picture of that size")
    func resized() throws {
        let seen = try Seen(Self.sim + ["--yes"], columns: 120)
        try seen.wait(for: "1 of 2")
        for (columns, rows) in [(60, 24), (20, 5), (300, 100), (0, 0), (80, 24)] as [(UInt16, UInt16)] {
            var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
            _ = ioctl(seen.screen.far, UInt(TIOCSWINSZ), &size)
            seen.program.send(signal: SIGWINCH)
            _ = try seen.program.hasEnded(milliseconds: 400)
        }
        try seen.wait(for: "coverage")
        #expect(try !seen.program.hasEnded(milliseconds: 10))
        seen.program.send(signal: SIGINT)
        #expect(try seen.finish() == 130)
        #expect(seen.isRestored)
        #expect(seen.text.contains("\u{1b}[2J"))
    }

    static let plain: [(columns: UInt16, rows: UInt16, arguments: [String], environment: [String: String])] = [
        (80, 24, ["--plain"], [:]), (80, 24, [], ["TERM": "dumb"]), (30, 8, [], [:]), (0, 0, [], [:]), (1, 1, [], [:]), (20, 5, [], [:]),
    ]

    @Test("One plain line a second where a screen makes no sense", arguments: plain.indices)
    func lines(index: Int) throws {
        let (columns, rows, arguments, environment) = Self.plain[index]
        let seen = try Seen(
            Self.sim + ["--shortened", "--yes", "--json"] + arguments, columns: columns, rows: rows,
            environment: environment.merging(["NO_COLOR": "1"]) { old, _ in old }, pipedOutput: true)
        #expect(try seen.finish() == 1)
        #expect(!seen.text.contains("\u{1b}"))
        let during = seen.text.split(separator: "\r\n").prefix { !$0.hasPrefix("shortened") }
        #expect(during.count >= 8)
        for line in during where columns >= 20 || columns == 0 { #expect(line.utf8.count <= (columns == 0 ? 80 : Int(columns)), "\(line)") }
    }

    @Test("Without colours there is a screen all the same")
    func noColour() throws {
        let seen = try Seen(Self.sim + ["--yes"], environment: ["NO_COLOR": "1"])
        try seen.wait(for: "zones, metres")
        seen.program.send(signal: SIGINT)
        #expect(try seen.finish() == 130)
        #expect(seen.text.firstMatch(of: /\u{1b}\[[1-9][0-9;]*m/) == nil)
    }

    @Test("A terminal that does not read costs the run no frame")
    func stuckTerminal() throws {
        let seen = try Seen(Self.sim + ["--shortened", "--yes", "--json"], columns: 200, rows: 60, pipedOutput: true)
        // Nobody looks at the screen: its buffer fills up, and stays full.
        let status = try seen.program.finish(seconds: 60)
        #expect(status == 1)
        let diagnostic = try object(seen.program.text)
        let phases = try #require(diagnostic["phases"] as? [[String: Any]])
        #expect(phases.count == 2)
        for phase in phases { #expect(try #require(phase["averageFPS"] as? Double) > 27) }
    }
}
