import NLOSCore
import TrackMonitor
import TransientSensor

/// `monitor`: what a RuView server believes about hidden targets, for as long as it may be shown.
enum Monitor {
    static let spec = CommandSpec(
        name: "monitor", operands: "URL", operandCount: 1...1,
        summary:
            "Shows a RuView server's hypotheses about hidden targets, and nothing that is stale, replayed, malformed or from another session.",
        details: "They are hypotheses and not observations. What is simulated or played back says SYNTHETIC or REPLAY wherever it is "
            + "shown. The server must be paired with (nlos-bridge pair URL). On a terminal there is a screen, which 'q' or Ctrl-C ends; "
            + "elsewhere a line an event.",
        options: [
            .flag("--json", "one JSON object an event on standard output"),
            .flag("--plain", "a line an event, on a terminal too"),
            .value(
                "--ca-file", "FILE", needs: "a PEM file, as in --ca-file lab-ca.pem",
                "trust these certificate authorities besides the system's"),
            .value(
                "--pin-sha256", "DIGEST", needs: "the digest of a public key, in hexadecimal or base64",
                "besides a good certificate want this public key: SHA-256 of its SubjectPublicKeyInfo, 64 hexadecimal digits or base64"),
            .flag(
                "--reconnect",
                "try again when the stream is lost, with growing pauses; never after a refused certificate, token or redirect"),
            .value("--seconds", "N", needs: "a number of seconds, as in --seconds 60", "end after N seconds"),
            .flag("--paired", "run a local sensor beside the stream, and say whether it is the one that the server names"),
        ] + SensorOptions.choice + sensorLabels,
        examples: [
            "nlos-bridge monitor wss://ruview.example/api/v1/nlos/ws",
            "nlos-bridge monitor --json --reconnect wss://ruview.example/api/v1/nlos/ws",
            "nlos-bridge monitor --paired --sensor-id bench wss://ruview.example/api/v1/nlos/ws",
        ],
        secrecy: "monitor takes one URL and its options; a token is stored with nlos-bridge pair URL, and never typed here")

    private static let sensorLabels: [Option] = [
        .value("--sensor-id", "LABEL", needs: "a label, as in --sensor-id bench", "what the local sensor is called in this set-up"),
        .value("--firmware-version", "LABEL", needs: "a label, as in --firmware-version 2.0.10", "instead of what its firmware says"),
    ]

    static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
        try arguments.atMostOne(of: ["--json", "--plain"])
        let endpoint = try arguments.endpoint
        let trust = try trust(arguments)
        let seconds = try arguments.seconds("--seconds")
        let plan = try sensorPlan(arguments)
        let token: PairingToken
        do throws(CredentialFailure) {
            token = try PairingToken.find(for: endpoint)
        } catch {
            say(error.message)
            return ExitStatus(error)
        }
        if let notice = token.swapNotice { say(notice) }
        if let plan, let failure = plan.choice.certainFailure {
            say(failure.message)
            return ExitStatus(failure)
        }
        let wantsScreen = !arguments.has("--json") && !arguments.has("--plain")
        let signals = try SignalInbox(ofScreen: wantsScreen)
        let output = output(arguments)
        let sensor = try plan.map { try LocalSensor($0) }
        let configuration = MonitorConfiguration(endpoint: endpoint, trust: trust, clocks: .system)
        let run = MonitorRun(
            MonitorRun.Parts(
                endpoint: endpoint, connect: { () throws(SystemCallFailure) in try MonitorSession(configuration, token: token) },
                output: output, signals: signals,
                clocks: .system, reconnect: arguments.has("--reconnect") ? ReconnectPolicy() : nil, sensor: sensor, seconds: seconds))
        return run.run()
    }

    private static func output(_ arguments: ParsedArguments) -> any MonitorOutput {
        if arguments.has("--json") { return JSONOutput(clocks: .system) }
        if !arguments.has("--plain"), let screen = FullScreen(on: .output) { return ScreenOutput(screen, clocks: .system) }
        return PlainOutput(clocks: .system)
    }

    private static func trust(_ arguments: ParsedArguments) throws(UsageError) -> ServerTrust {
        var trust = ServerTrust()
        if let file = arguments.string("--ca-file") {
            do throws(SystemFailure) {
                _ = try firstBytes(of: file, count: 1)
            } catch {
                throw UsageError("'--ca-file' cannot \(error.operation) \(escaped(file.utf8)): \(error.reason)")
            }
            trust.authoritiesFile = file
        }
        if let text = arguments.string("--pin-sha256") {
            guard let digest = PublicKeyPin.parse(text) else {
                throw UsageError(
                    "'--pin-sha256' takes 64 hexadecimal digits or 44 characters of base64, not '\(escaped(text.utf8))'",
                    next: "openssl x509 -in server.pem -pubkey -noout | openssl pkey -pubin -outform der | sha256sum")
            }
            trust.publicKeyDigest = digest
        }
        return trust
    }

    private static func sensorPlan(_ arguments: ParsedArguments) throws(UsageError) -> LocalSensorLoop.Plan? {
        guard arguments.has("--paired") else {
            let foreign = (SensorOptions.choice + sensorLabels).map(\.name).first(where: arguments.has)
            if let foreign { throw UsageError("'\(foreign)' is for a local sensor; add '--paired'") }
            return nil
        }
        return LocalSensorLoop.Plan(
            choice: try SensorChoice(arguments), sensorId: try arguments.label("--sensor-id"),
            firmwareVersion: try arguments.label("--firmware-version"), clocks: .system)
    }
}

extension SensorChoice {
    /// Why this choice can never come to a sensor; nil where one may be there or still be plugged in.
    fileprivate var certainFailure: SensorError? {
        do throws(SensorError) {
            let found = try list()
            if case .attached(nil) = place, !found.isEmpty {
                // Which of several is meant nobody can guess.
                if found.count(where: { $0.profile != nil }) > 1 { return .several(paths: found.map(\.path)) }
            }
            return nil
        } catch {
            switch error {
            case .several, .badRecording: return error
            case .notFound: return canComeAndGo ? nil : error
            default: return nil
            }
        }
    }
}
