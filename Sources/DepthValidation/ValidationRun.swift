public import NLOSCore

/// The 45-second run as a value: frames and ticks in, a state for the screen and one result out. It reads no clock.
///
/// Hand in the frames that have arrived first and then the tick, or a tick takes frames that wait for a stall. Ten ticks a second do.
public struct ValidationRun: Sendable {
    public let setup: ValidationSetup
    /// Nil until the run is over, and then always the same.
    public private(set) var result: ValidationResult?
    private var thermal: ThermalState = .unknown

    /// `openedNs` and `bootNs`: both clocks when the sensor was open and had been told all it is told; from then on frames are due.
    public init(setup: ValidationSetup, openedNs: UInt64, bootNs: UInt64) {
        self.setup = setup
    }

    /// Takes one frame. After the run's end it changes nothing.
    public mutating func take(_ frame: DepthFrame) {
    }

    /// How hot it is now.
    public mutating func take(thermal: ThermalState) { self.thermal = thermal }

    /// Lets time take effect: both clocks, nanoseconds.
    public mutating func tick(monotonicNs: UInt64, bootNs: UInt64) {
    }

    /// No more frames will come.
    public mutating func end(_ end: RunEnd) {
    }

    /// For the screen. Costs more than a frame does: ask as often as you draw.
    public var state: LiveState {
        LiveState(
            stage: .waiting, secondsLeft: setup.plan.calibrationSeconds, progress: 0, framesPerSecond: nil,
            attainableHz: setup.attainableHz, coverage: 0, wall: nil, stabilityMm: nil, stabilityLimitMm: nil, movementMps: nil,
            tracking: .unavailable, thermal: thermal, grid: nil, distancesMm: [], advice: Advice(text: "", isWarning: false),
            isShortened: setup.plan.isShortened)
    }
}
