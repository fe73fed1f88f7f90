import NLOSCore
import TransientSensor

/// A short look at a sensor: its firmware's own words and one second of frames. To a board that streams by itself nothing is sent; one that
/// waits for a command is started, and stopped again.
struct FirmwareLook {
    enum Result {
        /// What the firmware said, which one it is, and what its source turned out to be.
        case seen(ProbedSensor.Firmware, SensorProfile, FrameSource)
        case failed(RunFailure)
        case interrupted(ExitStatus)
    }

    private static let secondNs: UInt64 = 1_000_000_000
    /// A board that only starts when it is opened may take this long to its first frame; the session gives up earlier on silence.
    private static let longestNs: UInt64 = 10 * secondNs

    private var seen = ProbedSensor.Firmware()
    private var firstNs: UInt64?
    private var lastNs: UInt64 = 0
    /// Sum over the frames; nil while none had distances.
    private var coverage: Double?

    static func take(at sensor: ProbedSensor, _ choice: SensorChoice, signals: SignalInbox) -> Result {
        let clocks = Clocks.system
        do throws(RunFailure) {
            let retry = BusyRetry(signals: signals, clocks: clocks)
            let opened = try retry { () throws(RunFailure) in
                try choice.open(
                    path: sensor.path, clocks: clocks, fromReset: true, interruption: signals.interruption)
            }
            var look = FirmwareLook()
            let stream = SensorStream(source: opened.source, session: opened.session(.join), clocks: clocks)
            defer { stream.close() }
            do throws(SensorError) {
                if let signal = try look.run(stream, signals, clocks) { return .interrupted(signal) }
            } catch {
                throw RunFailure(error)
            }
            guard look.seen.framesSeen > 0 else { throw Self.noFrame(sensor.path) }
            return .seen(look.conclude(stream), opened.profile, opened.source.origin)
        } catch {
            return error.end == .interrupted ? .interrupted(error.status) : .failed(error)
        }
    }

    private static func noFrame(_ path: String) -> RunFailure {
        RunFailure(
            Message(
                text: "\(path): no frame came within \(longestNs / secondNs) s",
                next: "press the board's reset button; is the firmware of hardware/ flashed, and is the sensor wired?"),
            status: .device, end: .deviceError)
    }

    private mutating func run(_ stream: SensorStream, _ signals: SignalInbox, _ clocks: Clocks) throws(SensorError) -> ExitStatus? {
        var waiting = Waiting()
        let until = clocks.monotonicNs() + Self.longestNs
        try stream.start { note($0) }
        while interval(from: firstNs ?? lastNs, to: lastNs) < Self.secondNs, clocks.monotonicNs() < until {
            waiting.begin()
            waiting.add(signals.descriptor, readable: true)
            waiting.add(stream.readiness, readable: true)
            waiting.wait(untilNs: min(until, stream.deadlineNs ?? until), clocks)
            if let signal = signals.received() { return signal }
            if try stream.service({ note($0) }) == .finished { break }
        }
        return nil
    }

    private mutating func note(_ output: SessionOutput) {
        switch output {
        case .frame(let frame):
            seen.framesSeen += 1
            seen.bins = max(seen.bins, frame.bins)
            seen.temperatureC = frame.temperatureC ?? seen.temperatureC
            if firstNs == nil { firstNs = frame.arrival.monotonicNs }
            lastNs = frame.arrival.monotonicNs
            if !frame.distanceMm.isEmpty { coverage = (coverage ?? 0) + (frame.depth(sequence: 0)?.coverage ?? 0) }
        case .log(.banner(let text)): seen.banner = text
        case .log(.ready(let version)): seen.version = version
        default: break
        }
    }

    private func conclude(_ stream: SensorStream) -> ProbedSensor.Firmware {
        var seen = seen
        seen.shape = stream.session.shape
        seen.version = seen.version ?? stream.session.firmwareVersion?.text
        seen.depthCoverage = coverage.map { $0 / Double(seen.framesSeen) }
        let elapsed = interval(from: firstNs ?? lastNs, to: lastNs)
        if elapsed > 0 { seen.framesPerSecond = Double(seen.framesSeen - 1) / (Double(elapsed) / 1e9) }
        return seen
    }
}
