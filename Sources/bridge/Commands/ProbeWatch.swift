import NLOSCore
import TransientSensor

/// `probe --watch`: a line for each board that is there, comes, goes, or changes hands.
enum ProbeWatch {
    static func run(json: Bool) throws -> ExitStatus {
        let signals = try SignalInbox()
        if !Discovery.hasUdev {
            say(Message(text: "no udev runs here: it is what tells of boards that are plugged in, so this watch may never see one"))
        }
        do {
            let monitor = try DiscoveryMonitor(clocks: .system)
            var waiting = Waiting()
            while true {
                while let change = try monitor.next() { try tell(change, json: json) }
                waiting.begin()
                waiting.add(signals.descriptor, readable: true)
                waiting.add(monitor.descriptor, readable: true)
                let output = waiting.add(Terminal.output.descriptor)
                waiting.wait(untilNs: nil, .system)
                if let signal = signals.received() { return signal }
                if waiting.broken(output) { return .failed }
            }
        } catch let error as SensorError {
            say(error.message)
            return ExitStatus(error)
        }
    }

    private static func tell(_ change: DiscoveryChange, json: Bool) throws(SystemFailure) {
        var sensor = ProbedSensor(change.sensor)
        if change.isResetLoop, let diagnosis = change.diagnosis { sensor.notes.append(diagnosis.text) }
        guard json else {
            let word = padded(change.kind.words, to: 16)
            let access = change.kind == .removed ? "" : "  \(sensor.access.words)"
            try Terminal.output.print("\(word)\(sensor.path)  \(sensor.board)\(access)")
            if let diagnosis = change.diagnosis { say(diagnosis) }
            return
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("change", change.kind.rawValue)
        sensor.writeMembers(to: &writer)
        writer.endObject()
        writer.endLine()
        try Terminal.output.write(writer.bytes)
    }
}

extension DiscoveryChange.Kind {
    fileprivate var words: String { self == .accessChanged ? "access changed" : rawValue }
}
