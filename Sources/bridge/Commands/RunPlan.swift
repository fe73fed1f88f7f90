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

    init(_ arguments: ParsedArguments) throws(UsageError) {
        try arguments.atMostOne(of: ["--frames", "--seconds"])
        for name in ["--summary-json", "--record"] where arguments.string(name) == "-" {
            throw UsageError("'\(name)' takes the name of a file; standard output is for the frames")
        }
        frameLimit = try arguments.int("--frames", in: 1...1_000_000_000).map(UInt64.init)
        secondsLimit = try arguments.seconds("--seconds")
        output = arguments.string("--output").flatMap { $0 == "-" ? nil : $0 }
        force = arguments.has("--force")
        summaryFile = arguments.string("--summary-json")
        recordFile = arguments.string("--record")
    }

    /// Opens the output, makes the feed, runs it, prints and writes the summary.
    ///
    /// The signals must be blocked before the feed starts a thread, so they come first.
    func run(
        signals: SignalInbox, _ makeFeed: (Clocks) throws(RunFailure) -> any FrameFeed
    ) throws -> ExitStatus {
        let clocks = Clocks.system
        let feed: any FrameFeed
        let sink: LineSink
        do throws(RunFailure) {
            feed = try makeFeed(clocks)
        } catch {
            say(error.message)
            return error.status
        }
        do throws(SystemFailure) {
            if let output {
                sink = try .file(output, replacing: force)
            } else {
                sink = .standardOutput()
            }
        } catch {
            feed.close()
            say(.cannotCreate(output ?? "", error))
            return .failed
        }
        var run = FrameRun(
            feed: feed, sink: sink, signals: signals, clocks: clocks, frameLimit: frameLimit, secondsLimit: secondsLimit)
        var (status, failure) = run.run()
        if let failure { say(failure.message) }
        for line in run.summary.lines(width: Terminal.messages.isTerminal ? Terminal.messages.width : .max) { Terminal.messages.line(line) }
        if run.summary.framesEmitted == 0, failure == nil, status == .failed { say(Self.noFrame(run.summary)) }
        if let recording = run.summary.recording, !recording.complete, status == .done { status = .failed }
        if let summaryFile, let failure = write(run.summary.json, to: summaryFile) {
            say(.cannotCreate(summaryFile, failure))
            if status == .done { status = .failed }
        }
        return status
    }

    /// The recording that `--record` asks for, of this source.
    func recording(of source: any ByteSource, _ clocks: Clocks) throws(RunFailure) -> Recording? {
        guard let recordFile else { return nil }
        return try Recording(file: recordFile, source: source, replacing: force, clocks: clocks)
    }

    private func write(_ json: [UInt8], to path: String) -> SystemFailure? {
        do throws(SystemFailure) {
            let sink = try LineSink.file(path, replacing: force)
            _ = sink.append(json)
            if case .failed(let failure) = sink.state { return failure }
            return nil
        } catch {
            return error
        }
    }

    private static func noFrame(_ summary: CaptureSummary) -> Message {
        let reasons = summary.framesRejected.sorted { $0.value > $1.value }
        guard let most = reasons.first else {
            return Message(text: "no frame came", next: "nlos-bridge probe --open")
        }
        return Message(
            text: "no frame could be emitted; most were refused as \(most.key)",
            next: most.key == TransientRefusal.invalidDistance.rawValue
                ? "point the sensor so that every zone sees a surface within 0.01 to 10 m" : nil)
    }
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
