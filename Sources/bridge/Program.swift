import Glibc
import NLOSCore

/// The command line's first word, and what all commands share.
enum Program {
    static let version: StaticString = "0.1.0"

    private struct Command {
        let spec: CommandSpec
        let run: (ParsedArguments) throws -> ExitStatus
    }

    private static var commands: [Command] {
        [
            Command(spec: Probe.spec, run: Probe.run), Command(spec: Validate.spec, run: Validate.run),
            Command(spec: Capture.spec, run: Capture.run), Command(spec: Replay.spec, run: Replay.run),
            Command(spec: Monitor.spec, run: Monitor.run), Command(spec: Pair.spec, run: Pair.run),
            Command(spec: Unpair.spec, run: Unpair.run), Command(spec: Check.spec, run: Check.run),
            Command(spec: Emulate.spec, run: Emulate.run),
        ]
    }

    static func run(_ arguments: [String]) -> ExitStatus {
        // A reader that went away and a file that may not grow are errors of the write that meets them, not ends of the program.
        for spoiler in [SIGPIPE, SIGXFSZ] { signal(spoiler, SIG_IGN) }
        holdStandardDescriptors()
        do {
            return try dispatch(arguments)
        } catch let error as UsageError {
            say(Message(text: error.text, next: error.next))
            return .usage
        } catch let failure as SystemFailure {
            if let signal = failure.signal { return signal }
            if !failure.readerGone { say(Message(text: "standard output: cannot \(failure.operation): \(failure.reason)")) }
            return .failed
        } catch {
            say(Message(text: "\(error)"))
            return .failed
        }
    }

    private static func dispatch(_ arguments: [String]) throws -> ExitStatus {
        guard let first = arguments.first else {
            Terminal.messages.line(helpText(on: .messages))
            return .usage
        }
        switch first {
        case "-h", "--help", "help":
            try Terminal.output.print(helpText(on: .output))
            return .done
        case "--version":
            try Terminal.output.print("nlos-bridge \(version)")
            return .done
        default: break
        }
        guard let command = commands.first(where: { $0.spec.name == first }) else {
            throw unknown(
                first, among: commands.map(\.spec.name) + ["--help", "--version"], what: first.hasPrefix("-") ? "option" : "command",
                see: "nlos-bridge --help")
        }
        let parsed = try ParsedArguments(arguments.dropFirst(), for: command.spec)
        if parsed.wantsHelp {
            try Terminal.output.print(command.spec.helpText(width: Terminal.output.helpWidth))
            return .done
        }
        if command.spec.secrecy != nil { endAtOnceOnCrash() }
        return try command.run(parsed)
    }

    /// A crash of a program that holds a token ends it and no more. The Swift runtime's own handler would print what is near the
    /// registers, and waits for ever for a debugger that may not look into such a process.
    private static func endAtOnceOnCrash() {
        for crash in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT, SIGSEGV, SIGTRAP] { signal(crash, SIG_DFL) }
    }

    private static func helpText(on terminal: Terminal) -> String {
        var lines = ["usage: nlos-bridge COMMAND [options]", ""]
        for command in commands {
            lines.append(contentsOf: columns("  \(command.spec.name)", command.spec.summary, at: 12, width: terminal.helpWidth))
        }
        lines.append(contentsOf: [
            "", "  --version   the program's version", "  --help      this text; after a command, its options (-h)", "",
        ])
        let creed = "Depth is direct_depth only. Histograms are input of the NLOS pipeline. Nothing hidden is reconstructed by this tool."
        lines.append(contentsOf: wrapped(creed, width: terminal.helpWidth))
        return lines.joined(separator: "\n")
    }

    /// A descriptor 0, 1 or 2 that was closed before the start must not become a device or a file: whoever writes there gets
    /// an error instead.
    private static func holdStandardDescriptors() {
        for descriptor in 0...2 where fcntl(CInt(descriptor), F_GETFD) < 0 {
            _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
        }
    }
}
