import DepthValidation
import NLOSCore
import TransientSensor

/// Runs a sensor's frames through a validation until that has a result: one loop, one thread, woken by events only.
struct ValidationLoop {
    /// How the loop came to its end, beside the result.
    struct End {
        let result: ValidationResult
        /// A signal's status; nil when none came.
        let signal: ExitStatus?
        /// What the sensor or its firmware did not recover from.
        let failure: SensorError?
    }

    /// The run wants to hear of time this often, nanoseconds.
    private static let tickNs: UInt64 = 100_000_000
    private static let thermalNs: UInt64 = 5_000_000_000
    /// How long frames that wait to be taken may hold time up.
    private static let patienceNs: UInt64 = 1_000_000_000
    /// A board that says nothing at all for so long gets no more time for its configuration.
    private static let silenceNs = Thresholds.firstFrameNs

    private let stream: SensorStream
    private let signals: SignalInbox
    private let clocks: Clocks
    private let host: HostFacts
    private let display: ValidationDisplay
    private var setup: ValidationSetup
    private var hasFrame = false
    private var views = DepthViews()
    private var run: ValidationRun
    /// Whether the sensor has been told all that it is told, so that frames are due.
    private var isArmed: Bool
    private let openedNs: UInt64
    private var nextTickNs: UInt64
    private var nextThermalNs: UInt64
    /// The sensor's own temperature as it last told it, degrees Celsius; it counts before the host's.
    private var sensorTemperatureC: Int?
    private var waiting = Waiting()
    private var wallClock = WallClockWatch()

    /// `isConfigured`: the stream's session first configures its sensor.
    init(
        stream: SensorStream, isConfigured: Bool, setup: ValidationSetup, signals: SignalInbox, clocks: Clocks, host: HostFacts,
        display: ValidationDisplay
    ) {
        self.stream = stream
        self.signals = signals
        self.clocks = clocks
        self.host = host
        self.display = display
        self.setup = setup
        let nowNs = clocks.monotonicNs()
        // A recording's clock begins with it.
        openedNs = stream.source is PcapReplay ? 1 : nowNs
        isArmed = !isConfigured
        run = ValidationRun(setup: setup, openedNs: openedNs, bootNs: stream.source.keepsOwnTime ? openedNs : clocks.bootNs())
        (nextTickNs, nextThermalNs) = (nowNs, nowNs)
    }

    /// Runs to the result and gives the device back.
    mutating func callAsFunction() -> End {
        defer { stream.close() }
        var (signal, failure): (ExitStatus?, SensorError?)
        do throws(SensorError) {
            signal = try loop()
        } catch {
            failure = error
        }
        // A host that wakes up may give its sensor's port a reset: that it slept is what has to be told.
        if signal == nil, !stream.source.keepsOwnTime { run.compare(monotonicNs: clocks.monotonicNs(), bootNs: clocks.bootNs()) }
        switch (signal, failure) {
        case (_?, _): run.end(.cancelled)
        case (nil, .unplugged?): run.end(.unplugged)
        default: run.end(failure == nil ? .inputEnded : .deviceFailed)
        }
        display.update(run.state, nowNs: clocks.monotonicNs())
        // Whatever it was, the run has its result now.
        return End(result: run.result!, signal: signal, failure: failure)
    }

    /// Returns when the run has a result, a signal came (its status) or the input is over.
    private mutating func loop() throws(SensorError) -> ExitStatus? {
        try stream.start { take($0) }
        var drained = Drained.more
        while run.result == nil {
            wait(look: drained == .more)
            if let signal = signals.received() { return signal }
            display.attend(signals.takeScreenChanges())
            drained = try stream.service { take($0) }
            if drained == .finished {
                stream.finish { take($0) }
                return nil
            }
            lapse(framesWait: drained == .more)
        }
        return nil
    }

    private mutating func wait(look: Bool) {
        waiting.begin()
        waiting.add(signals.descriptor, readable: true)
        waiting.add(stream.readiness, readable: true)
        if let descriptor = display.waitsToWrite { waiting.add(descriptor, writable: true) }
        let deadlineNs = [nextTickNs, stream.deadlineNs, display.deadlineNs].compactMap(\.self).min()
        waiting.wait(untilNs: look && stream.source.keepsOwnTime ? 0 : deadlineNs, clocks)
    }

    private mutating func take(_ output: SessionOutput) {
        switch output {
        case .frame(let frame):
            sensorTemperatureC = frame.temperatureC ?? sensorTemperatureC
            guard let depth = views.depth(of: frame) else { return }
            adoptView()
            arm(atNs: depth.monotonicNs)
            run.take(depth)
            // A source with a time of its own tells it by its frames only, and was on no host that is suspended now.
            if stream.source.keepsOwnTime { run.tick(monotonicNs: depth.monotonicNs, bootNs: depth.monotonicNs) }
        case .log(let line):
            let nowNs = clocks.monotonicNs()
            // That it took its setting is what was to be expected.
            guard line != .applied else { return stream.source.keepsOwnTime ? () : arm(atNs: nowNs) }
            line.sentence.map { display.say(Message(text: $0), nowNs: nowNs) }
        case .notice(let message): display.say(message, nowNs: clocks.monotonicNs())
        case .rejected(.repeated): run.noteRepeat()
        case .rejected, .gap, .send, .failed: break  // what is missing shows in the frames
        }
    }

    /// The stream may know better than the profile which view its zones share, and knows it with the first frame at the latest.
    private mutating func adoptView() {
        guard !hasFrame else { return }
        hasFrame = true
        guard let fieldOfView = stream.session.fieldOfView,
            let known = ValidationSetup(
                view: SensorView(fieldOfView: fieldOfView, geometry: setup.view.geometry), attainableHz: setup.attainableHz,
                plan: setup.plan)
        else { return }
        setup = known
        run = ValidationRun(setup: setup, openedNs: openedNs, bootNs: stream.source.keepsOwnTime ? openedNs : clocks.bootNs())
    }

    /// From now on frames are due: the wait for the first one begins.
    private mutating func arm(atNs: UInt64) {
        guard !isArmed else { return }
        isArmed = true
        run = ValidationRun(setup: setup, openedNs: atNs, bootNs: stream.source.keepsOwnTime ? atNs : clocks.bootNs())
    }

    /// Lets time take effect, after the frames that have arrived; but not without end where more and more arrives and no frame is in it.
    private mutating func lapse(framesWait: Bool) {
        let nowNs = clocks.monotonicNs()
        if nowNs >= nextThermalNs {
            nextThermalNs = nowNs + Self.thermalNs
            run.take(thermal: sensorTemperatureC.map { HostFacts.state(milliCelsius: $0 * 1_000) } ?? host.thermal)
        }
        if nowNs >= nextTickNs, !framesWait || interval(from: nextTickNs, to: nowNs) > Self.patienceNs {
            nextTickNs = nowNs + Self.tickNs
            if !isArmed, stream.session.counters.bytesReceived == 0, interval(from: openedNs, to: nowNs) > Self.silenceNs { isArmed = true }
            if !stream.source.keepsOwnTime { tick(nowNs) }
        }
        // The last state is shown when the run is over, and once.
        if run.result == nil, display.isDue(nowNs: nowNs) { display.update(run.state, nowNs: nowNs) }
    }

    private mutating func tick(_ nowNs: UInt64) {
        let bootNs = clocks.bootNs()
        // Beside the clock that goes on in a suspended host: to wake up is no step.
        if let seconds = wallClock.step(unixMs: clocks.unixMs(), steadyNs: bootNs) { run.noteWallClockStep(seconds: seconds) }
        if isArmed { run.tick(monotonicNs: nowNs, bootNs: bootNs) }
    }
}
