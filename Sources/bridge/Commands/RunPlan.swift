import NLOSCore
import TransientSensor

/// The ends and outputs that `capture` and `replay` share.
struct RunPlan {
    private let frameLimit: UInt64?
    private let secondsLimit: Double?
    private let output: String?
    private let force: Bool
    private let summaryFile: String?
    private let recordFile: String?

    /// `input` is a file that the run reads: nothing may be written over it.
    init(_ arguments: ParsedArguments, reading input: String? = nil) throws(UsageError) {
        try arguments.atMostOne(of: ["--frames", "--seconds"])
        for name in ["--summary-json", "--record"] where arguments.string(name) == "-" {
            throw UsageError("'\(name)' takes the name of a file; standard output is for the frames")
        }
        frameLimit = try arguments.int("--frames", in: 1...1_000_000_000).map(UInt64.init)
        secondsLimit = try arguments.seconds("--seconds")
        try Self.refuseOneFileTwice(
            [input ?? arguments.string("--pose-jsonl")] + ["--output", "--record", "--summary-json"].map(arguments.string))
        output = arguments.string("--output").flatMap { $0 == "-" ? nil : $0 }
        force = arguments.has("--force")
        summaryFile = arguments.string("--summary-json")
        recordFile = arguments.string("--record")
    }

    /// Opens the output, makes the feed, runs it, prints and writes the summary.
    ///
    /// The signals must be blocked before the feed starts a thread, so they come first; a place that cannot be written to is
    /// found out before a device is disturbed.
    func run(
        signals: SignalInbox, _ makeFeed: (Clocks) throws(RunFailure) -> any FrameFeed
    ) throws -> ExitStatus {
        let clocks = Clocks.system
        let sink: LineSink
        do throws(SystemFailure) {
            if let output { sink = try .file(output, replacing: force) } else { sink = .standardOutput() }
        } catch {
            say(.cannotCreate(output ?? "", error))
            return .failed
        }
        let feed: any FrameFeed
        do throws(RunFailure) {
            feed = try makeFeed(clocks)
        } catch {
            sink.discard()
            if let message = error.message { say(message) }
            var summary = CaptureSummary()
            summary.end = error.end
            return wrote(summary) ? error.status : error.status.orFailed
        }
        var run = FrameRun(
            feed: feed, sink: sink, signals: signals, clocks: clocks, frameLimit: frameLimit, secondsLimit: secondsLimit)
        var (status, failure) = run.run()
        if let message = failure?.message { say(message) }
        for line in run.summary.lines(width: Terminal.messages.isTerminal ? Terminal.messages.width : .max) { Terminal.messages.line(line) }
        if failure == nil, let explanation = Self.noFrame(run.summary) { say(explanation) }
        if let recording = run.summary.recording, !recording.complete { status = status.orFailed }
        return wrote(run.summary) ? status : status.orFailed
    }

    private static func refuseOneFileTwice(_ names: [String?]) throws(UsageError) {
        var seen: [FileIdentity: String] = [:]
        for name in names.compactMap(\.self) where name != "-" {
            guard let identity = FileIdentity(name) else { continue }
            if seen[identity] != nil {
                throw UsageError("'\(escaped(name.utf8))' would be written over while it is in use; give another name")
            }
            seen[identity] = name
        }
    }

    /// The recording that `--record` asks for, of this source.
    func recording(of source: any ByteSource, _ clocks: Clocks) throws(RunFailure) -> Recording? {
        guard let recordFile else { return nil }
        return try Recording(file: recordFile, source: source, replacing: force, clocks: clocks)
    }

    /// Writes the summary where it was asked for; says so and returns false when it could not.
    private func wrote(_ summary: CaptureSummary) -> Bool {
        guard let summaryFile else { return true }
        do throws(SystemFailure) {
            let sink = try LineSink.file(summaryFile, replacing: force)
            _ = sink.append(summary.json)
            if case .failed(let failure) = sink.state { throw failure }
            return true
        } catch {
            say(.cannotCreate(summaryFile, error))
            return false
        }
    }

    /// Why a run that was left to come to its end has no frame; nil for any other.
    private static func noFrame(_ summary: CaptureSummary) -> Message? {
        guard summary.framesEmitted == 0, [.timeReached, .endOfInput].contains(summary.end) else { return nil }
        guard let most = summary.framesRejected.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else {
            return Message(
                text: "no frame came",
                next: summary.end == .endOfInput
                    ? "name the recorded board with --profile, if it is another one" : "nlos-bridge probe --open")
        }
        return Message(
            text: "no frame could be emitted; most were refused as \(most.key)",
            next: most.key == TransientRefusal.invalidDistance.rawValue
                ? "point the sensor so that every zone sees a surface within 0.01 to 10 m" : nil)
    }
}

extension ExitStatus {
    /// What was done is not all that was asked for.
    fileprivate var orFailed: ExitStatus { self == .done ? .failed : self }
}

extension Message {
    static func cannotCreate(_ path: String, _ failure: SystemFailure) -> Message {
        let exists = failure.exists
        return Message(
            text:
                "\(escaped(path.utf8)): \(exists ? "is there already and is not replaced" : "cannot \(failure.operation): \(failure.reason)")",
            next: exists ? "choose another name, or add --force" : nil)
    }
}
