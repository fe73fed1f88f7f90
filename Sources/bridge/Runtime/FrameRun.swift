import NLOSCore
import TransientSensor

/// Runs a feed into a sink until something ends it: one loop, one thread, woken by events only.
struct FrameRun {
    let feed: any FrameFeed
    let sink: LineSink
    let signals: SignalInbox
    let clocks: Clocks
    var frameLimit: UInt64?
    var secondsLimit: Double?
    /// Time that a reader gets to take the rest once the run has ended, seconds; after a signal it is the shorter one.
    private static let lastFlushSeconds = 5.0
    private static let hurriedFlushSeconds = 1.0

    private static let backlogReason = "output_backlog"

    private(set) var summary = CaptureSummary()
    private var failure: RunFailure?
    private var status: ExitStatus?
    private var line = JSONWriter()
    private var waiting = Waiting()
    private var progress: Progress
    /// Set by the first frame, so that a board's own start does not count.
    private var endsAt: UInt64?
    private var flood = Flood()
    /// At the last frame, and the session it belongs to.
    private var wallClock: (watch: WallClockWatch, session: SafeLabel)?

    init(
        feed: any FrameFeed, sink: LineSink, signals: SignalInbox, clocks: Clocks, frameLimit: UInt64? = nil,
        secondsLimit: Double? = nil
    ) {
        self.feed = feed
        self.sink = sink
        self.signals = signals
        self.clocks = clocks
        self.frameLimit = frameLimit
        self.secondsLimit = secondsLimit
        progress = Progress(clocks: clocks)
    }

    /// Runs to the end, gives the device back and says how it went. The failure, if any, is the caller's to print.
    mutating func run() -> (status: ExitStatus, failure: RunFailure?) {
        do throws(RunFailure) {
            try loop()
        } catch {
            end(error.end, status: error.status, error)
        }
        // Whatever ended the run: what was begun and cannot be kept is counted. Frames come too late now.
        if summary.end != .endOfInput { try? feed.finish { take($0) } }
        feed.close()
        flushTheRest()
        if case .failed = sink.state, failure == nil { _ = sinkHasEnded() }
        feed.account(in: &summary)
        summary.sha256 = sink.finish()
        let reason = sink.state == .open ? Self.backlogReason : CaptureSummary.End.outputClosed.rawValue
        if summary.settle(linesWritten: sink.linesWritten, reason) > 0, status == .done { status = .failed }
        progress.clear()
        return (status ?? .failed, failure)
    }

    private mutating func loop() throws(RunFailure) {
        try feed.start { take($0) }
        var drained = Drained.more
        while status == nil {
            wait(untilNs: [feed.deadlineNs, endsAt, progress.nextNs].compactMap { $0 }.min(), look: drained == .more)
            if let signal = signals.received() { return end(.interrupted, status: signal) }
            sink.flush()
            if sinkHasEnded() { return }
            if let endsAt, clocks.monotonicNs() >= endsAt { return reached(.timeReached) }
            progress.show(summary)
            if mustPause {
                drained = .idle
                continue
            }
            drained = try feed.service { take($0) }
            if drained == .finished, status == nil {
                try feed.finish { take($0) }
                if status == nil { reached(.endOfInput) }
            }
            if status == nil { _ = sinkHasEnded() }
        }
    }

    private var mustPause: Bool { feed.canWait && sink.wantsPause }

    private mutating func wait(untilNs deadline: UInt64?, look: Bool) {
        waiting.begin()
        waiting.add(signals.descriptor, readable: true)
        // With no backlog only an error wakes: the reader has gone.
        waiting.add(sink.descriptor, writable: sink.hasBacklog)
        if !mustPause, let readiness = feed.readiness { waiting.add(readiness, readable: true) }
        let now = look && !mustPause && (feed.readiness == nil || feed.canWait)
        waiting.wait(untilNs: now ? 0 : deadline, clocks)
        if waiting.broken(1), !sink.hasBacklog { sink.noticeBrokenPipe() }
    }

    private mutating func take(_ event: FeedEvent) {
        switch event {
        case .frame(let frame): emit(frame)
        case .refused(let reason):
            beginSeconds()
            summary.rejected(reason)
        case .gap(let reason, let atNs): summary.gap(reason, atNs: atNs)
        case .log(let entry): entry.sentence.map { tell(Message(text: $0)) }
        case .notice(let message): tell(message)
        }
    }

    /// Says it, unless the board says too much: a flood of words must not become a flood in a log.
    private mutating func tell(_ message: Message) {
        guard flood.admits(nowNs: clocks.monotonicNs()) else { return }
        progress.clear()
        if flood.held > 0 { say(Message(text: "\(flood.held) further lines were not shown")) }
        flood.held = 0
        say(message)
    }

    private mutating func emit(_ frame: TransientFrame) {
        guard status == nil else { return }
        beginSeconds()
        noteWallClock(frame)
        line.removeAll()
        frame.encode(into: &line)
        guard sink.append(line.bytes) else {
            if sink.state == .open {
                summary.rejected(Self.backlogReason)
                summary.gap(Self.backlogReason, atNs: frame.monotonicNs)
            }
            return
        }
        summary.emitted(atNs: frame.monotonicNs)
        if let frameLimit, summary.framesEmitted >= frameLimit { reached(.framesReached) }
    }

    private mutating func noteWallClock(_ frame: TransientFrame) {
        var watch = WallClockWatch()
        if let wallClock, wallClock.session == frame.sessionId { watch = wallClock.watch }
        if let seconds = watch.step(unixMs: frame.capturedAtUnixMs, steadyNs: frame.monotonicNs) {
            summary.wallClockSteps += 1
            tell(Message(text: "the wall clock was set by \(decimal(seconds, places: 1)) s; capturedAtUnixMs follows it"))
        }
        wallClock = (watch, frame.sessionId)
    }

    private mutating func beginSeconds() {
        guard endsAt == nil, let secondsLimit else { return }
        endsAt = clocks.monotonicNs() + UInt64(secondsLimit * 1e9)
    }

    /// Ends the run when the sink can take nothing more.
    private mutating func sinkHasEnded() -> Bool {
        switch sink.state {
        case .open: return false
        case .closed: end(.outputClosed, status: .failed)
        case .failed(let failure):
            let message = Message(
                text: "\(escaped(sink.name.utf8)): cannot \(failure.operation): \(failure.reason); it ends with its last whole line",
                next: "make room, or choose another place with -o")
            end(.outputClosed, status: .failed, RunFailure(message, status: .failed, end: .outputClosed))
        }
        return true
    }

    private mutating func reached(_ end: CaptureSummary.End) {
        self.end(end, status: summary.framesEmitted > 0 ? .done : .failed)
    }

    private mutating func end(_ end: CaptureSummary.End, status: ExitStatus, _ failure: RunFailure? = nil) {
        summary.end = end
        self.status = status
        self.failure = failure
    }

    /// Gives the reader time to take what was already emitted, so that the last line is whole: all that it needs where the source
    /// was one that can wait, a bounded one after a sensor, and little after a signal.
    private mutating func flushTheRest() {
        let patience = summary.end == .interrupted ? Self.hurriedFlushSeconds : feed.canWait ? nil : Self.lastFlushSeconds
        let until = patience.map { clocks.monotonicNs() + UInt64($0 * 1e9) }
        while sink.hasBacklog, sink.state == .open, until.map({ clocks.monotonicNs() < $0 }) ?? true {
            if let signal = signals.received() { return end(.interrupted, status: signal) }
            waiting.begin()
            waiting.add(signals.descriptor, readable: true)
            waiting.add(sink.descriptor, writable: true)
            waiting.wait(untilNs: until, clocks)
            sink.flush()
        }
    }
}
