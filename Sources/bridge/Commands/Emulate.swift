import NLOSCore
import TransientSensor

/// `emulate`: a sensor's firmware on a pseudo-terminal or a tty, without the sensor.
enum Emulate {
    static let spec = CommandSpec(
        name: "emulate", operands: "", operandCount: 0...0,
        summary:
            "Stands in for a board's firmware, byte for byte, so that this tool and others can be tried without hardware.",
        details: "With --pty the name of the pseudo-terminal is the first line on standard output; what is captured from it is labelled "
            + "synthetic. The line rate that the host sets is not looked at. Runs until Ctrl-C or a fault that ends it.",
        options: [
            .flag("--pty", "on a new pseudo-terminal"),
            .value("--tty", "PATH", needs: "a tty, as in --tty /dev/ttyGS0", "on this tty, e.g. the device side of a USB gadget"),
            .value(
                "--profile", "NAME", needs: "a board profile, as in --profile \(SensorProfile.nucleoVL53L8CH.name)",
                "which board's firmware: \(SensorProfile.all.map(\.name).joined(separator: ", ")) (default the first)"),
            .value(
                "--scene", "NAME", needs: "a scene, as in --scene matte-wall",
                "what the sensor sees: \(SimulatedScene.all.map(\.name).joined(separator: ", ")) (default matte-wall)"),
            .value(
                "--fault", "NAME[=VALUE]", needs: "a fault, as in --fault byte-loss=0.001",
                "a fault to play, several times for several: \(FaultSwitch.all.map(\.form).joined(separator: ", "))", repeats: true),
            .value(
                "--seed", "N", needs: "a number, as in --seed 7",
                "of the noise and the faults (default 1); the same seed gives the same bytes"),
            .value(
                "--copy", "FILE", needs: "a file, as in --copy sent.txt",
                "keep every byte that the line took in this new file, to compare with what arrived"),
            .flag("--from-reset", "begin with the boot messages instead of in mid-stream"),
            .flag("--json", "print the pseudo-terminal's name as a JSON object"),
        ],
        examples: ["nlos-bridge emulate --pty", "nlos-bridge emulate --pty --scene dark-wall --fault byte-loss=0.0001"])

    static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
        try arguments.atMostOne(of: ["--pty", "--tty"])
        guard arguments.has("--pty") || arguments.has("--tty") else { throw UsageError("emulate needs '--pty' or '--tty PATH'") }
        let name = arguments.string("--scene") ?? "matte-wall"
        guard let scene = SimulatedScene.all.first(where: { $0.name == name }) else {
            throw unknown(name, among: SimulatedScene.all.map(\.name), what: "scene", see: "nlos-bridge emulate --help")
        }
        let profile = try SensorChoice.profile(arguments, of: "emulate") ?? .nucleoVL53L8CH
        let faults = try faults(arguments.strings("--fault"), of: profile)
        let seed = UInt64(try arguments.int("--seed", in: 0...Int.max) ?? 1)
        let signals = try SignalInbox()
        let clocks = Clocks.system
        let line: EmulatorLine
        do throws(SystemFailure) {
            if let path = arguments.string("--tty") {
                line = try EmulatorLine(tty: path)
            } else {
                line = try EmulatorLine.pseudoTerminal()
            }
        } catch {
            say(
                Message(
                    text: "\(escaped((arguments.string("--tty") ?? "pseudo-terminal").utf8)): cannot \(error.operation): \(error.reason)"))
            return error.denied ? .denied : .device
        }
        if let pty = line.pseudoTerminalName {
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("pty", pty)
            writer.endObject()
            try Terminal.output.print(arguments.has("--json") ? String(decoding: writer.bytes, as: UTF8.self) : pty)
        }
        let copy: LineCopy?
        do throws(SystemFailure) {
            copy = try arguments.string("--copy").map(LineCopy.init)
        } catch {
            return unkept(arguments.string("--copy"), error)
        }
        let board = SimulatedBoard(
            profile, scene: scene, faults: faults, seed: seed, startNs: clocks.monotonicNs(),
            joining: arguments.has("--from-reset") ? .atReset : .midStream)
        var run = EmulatorRun(board: board, line: line, copy: copy, signals: signals, clocks: clocks)
        let status: ExitStatus
        do throws(SystemFailure) {
            status = try run.run()
        } catch {
            status = unkept(copy?.name, error)
        }
        Terminal.messages.line("sent \(run.bytesSent) bytes, \(run.bytesDropped) found no reader, received \(run.bytesReceived)")
        return status
    }

    private static func unkept(_ file: String?, _ failure: SystemFailure) -> ExitStatus {
        say(Message(text: "\(escaped((file ?? "").utf8)): cannot \(failure.operation): \(failure.reason)"))
        return .failed
    }

    private static func faults(_ texts: [String], of profile: SensorProfile) throws(UsageError) -> FaultSwitches {
        let faults = try faults(texts)
        let names = texts.map { String($0.prefix { $0 != "=" }) }
        if let foreign = names.first(where: { name in !profile.faults.contains { $0.name == name } }) {
            let own = profile.faults.map(\.name).joined(separator: ", ")
            throw UsageError("the firmware of \(profile.name) does not play fault '\(foreign)'", next: "one of \(own)")
        }
        return faults
    }

    private static func faults(_ texts: [String]) throws(UsageError) -> FaultSwitches {
        do throws(FaultSyntaxError) {
            return try FaultSwitches(texts)
        } catch {
            switch error {
            case .unknown(let name):
                throw unknown(name, among: FaultSwitch.all.map(\.name), what: "fault", see: "nlos-bridge emulate --help")
            case .missingValue(let fault): throw UsageError("fault '\(fault.name)' needs a value: \(fault.form)")
            case .badValue(let fault, let value):
                throw UsageError("fault '\(fault.name)' does not take '\(escaped(value.utf8))': \(fault.form), \(fault.meaning)")
            }
        }
    }
}
