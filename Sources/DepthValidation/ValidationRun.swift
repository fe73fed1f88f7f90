public import NLOSCore

/// The 45-second run as a value: frames and ticks in, a state for the screen and one result out. It reads no clock.
///
/// Hand in the frames that have arrived first and the tick after them: a tick would take frames that nobody has read yet for a stall.
/// Ten ticks a second do.
public struct ValidationRun: Sendable {
    public let setup: ValidationSetup
    /// Nil until the run is over, and then always the same.
    public internal(set) var result: ValidationResult?

    let openedNs: UInt64
    private let openedBootNs: UInt64
    /// The latest time that anybody has told, monotonic.
    private(set) var nowNs: UInt64
    var instruments: Instruments?
    /// Nil before the first valid frame.
    var phase: Phase?
    /// When the phase began, and when the run did.
    var phaseBeganNs: UInt64 = 0
    var runBeganNs: UInt64 = 0
    private(set) var lastFrameNs: UInt64 = 0
    private(set) var lastSight: Sight?
    private(set) var lastDistancesMm: [UInt16?] = []
    private(set) var thermal: ThermalState = .unknown
    private(set) var losses = Losses()
    var closed: [ClosedPhase] = []

    /// `openedNs` and `bootNs`: both clocks when the sensor was open and had been told all it is told; from then on frames are due.
    public init(setup: ValidationSetup, openedNs: UInt64, bootNs: UInt64) {
        self.setup = setup
        self.openedNs = openedNs
        openedBootNs = bootNs
        nowNs = openedNs
        closed.reserveCapacity(Phase.allCases.count)
    }

    /// Takes one frame. After the run's end it changes nothing.
    ///
    /// A frame whose stamp lies before the last one's counts as one at the same time; one of a grid that no wall can be fitted to, or of
    /// another grid than the first one's, is counted and not used.
    public mutating func take(_ frame: DepthFrame) {
        guard result == nil else { return }
        guard instruments.map({ $0.grid == frame.grid }) ?? true else {
            losses.otherGrid += 1
            return
        }
        let before = phase == nil ? openedNs : lastFrameNs
        let frameNs = max(frame.monotonicNs, before)
        if frame.monotonicNs < before { losses.backwards += 1 }
        nowNs = max(nowNs, frameNs)
        guard phase != nil else { return begin(with: frame, at: frameNs) }
        guard letPass(frameNs) else { return }
        measure(frame, at: frameNs)
    }

    /// The sensor has sent its last frame once more, and said so by the frame's own number: nothing came that could be measured.
    public mutating func noteRepeat() {
        guard result == nil else { return }
        losses.repeats += 1
        guard phase != nil else { return }
        losses.repeatsSinceFrame += 1
        instruments?.takeRepeat()
    }

    /// How hot it is now.
    public mutating func take(thermal: ThermalState) {
        self.thermal = thermal
        instruments?.see(thermal)
    }

    /// Lets time take effect: both clocks, nanoseconds.
    public mutating func tick(monotonicNs: UInt64, bootNs: UInt64) {
        compare(monotonicNs: monotonicNs, bootNs: bootNs)
        guard result == nil else { return }
        if phase == nil {
            if isOverdue(nowNs) { fail(overdue) }
        } else {
            _ = letPass(nowNs)
        }
    }

    /// Ends the run if the host was suspended since it began, and judges nothing else by the time: both clocks, nanoseconds.
    ///
    /// For the moment before `end`, whose cause may have been the suspension.
    public mutating func compare(monotonicNs: UInt64, bootNs: UInt64) {
        guard result == nil else { return }
        nowNs = max(nowNs, monotonicNs)
        let monotonic = interval(from: openedNs, to: monotonicNs)
        let boot = interval(from: openedBootNs, to: bootNs)
        let parted = max(interval(from: monotonic, to: boot), interval(from: boot, to: monotonic))
        if parted > Thresholds.clocksPartNs { fail(.interrupted(partMs: Double(parted) / 1e6)) }
    }

    /// Notes that the wall clock was set by so many seconds, below 0 for back. No figure of a run depends on that clock.
    public mutating func noteWallClockStep(seconds: Double) {
        guard result == nil else { return }
        losses.clockSteps += 1
        losses.lastClockStepSeconds = seconds
    }

    /// No more frames will come.
    public mutating func end(_ end: RunEnd) {
        guard result == nil else { return }
        switch end {
        case .cancelled: conclude(nil)
        case .unplugged: fail(.disconnected)
        case .inputEnded: fail(phase == nil ? overdue : stall(silentNs: nil, .inputEnded))
        case .deviceFailed: fail(phase == nil ? overdue : stall(silentNs: nil, .deviceFailed))
        }
    }

    // MARK: Before the first frame

    private func isOverdue(_ atNs: UInt64) -> Bool { interval(from: openedNs, to: atNs) > Thresholds.firstFrameNs }

    private var overdue: Finding {
        .noFrames(seconds: Double(interval(from: openedNs, to: nowNs)) / 1e9, unusable: losses.otherGrid)
    }

    private mutating func begin(with frame: DepthFrame, at frameNs: UInt64) {
        guard !isOverdue(frameNs) else { return fail(overdue) }
        guard !frame.repeatsPrevious else { return noteRepeat() }
        guard let made = Instruments(setup.view, grid: frame.grid) else {
            losses.otherGrid += 1
            return
        }
        instruments = made
        phase = .calibration
        (runBeganNs, phaseBeganNs, lastFrameNs) = (frameNs, frameNs, frameNs)
        instruments?.see(thermal)
        measure(frame, at: frameNs)
    }

    // MARK: Within a phase

    /// Whether the run goes on at this time: no stall, and no phase that was the last and is over.
    private mutating func letPass(_ atNs: UInt64) -> Bool {
        let silentNs = interval(from: lastFrameNs, to: atNs)
        guard silentNs <= setup.stallNs else {
            instruments?.see(.unavailable)
            fail(stall(silentNs: silentNs, .silence))
            return false
        }
        if let phase, interval(from: phaseBeganNs, to: atNs) >= setup.plan.nanoseconds(of: phase) { close(phase, at: atNs) }
        return result == nil
    }

    private mutating func measure(_ frame: DepthFrame, at frameNs: UInt64) {
        guard !frame.repeatsPrevious else { return noteRepeat() }
        losses.take(frame)
        lastSight = instruments?.take(frame, at: frameNs, gapNs: interval(from: lastFrameNs, to: frameNs))
        lastDistancesMm = frame.distancesMm
        lastFrameNs = frameNs
        if let change = instruments?.ambient.change {
            let seconds = Double(interval(from: runBeganNs, to: change.beganNs)) / 1e9
            fail(.ambient(atSeconds: seconds, factor: change.factor, withDistances: change.withDistances))
        }
    }

    /// Frames that stand still are worse than none: where they are what is left, they are named instead of the silence.
    private func stall(silentNs: UInt64?, _ cause: Finding.StallCause) -> Finding {
        if losses.repeatsSinceFrame > 0, losses.frozenShare > Thresholds.frozenShare { return .frozen(share: losses.frozenShare) }
        return .stalled(
            silentMs: silentNs.map { Double($0) / 1e6 }, limitMs: Double(setup.stallNs) / 1e6, repeats: losses.repeatsSinceFrame,
            cause: cause)
    }
}

/// What was not a frame, what the frames say about themselves, and what befell the clock, over the whole run.
struct Losses: Sendable {
    var frames = 0
    var repeats = 0
    var repeatsSinceFrame = 0
    /// Frames of a grid that cannot be used.
    var otherGrid = 0
    /// Frames with a stamp before the last one's.
    var backwards = 0
    /// Times that the wall clock was set.
    var clockSteps = 0
    var lastClockStepSeconds = 0.0
    private var unvouched = 0
    private var notFilledIn = 0

    mutating func take(_ frame: DepthFrame) {
        frames += 1
        repeatsSinceFrame = 0
        switch frame.validity {
        case .reported: break
        case .unknown: unvouched += 1
        case .notFilledIn: notFilledIn += 1
        }
    }

    var frozenShare: Double { frames + repeats > 0 ? Double(repeats) / Double(frames + repeats) : 0 }
    /// Every frame said which zones saw something.
    var vouched: Bool { unvouched == 0 && notFilledIn == 0 }
    var statusNeverFilledIn: Bool { frames > 0 && notFilledIn == frames }
}
