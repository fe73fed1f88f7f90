import NLOSCore
import TrackMonitor

/// `unpair`: forgets the token of a server.
enum Unpair {
    static let spec = CommandSpec(
        name: "unpair", operands: "URL", operandCount: 1...1,
        summary: "Forgets the pairing token of a server.",
        details: """
            The file with the token is removed. Its blocks are not overwritten: on flash memory that would prove nothing. The server \
            still takes the token until it is changed there.
            """,
        options: [.flag("--json", "one JSON object on standard output")],
        examples: ["nlos-bridge unpair wss://ruview.example/api/v1/nlos/ws"],
        secrecy: "unpair takes a URL, '--json' and nothing else; what else was given is not repeated here, lest it be a token")

    static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
        let endpoint = try arguments.endpoint
        do {
            let forgotten = try CredentialStore.ofUser().forget(endpoint)
            if arguments.has("--json") { try PairingReport.write(endpoint, paired: false, change: "forgotten", forgotten) }
            guard forgotten else {
                say(Message(text: "\(endpoint.credentialName): there is no pairing with this server to forget"))
                return .failed
            }
            if !arguments.has("--json") {
                try Terminal.output.print(
                    "no longer paired with \(endpoint.credentialName); the server takes the token until it is changed there")
            }
            return .done
        } catch let failure as CredentialFailure {
            say(failure.message)
            return ExitStatus(failure)
        }
    }
}
