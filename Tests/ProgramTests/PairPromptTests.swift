import CLinux
import Foundation
import Testing

/// The question at the terminal: the answer is not shown, and the terminal is as before, whatever ends it.
@Suite struct PairPromptTests {
    /// `pair` at a terminal of its own, waiting for the token.
    final class Asked {
        let home: Home
        let terminal: Terminal
        let program: RunningProgram
        let before: [UInt8]
        private(set) var shown = ""

        init(_ options: [String] = [], controlling: Bool = true) throws {
            home = try Home()
            terminal = try Terminal()
            before = try settings(of: terminal)
            program = try RunningProgram(
                ["pair", Home.url] + options, input: .descriptor(terminal.far), environment: home.environment,
                through: ["setsid"] + (controlling ? ["--ctty"] : []))
            try wait(for: "(it is not shown): ")
        }

        /// What the terminal shows from now on, until the text is there.
        func wait(for text: String) throws {
            var request = pollfd(fd: terminal.near, events: Int16(POLLIN), revents: 0)
            while !shown.contains(text) {
                try #require(poll(&request, 1, 30_000) > 0, "shown so far: \(shown)")
                shown += terminal.shown()
            }
        }

        /// The program's status, and all that the terminal showed.
        func end() throws -> (status: Int32, shown: String) {
            let status = try program.finish()
            shown += terminal.shown()
            return (status, shown)
        }
    }

    @Test(arguments: [true, false]) func theTokenIsNotShown(controlling: Bool) throws {
        let asked = try Asked(controlling: controlling)
        #expect(try flags(of: asked.terminal) & tcflag_t(ECHO) == 0)
        let text = randomToken()
        asked.terminal.write(text + "\n")
        let (status, shown) = try asked.end()
        #expect(status == 0)
        #expect(shown == "pairing token of ruview.example:8443 (it is not shown): \r\n")
        #expect(asked.program.text == "paired with ruview.example:8443\n")
        #expect(asked.program.said == "")
        #expect(try asked.home.stored() == text)
        #expect(try settings(of: asked.terminal) == asked.before)
    }

    @Test func standardInputByNameIsAskedToo() throws {
        let asked = try Asked(["--token-file", "-"])
        #expect(try flags(of: asked.terminal) & tcflag_t(ECHO) == 0)
        asked.terminal.write(randomToken() + "\n")
        #expect(try asked.end().status == 0)
    }

    @Test func ctrlC() throws {
        let asked = try Asked()
        asked.terminal.write("half of a tok\u{3}")
        let (status, shown) = try asked.end()
        #expect(status == 130)
        #expect(shown.hasSuffix("shown): \r\n") && !shown.contains("half"), "\(shown)")
        #expect(asked.program.text == "" && asked.program.said == "")
        #expect(try settings(of: asked.terminal) == asked.before)
        #expect(!FileManager.default.fileExists(atPath: asked.home.data))
    }

    @Test(arguments: [SIGTERM, SIGHUP, SIGINT]) func aSignal(signal: CInt) throws {
        let asked = try Asked()
        asked.program.send(signal: signal)
        #expect(try asked.end().status == (signal == SIGINT ? 130 : 143))
        #expect(try settings(of: asked.terminal) == asked.before)
    }

    /// They would end or stop the program with the terminal as it is.
    @Test(arguments: [SIGQUIT, SIGTSTP]) func aSignalThatIsHeldOff(signal: CInt) throws {
        let asked = try Asked()
        asked.program.send(signal: signal)
        asked.terminal.write(randomToken() + "\n")
        #expect(try asked.end().status == 0)
        #expect(try settings(of: asked.terminal) == asked.before)
    }

    @Test(arguments: ["\u{1a}", "\u{1c}"]) func keysThatWouldLeaveTheTerminalSilent(key: String) throws {
        let asked = try Asked()
        asked.terminal.write(randomToken() + key + "\n")
        let (status, _) = try asked.end()
        #expect(status == 1)
        #expect(asked.program.said.contains("holds a space or another character"))
        #expect(try settings(of: asked.terminal) == asked.before)
    }

    @Test func tooShort() throws {
        let asked = try Asked()
        asked.terminal.write("too-short\n")
        let (status, shown) = try asked.end()
        #expect(status == 1)
        #expect(asked.program.said.contains("the pairing token is too short"))
        #expect(asked.program.said.contains("32 to 512"))
        #expect(!(shown + asked.program.said).contains("too-short"))
        #expect(try settings(of: asked.terminal) == asked.before)
    }

    /// What is left of a paste goes to nobody: the shell would show it, or run it.
    @Test func tooLong() throws {
        let asked = try Asked()
        asked.terminal.write(String(repeating: "k", count: 3_000) + "\nrm -r important\n")
        let (status, shown) = try asked.end()
        #expect(status == 1)
        #expect(asked.program.said.contains("the pairing token is too long"))
        #expect(!shown.contains("kkk") && !shown.contains("important"))
        #expect(try settings(of: asked.terminal) == asked.before)
        var left: CInt = -1
        #expect(ioctl(asked.terminal.far, UInt(FIONREAD), &left) == 0)
        #expect(left == 0)
    }

    @Test func anEmptyAnswerAndNone() throws {
        for keys in ["\n", "\u{4}"] {
            let asked = try Asked()
            asked.terminal.write(keys)
            let (status, shown) = try asked.end()
            #expect(status == 1)
            #expect(shown.hasSuffix("shown): \r\n"))
            #expect(asked.program.said.contains("the pairing token is empty"))
            #expect(try settings(of: asked.terminal) == asked.before)
        }
    }

    @Test func aTerminalAsTheTokensFileWouldShowIt() throws {
        let terminal = try Terminal()
        let finished = try Home().run(["pair", Home.url, "--token-file", terminal.node], through: ["setsid"])
        #expect(finished.status == 2)
        #expect(finished.messages.contains("names a terminal, which would show the token"))
    }
}

/// All of a terminal's settings, byte for byte.
private func settings(of terminal: Terminal) throws -> [UInt8] {
    var settings = termios()
    try #require(tcgetattr(terminal.far, &settings) == 0)
    return withUnsafeBytes(of: settings) { Array($0) }
}

private func flags(of terminal: Terminal) throws -> tcflag_t {
    var settings = termios()
    try #require(tcgetattr(terminal.far, &settings) == 0)
    return settings.c_lflag
}
