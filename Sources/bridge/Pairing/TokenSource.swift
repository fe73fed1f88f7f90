import CLinux
import Glibc
import NLOSCore
import TrackMonitor

/// Where `pair` takes the token from. A `SignalInbox` must be open.
enum TokenSource {
    /// The named file (`-`: standard input), else what the service manager hands over, else standard input, and a question where that
    /// is a terminal.
    static func token(for endpoint: MonitorEndpoint, file: String?) throws -> PairingToken {
        if let file, file != "-" { return try token(inFile: file) }
        if file == nil, let token = try PairingToken.managed(for: endpoint) {
            say(Message(text: "the token is the one in CREDENTIALS_DIRECTORY"))
            return token
        }
        let ways = "run it at a terminal\nnlos-bridge pair URL --token-file FILE"
        if isatty(STDIN_FILENO) == 1 {
            guard let prompt = TokenPrompt() else { throw UsageError("there is no terminal to ask for the token at", next: ways) }
            return try prompt.ask("pairing token of \(endpoint.credentialName) (it is not shown): ")
        }
        do {
            return try token(from: STDIN_FILENO, name: "standard input")
        } catch CredentialFailure.notAToken(.empty) {
            throw UsageError("no token came on standard input", next: ways)
        }
    }

    private static func token(inFile path: String) throws -> PairingToken {
        // Not to wait here for a pipe's writer: the wait is where a signal can end it.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        // The name is not repeated: by mistake it may be the token.
        guard descriptor >= 0 else { throw CredentialFailure.system(path: nil, operation: "open the file of --token-file", errno: errno) }
        defer { close(descriptor) }
        guard isatty(descriptor) == 0 else {
            throw UsageError("'--token-file' names a terminal, which would show the token", next: "leave '--token-file' out")
        }
        let token = try token(from: descriptor, name: path)
        warnIfOthersRead(descriptor, path: path)
        return token
    }

    private static func token(from descriptor: CInt, name: String) throws -> PairingToken {
        var intake = try TokenIntake()
        do {
            repeat {
                try SignalInbox.wait(for: descriptor, POLLIN, to: "read")
            } while try intake.read(from: descriptor)
        } catch CredentialFailure.system(_, let operation, let errno) {
            throw CredentialFailure.system(path: name, operation: operation, errno: errno)
        }
        return try intake.token()
    }

    private static func warnIfOthersRead(_ descriptor: CInt, path: String) {
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_mode & 0o044 != 0 else { return }
        say(
            Message(
                text:
                    "\(escaped(path.utf8)): others may read this file (mode \(String(facts.st_mode & 0o777, radix: 8))), and the token in it",
                next: "remove it, or chmod 600"))
    }
}
