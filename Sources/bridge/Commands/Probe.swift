import NLOSCore
import TransientSensor

/// `probe`: what is plugged in, and what each signal of it may be used for.
enum Probe {
    static let spec = CommandSpec(
        name: "probe", operands: "", operandCount: 0...0,
        summary: "Lists the sensors on this machine and what each can really deliver.",
        details: "Nothing is opened without --open. A board that cannot be used is listed with the reason. The exit status is 0 when "
            + "one is ready, 3 when there is none, 4 when access is denied, 5 when none is usable for another reason.",
        options: [
            .flag("--open", "open the device, read its firmware's own words and take one second of frames"),
            .flag("--watch", "follow plug and unplug until Ctrl-C"),
            .flag("--json", "one JSON object; with --watch one a change"),
        ] + SensorOptions.choice,
        examples: ["nlos-bridge probe", "nlos-bridge probe --open --sensor sim:matte-wall", "nlos-bridge probe --watch --json"])

    static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
        try arguments.atMostOne(of: ["--open", "--watch"])
        let json = arguments.has("--json")
        if arguments.has("--watch") {
            if arguments.has("--sensor") || arguments.has("--port") {
                throw UsageError("'--watch' follows every board and takes no '--sensor' or '--port'")
            }
            return try ProbeWatch.run(json: json)
        }
        let choice = try SensorChoice(arguments)
        let signals = try arguments.has("--open") ? SignalInbox() : nil
        let sensors: [ProbedSensor]
        do throws(SensorError) {
            sensors = try choice.list()
        } catch {
            if json { try printJSON([]) }
            say(error.message)
            return ExitStatus(error)
        }
        return try show(sensors, choice, signals: signals, json: json)
    }

    private static func show(
        _ sensors: [ProbedSensor], _ choice: SensorChoice, signals: SignalInbox?, json: Bool
    ) throws -> ExitStatus {
        var sensors = sensors
        var status = ExitStatus.done
        if let signals {
            for index in sensors.indices where sensors[index].access == .ready {
                switch FirmwareLook.take(at: sensors[index], choice, signals: signals) {
                case .seen(let firmware, let profile, let origin):
                    sensors[index].firmware = firmware
                    sensors[index].profile = profile
                    sensors[index].origin = origin
                case .interrupted(let signal): return signal
                case .failed(let failure):
                    if let message = failure.message {
                        sensors[index].openFailure = message.text
                        say(message)
                    }
                    status = failure.status
                }
            }
        }
        if json {
            try printJSON(sensors)
        } else {
            for sensor in sensors { try Terminal.output.print(ProbeTable.text(of: sensor)) }
        }
        if sensors.isEmpty {
            say(SensorError.notFound(selector: nil).message)
            return .noSensor
        }
        if status != .done { return status }
        if sensors.contains(where: { $0.access == .ready }) { return .done }
        return sensors.contains { $0.access == .denied } ? .denied : .device
    }

    private static func printJSON(_ sensors: [ProbedSensor]) throws {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("schema", "nlos-bridge.probe.v1")
        writer.key("sensors")
        writer.beginArray()
        for sensor in sensors {
            writer.beginObject()
            sensor.writeMembers(to: &writer)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        writer.endLine()
        try Terminal.output.write(writer.bytes)
    }
}
