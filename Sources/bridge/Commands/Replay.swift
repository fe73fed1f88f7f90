import NLOSCore
import TransientSensor

/// `replay`: a recording or a capture played back, always labelled as such.
enum Replay {
    static let spec = CommandSpec(
        name: "replay", operands: "FILE", operandCount: 1...1,
        summary: "Plays a recording (.pcap) or a JSONL capture back as ruview.nlos.transient.v1 lines.",
        details: "Every frame says source replay and transport replay, whatever it was when live; what a simulated sensor made stays "
            + "synthetic. The session, sensor and pose of a .pcap are not in it: give them, or they are named 'replay', 'recording' "
            + "and fixed.",
        options: [
            .flag("--fast", "as fast as the reader takes it, instead of at the recorded pace"),
            .value("--profile", "NAME", needs: "a board profile", "the board of a .pcap, where the recording does not tell"),
        ] + SensorOptions.stated + Capture.labels + [
            .value("--frames", "N", needs: "a number of frames, as in --frames 100", "end after N frames"),
            .value("--seconds", "N", needs: "a number of seconds, as in --seconds 10", "end N seconds after the first frame"),
        ] + Capture.outputs,
        examples: ["nlos-bridge replay run.pcap --fast -o run.jsonl", "nlos-bridge replay lab-1.jsonl"])

    static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
        let file = arguments.operands[0]
        let plan = try RunPlan(arguments, reading: file)
        let fast = arguments.has("--fast")
        let signals = try SignalInbox()
        let isRecording: Bool
        do throws(SystemFailure) {
            isRecording = try Self.isRecording(file)
        } catch {
            let failure = RunFailure(error, file: file)
            if let message = failure.message { say(message) }
            return failure.status
        }
        guard isRecording else {
            let only = Capture.labels.map(\.name) + SensorOptions.stated.map(\.name) + ["--profile"]
            if let foreign = only.first(where: arguments.has) {
                throw UsageError("'\(foreign)' is for a .pcap recording; a JSONL capture keeps its own")
            }
            return try plan.run(signals: signals) { clocks throws(RunFailure) in
                do throws(SystemFailure) {
                    return try JSONLFeed(path: file, fast: fast, clocks: clocks)
                } catch {
                    throw RunFailure(error, file: file)
                }
            }
        }
        try arguments.atMostOne(of: ["--pose-jsonl", "--fixed-sensor"])
        let labels = SensorFeed.Labels(
            sessionId: try arguments.label("--session") ?? SafeLabel("replay")!,
            sensorId: try arguments.label("--sensor-id") ?? SafeLabel("recording")!,
            firmwareVersion: try arguments.label("--firmware-version"), countShift: try arguments.int("--count-shift", in: 0...8) ?? 0)
        let poses = try Capture.poseSource(arguments)
        let choice = try SensorChoice(recording: file, arguments)
        if let profile = choice.foreseenProfile { _ = try SensorOptions.stated(arguments, for: profile) }
        return try plan.run(signals: signals) { clocks throws(RunFailure) in
            let opened = try choice.open(clocks: clocks, fast: fast)
            let request: StreamRequest?
            do throws(UsageError) {
                request = try SensorOptions.stated(arguments, for: opened.profile)
            } catch {
                opened.source.close()
                throw RunFailure(error)
            }
            return SensorFeed(
                stream: SensorStream(source: opened.source, session: opened.session(request), clocks: clocks),
                profile: opened.profile,
                labels: labels, poses: poses, recording: nil)
        }
    }

    /// Whether the file begins as a pcap file does, in either byte order and either time resolution.
    private static func isRecording(_ file: String) throws(SystemFailure) -> Bool {
        guard file != "-" else { return false }
        let head = try firstBytes(of: file, count: 4)
        let magics: [[UInt8]] = [[0xa1, 0xb2, 0xc3, 0xd4], [0xa1, 0xb2, 0x3c, 0x4d]]
        return magics.contains { head == $0 || head == $0.reversed() } || file.hasSuffix(".pcap")
    }
}
