import NLOSCore
import TrackMonitor

/// `pair`: stores the token of a server for `monitor`.
enum Pair {
    static let spec = CommandSpec(
        name: "pair", operands: "URL", operandCount: 1...1,
        summary: "Stores the pairing token of a server, so that monitor can show its stream.",
        details: """
            The token is asked for at the terminal and not shown. It is never an argument. Without a terminal it comes from \
            --token-file, from standard input, or from systemd's CREDENTIALS_DIRECTORY. It is kept for this host and port alone, in \
            a file that only you may read. Nothing is sent to the server.
            """,
        options: [
            .value(
                "--token-file", "FILE", needs: "a file, as in --token-file token.txt",
                "take the token from a file; '-' is standard input"),
            .flag("--json", "one JSON object on standard output; it never holds the token"),
        ],
        examples: [
            "nlos-bridge pair wss://ruview.example/api/v1/nlos/ws",
            "nlos-bridge pair wss://ruview.example:8443/api/v1/nlos/ws --token-file token.txt",
        ],
        secrecy: """
            pair takes a URL, '--token-file', '--json' and nothing else; what else was given is not repeated here. A token is never \
            an argument: the shell keeps arguments, and every process can read them. If one was given, have the server make a new one
            """)

    static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
        let endpoint = try arguments.endpoint
        let signals = try SignalInbox()
        defer { withExtendedLifetime(signals) {} }
        do {
            let token = try TokenSource.token(for: endpoint, file: arguments.string("--token-file"))
            if let notice = token.swapNotice { say(notice) }
            let replaced = try CredentialStore.ofUser().keep(token, for: endpoint)
            if arguments.has("--json") {
                try PairingReport.write(endpoint, paired: true, change: "replaced", replaced)
            } else {
                try Terminal.output.print(
                    "paired with \(endpoint.credentialName)\(replaced ? "; this token takes the place of the one from before" : "")")
            }
            return .done
        } catch let failure as CredentialFailure {
            say(failure.message)
            return ExitStatus(failure)
        }
    }
}
