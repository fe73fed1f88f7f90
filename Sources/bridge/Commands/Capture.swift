import NLOSCore
import TransientSensor

/// `capture`: a sensor's bytes as transient frames, one JSON object a line.
enum Capture {
    static let spec = CommandSpec(
        name: "capture", operands: "", operandCount: 0...0,
        summary: "Streams a sensor's histograms as ruview.nlos.transient.v1, one JSON object a line, to standard output or a file.",
        details: "Without settings the board is left as it is and the shape of its stream is learned. With any setting the whole "
            + "configuration is sent, the rest at 4x4, 48 bins, start bin 30, subsample 1, 30 Hz, 10 ms. Ends at --frames, "
            + "--seconds, Ctrl-C, or with the sensor; a summary goes to standard error.",
        options: SensorOptions.choice + SensorOptions.settings + labels + [
            .value("--frames", "N", needs: "a number of frames, as in --frames 100", "end after N frames"),
            .value("--seconds", "N", needs: "a number of seconds, as in --seconds 10", "end N seconds after the first frame"),
            .value(
                "--record", "FILE.pcap", needs: "a new file, as in --record run.pcap", "keep the raw bytes too, for replay and Wireshark"),
        ] + outputs,
        examples: [
            "nlos-bridge capture --session lab-1 --sensor-id bench --fixed-sensor --seconds 10 -o lab-1.jsonl",
            "nlos-bridge capture --sensor sim:hidden-target --session t --sensor-id s --fixed-sensor --frames 1",
        ])

    static let labels: [Option] = [
        .value("--session", "LABEL", needs: "a label, as in --session lab-1", "sessionId of the frames"),
        .value("--sensor-id", "LABEL", needs: "a label, as in --sensor-id bench", "sensorId of the frames"),
        .value("--firmware-version", "LABEL", needs: "a label, as in --firmware-version 2.0.10", "instead of what the firmware says"),
        .value(
            "--count-shift", "N", needs: "a number from 0 to 8, as in --count-shift 4",
            "divide raw counts by two to this power, so that they fit into 16 bits; firmwareVersion then ends in .shiftN"),
        .value(
            "--pose-jsonl", "FILE", needs: "a file of poses, as in --pose-jsonl poses.jsonl",
            "the sensor's pose, one line for each emitted frame"),
        .flag("--fixed-sensor", "the sensor does not move: the same pose for every frame"),
    ]

    static let outputs: [Option] = [
        .value("--output", "FILE", needs: "a new file, as in -o lab-1.jsonl", "write there instead of standard output (-o)"),
        .flag("--force", "replace files that are there already"),
        .value("--summary-json", "FILE", needs: "a file, as in --summary-json summary.json", "write the summary as JSON"),
    ]

    static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
        guard let session = try arguments.label("--session") else {
            throw UsageError("capture needs '--session LABEL': the name of this capture session")
        }
        guard let sensorId = try arguments.label("--sensor-id") else {
            throw UsageError("capture needs '--sensor-id LABEL': the name of this sensor in your set-up")
        }
        try arguments.atMostOne(of: ["--pose-jsonl", "--fixed-sensor"])
        guard arguments.has("--pose-jsonl") || arguments.has("--fixed-sensor") else {
            throw UsageError("capture needs '--fixed-sensor' or '--pose-jsonl FILE': where the sensor is cannot be guessed")
        }
        let choice = try SensorChoice(arguments)
        let asFound = SensorOptions.areAbsent(arguments)
        if case .recording = choice.place, !asFound, !arguments.has("--no-configure") {
            throw UsageError("what was recorded cannot be configured; with '--no-configure' the settings state what it was")
        }
        // What is wrong with the settings is said before anything is opened, where the board is known by then.
        let foreseen = try choice.foreseenProfile.flatMap { profile throws(UsageError) in try SensorOptions.request(arguments, for: profile)
        }
        let plan = try RunPlan(arguments, reading: choice.recordedFile)
        let poses = try poseSource(arguments)
        let labels = SensorFeed.Labels(
            sessionId: session, sensorId: sensorId, firmwareVersion: try arguments.label("--firmware-version"),
            countShift: try arguments.int("--count-shift", in: 0...8) ?? 0)
        let signals = try SignalInbox()
        if case .vl53l8ch(.configure(let asked)) = foreseen, let notice = asked.rateNotice { say(notice) }
        return try plan.run(signals: signals) { clocks throws(RunFailure) in
            let retry = BusyRetry(signals: signals, clocks: clocks)
            let opened = try retry { () throws(RunFailure) in
                try choice.open(clocks: clocks, fromReset: asFound, interruption: signals.interruption)
            }
            if let recognition = opened.recognition { say(recognition) }
            do throws(RunFailure) {
                let request = try choice.request(arguments, for: opened.profile)
                let recording = try plan.recording(of: opened.source, clocks)
                return SensorFeed(
                    stream: SensorStream(
                        source: opened.source, session: opened.session(request), clocks: clocks, tap: recording),
                    profile: opened.profile, labels: labels, poses: poses, recording: recording)
            } catch {
                opened.source.close()
                throw error
            }
        }
    }

    static func poseSource(_ arguments: ParsedArguments) throws(UsageError) -> PoseSource {
        guard let path = arguments.string("--pose-jsonl") else { return .fixed }
        do {
            return .file(try PoseFile(path: path))
        } catch {
            throw UsageError("'--pose-jsonl' cannot open \(escaped(path.utf8)): \(error.reason)")
        }
    }
}
