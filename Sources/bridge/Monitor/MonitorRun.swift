import NLOSCore
import TrackMonitor

/// Runs a monitor until something ends it: one loop, one thread, woken by events only.
final class MonitorRun {
    /// What the run is made of.
    struct Parts {
        let endpoint: MonitorEndpoint
        /// Begins a connection, with a guard of its own.
        let connect: () throws(SystemCallFailure) -> any MonitorConnection
        let output: any MonitorOutput
        let signals: SignalInbox
        let clocks: Clocks
        /// Nil where a lost stream ends the run.
        var reconnect: ReconnectPolicy?
        var sensor: LocalSensor?
        /// From the start to an end that is as it should be, seconds.
        var seconds: Double?
    }

    /// Time that a reader gets to take the rest once the run has ended, seconds; after a signal it is the shorter one.
    private static let lastFlushSeconds = 5.0
    private static let hurriedFlushSeconds = 1.0
    /// Beyond what a session may take to say goodbye, seconds.
    private static let partingSeconds = MonitorLimits().close + 2

    /// Events in one go, so that a flood of them does not keep signals and readers waiting.
    private static let mostEvents = 100

    private var parts: Parts
    private var clocks: Clocks { parts.clocks }
    private var output: any MonitorOutput { parts.output }
    private var view: MonitorView
    private var stream: (any MonitorConnection)?
    private var waiting = Waiting()
    private var retryAtNs: UInt64?
    private var endsAtNs: UInt64?
    /// How the run ends once the connection has said goodbye, and when it has had its time for that.
    private var parting: (status: ExitStatus, untilNs: UInt64)?
    private var status: ExitStatus?
    private var lastWord: Message?
    private var hadSession = false

    init(_ parts: Parts) {
        self.parts = parts
        view = MonitorView(endpoint: parts.endpoint)
        // Until it has been heard of, it is not there.
        if parts.sensor != nil { view.local = PairedReport(LocalSensorReport(), beside: nil) }
    }

    func run() -> ExitStatus {
        endsAtNs = parts.seconds.map { clocks.monotonicNs() + UInt64($0 * 1e9) }
        connect()
        while status == nil {
            wait()
            react()
        }
        stream = nil
        parts.sensor?.stop()
        flushTheRest()
        output.close()
        if case .failed(let failure) = output.end {
            say(Message(text: "standard output: cannot \(failure.operation): \(failure.reason)"))
        } else if let lastWord {
            say(lastWord)
        }
        return status ?? .failed
    }

    private func wait() {
        waiting.begin()
        waiting.add(parts.signals.descriptor, readable: true)
        output.add(to: &waiting)
        if let stream { waiting.add(stream.readiness, readable: true) }
        if let sensor = parts.sensor { waiting.add(sensor.readiness, readable: true) }
        waiting.wait(untilNs: [output.deadlineNs, retryAtNs, endsAtNs, parting?.untilNs].compactMap(\.self).min(), clocks)
    }

    private func react() {
        if let signal = parts.signals.received() { part(signal, insisting: true) }
        let changes = parts.signals.takeScreenChanges()
        if !changes.isEmpty { output.screenChanged(changes, view) }
        // All of it before anything is shown: what the last event took away is not drawn for the sake of the first.
        for _ in 0..<Self.mostEvents {
            guard let event = stream?.next() else { break }
            take(event)
        }
        judgeSensor(parts.sensor?.takeReport())
        let now = clocks.monotonicNs()
        if let retryAtNs, now >= retryAtNs, status == nil { connect() }
        if let endsAtNs, now >= endsAtNs {
            self.endsAtNs = nil
            // As a check of a server's health it passes only where there was a session.
            part(hadSession ? .done : .network)
        }
        output.service(waiting, view)
        switch output.end {
        case nil: break
        case .quit: part(.done)
        case .closed, .failed: part(.failed)
        }
        if let parting, now >= parting.untilNs { status = status ?? parting.status }
    }

    private func connect() {
        retryAtNs = nil
        let now = clocks.monotonicNs()
        parts.reconnect?.attempted(nowNs: now)
        do throws(SystemCallFailure) {
            stream = try parts.connect()
        } catch {
            let reason = SystemFailure(operation: error.operation, errno: error.errno).reason
            let detail = Message(
                text: "this machine could not begin a connection: \(error.operation): \(reason)", next: "see 'ulimit -n' and 'ulimit -u'")
            take(.disconnected(Disconnection(reason: .network, detail: detail)))
        }
    }

    private func take(_ event: MonitorEvent) {
        view.take(event, nowNs: clocks.monotonicNs())
        // What a frame claims of the sensor here is judged before anybody sees it.
        if case .frame = event { judgeSensor(nil) }
        output.take(.stream(event), view)
        switch event {
        case .authenticated: hadSession = true
        case .frame: parts.reconnect?.validFrame()
        case .disconnected(let end): lost(end)
        default: break
        }
    }

    /// The connection is over: again, or for good.
    private func lost(_ end: Disconnection) {
        stream = nil
        if let parting {
            status = parting.status
        } else if parts.reconnect != nil, end.mayPass {
            let now = clocks.monotonicNs()
            let deadline = parts.reconnect?.next(nowNs: now) ?? now
            retryAtNs = deadline
            view.wait(untilNs: deadline)
            output.take(.retry(seconds: Double(interval(from: now, to: deadline)) / 1e9), view)
        } else {
            status = end.status
            lastWord = end.detail
        }
    }

    /// Ends the run as soon as the server has been told; at once when somebody insists.
    private func part(_ status: ExitStatus, insisting: Bool = false) {
        guard let stream else {
            self.status = self.status ?? status
            return
        }
        guard parting == nil else {
            if insisting { self.status = self.status ?? status }
            return
        }
        parting = (status, clocks.monotonicNs() + UInt64(Self.partingSeconds * 1e9))
        stream.stop()
    }

    /// Says what the sensor's report, or what is on display now beside the last one, comes to.
    private func judgeSensor(_ report: LocalSensorReport?) {
        guard let known = report ?? view.local?.sensor else { return }
        let paired = PairedReport(known, beside: view.frame(atBootNs: clocks.bootNs()))
        // A report each second, and a change of what it means at once.
        guard report != nil || paired != view.local else { return }
        view.local = paired
        output.take(.paired(paired), view)
    }

    /// Gives the reader time to take what was already said, so that the last line is whole.
    private func flushTheRest() {
        let hurried = status == .interrupted || status == .terminated
        let until = clocks.monotonicNs() + UInt64((hurried ? Self.hurriedFlushSeconds : Self.lastFlushSeconds) * 1e9)
        while output.hasBacklog, output.end == nil, clocks.monotonicNs() < until {
            if let signal = parts.signals.received() {
                status = signal
                return
            }
            waiting.begin()
            waiting.add(parts.signals.descriptor, readable: true)
            output.add(to: &waiting)
            waiting.wait(untilNs: until, clocks)
            output.service(waiting, view)
        }
    }
}
