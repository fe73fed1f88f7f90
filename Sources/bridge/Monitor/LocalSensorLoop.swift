import NLOSCore
import TransientSensor

/// Follows one sensor through plug, frames, silence, unplug and replug, and posts what is known of it each second and at each change.
///
/// Belongs to its thread. The board is joined as it runs: nothing is sent to it.
final class LocalSensorLoop {
    /// What the command line says of the sensor.
    struct Plan: Sendable {
        var choice: SensorChoice
        var sensorId: SafeLabel?
        /// Instead of what the firmware says.
        var firmwareVersion: SafeLabel?
        var clocks: Clocks
    }

    private static let secondNs: UInt64 = 1_000_000_000
    /// Until a port that nothing was heard on is listened to once more.
    private static let lookAgainNs = 60 * secondNs
    /// Waits between attempts at a port that somebody else holds, nanoseconds. ModemManager lets a new port go after some seconds.
    private static let busyPausesNs: [UInt64] = [1, 2, 4, 8, 16].map { $0 * 250_000_000 }

    private let plan: Plan
    private let mailbox: LocalSensor.Mailbox
    private var clocks: Clocks { plan.clocks }
    private let discovery: DiscoveryMonitor?
    private var opened: OpenedSensor?
    private var stream: SensorStream?
    private var report: LocalSensorReport
    private var posted: LocalSensorReport?
    private var rate: FrameRate
    private var waiting = Waiting()
    private var nextPostNs: UInt64
    private var retryAtNs: UInt64?
    private var busyAttempts = 0
    /// A recording or a simulation that has ended does not come back.
    private var isOver = false

    init(_ plan: Plan, _ mailbox: LocalSensor.Mailbox) {
        self.plan = plan
        self.mailbox = mailbox
        report = LocalSensorReport(sensorId: plan.sensorId, firmwareVersion: plan.firmwareVersion)
        rate = FrameRate(nowNs: plan.clocks.monotonicNs())
        nextPostNs = plan.clocks.monotonicNs() + Self.secondNs
        discovery = plan.choice.canComeAndGo ? try? DiscoveryMonitor(clocks: plan.clocks) : nil
    }

    func run() {
        open()
        while true {
            post()
            let discoveryPlace = wait()
            if waiting.ready(0) { break }
            if let discoveryPlace, waiting.ready(discoveryPlace) { lookAround() }
            let now = clocks.monotonicNs()
            if let retryAtNs, now >= retryAtNs { open() }
            serve()
            judge()
        }
        stream?.close()
    }

    private func wait() -> Int? {
        waiting.begin()
        waiting.add(mailbox.stopping, readable: true)
        let place = discovery.map { waiting.add($0.descriptor, readable: true) }
        if let stream { waiting.add(stream.readiness, readable: true) }
        let stall = report.state == .streaming ? rate.stallsAtNs : nil
        waiting.wait(untilNs: [nextPostNs, retryAtNs, stall, stream?.deadlineNs].compactMap(\.self).min(), clocks)
        return place
    }

    /// Something was plugged in, pulled out, or changed hands.
    private func lookAround() {
        while let change = try? discovery?.next() {
            if change.kind == .removed, change.sensor.path == opened?.source.path { lose(.unplugged(path: change.sensor.path)) }
        }
        if stream == nil, !isOver {
            busyAttempts = 0
            open()
        }
    }

    private func open() {
        retryAtNs = nil
        do throws(RunFailure) {
            let opened = try plan.choice.open(
                clocks: clocks, fromReset: true, interruption: mailbox.interruption)
            self.opened = opened
            let stream = SensorStream(
                source: opened.source, session: opened.session(opened.recordedConfiguration == nil ? .join : nil), clocks: clocks)
            self.stream = stream
            rate = FrameRate(nowNs: clocks.monotonicNs())
            busyAttempts = 0
            describe(opened)
            do throws(SensorError) {
                try stream.start { take($0) }
            } catch {
                lose(error)
            }
        } catch {
            report.state = error.isUnrecognized ? .stalled : .absent
            report.problem = error.message
            // Each look starts some boards anew: not too often.
            if error.isUnrecognized { retryAtNs = clocks.monotonicNs() + Self.lookAgainNs }
            guard error.isBusy, busyAttempts < Self.busyPausesNs.count else { return }
            retryAtNs = clocks.monotonicNs() + Self.busyPausesNs[busyAttempts]
            busyAttempts += 1
        }
    }

    private func describe(_ opened: OpenedSensor) {
        let origin = opened.source.origin
        report.path = opened.source.path
        report.origin = origin
        report.sensorModel = opened.profile.sensorModel
        report.kind = origin == .live ? opened.profile.histogram?.kind : .replay
        report.state = .stalled
        report.problem = nil
    }

    private func serve() {
        guard let stream else { return }
        do throws(SensorError) {
            guard try stream.service({ take($0) }) == .finished else { return }
            isOver = true
            close()
            report.problem = Message(text: "\(report.path ?? "the sensor"): it is over")
        } catch {
            lose(error)
        }
    }

    private func take(_ output: SessionOutput) {
        switch output {
        case .frame(let frame): rate.frame(coverage: frame.depth(sequence: 0)?.coverage ?? 0, nowNs: clocks.monotonicNs())
        case .notice(let message): report.problem = message
        case .rejected, .log, .gap, .send, .failed: break
        }
    }

    /// The stream cannot go on. A board that is still there is joined anew: it may speak again at any time.
    private func lose(_ error: SensorError) {
        close()
        report.problem = error.message
        switch error {
        case .silent, .noFrames, .unreadable, .stalledEndpoint, .sensorMissing, .sensorNotRunning:
            report.state = .stalled
            retryAtNs = clocks.monotonicNs() + Self.secondNs
        default: break
        }
    }

    private func close() {
        stream?.close()
        (stream, opened) = (nil, nil)
        report.state = .absent
        report.firmwareVersion = plan.firmwareVersion
        rate = FrameRate(nowNs: clocks.monotonicNs())
    }

    private func judge() {
        guard let stream else { return }
        if plan.firmwareVersion == nil { report.firmwareVersion = stream.session.firmwareVersion }
        let isStreaming = rate.stallsAtNs.map { clocks.monotonicNs() < $0 } ?? false
        if isStreaming { report.problem = nil }
        report.state = isStreaming ? .streaming : .stalled
    }

    /// Posts what is known, each second and when it is something else than before.
    private func post() {
        let now = clocks.monotonicNs()
        if now >= nextPostNs {
            rate.conclude(nowNs: now)
            nextPostNs = now + Self.secondNs
            posted = nil
        }
        report.framesPerSecond = report.state == .streaming ? rate.framesPerSecond : nil
        report.coverage = report.state == .streaming ? rate.coverage : nil
        guard posted != report else { return }
        posted = report
        mailbox.post(report)
    }
}

extension SensorChoice {
    /// Whether it is something that is plugged in and pulled out.
    var canComeAndGo: Bool {
        switch place {
        case .attached, .port: true
        case .simulated, .recording: false
        }
    }
}
