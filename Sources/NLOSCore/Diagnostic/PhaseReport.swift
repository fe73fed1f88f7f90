/// What one phase came to, in aggregates only.
///
/// Every number is brought into the range that the diagnostic's contract allows, and what is no number counts as 0.
public struct PhaseReport: Equatable, Sendable {
    /// The figure that only one phase has.
    public enum Measure: Equatable, Sendable {
        /// Calibration: median over zones of the temporal noise, millimetres.
        case depthNoiseMm(Double)
        /// Wall scan: share of frames that were a wall, 0 to 1.
        case steadyWallShare(Double)
    }

    public let phase: ValidationPhase
    /// Seconds.
    public let planned: Double
    /// Seconds.
    public let observed: Double
    public let frames: Int
    public let framesPerSecond: Double
    /// 0 to 1.
    public let coverage: Double
    /// Metres a second.
    public let movement: Double
    public let measure: Measure
    public let finalTracking: TrackingState
    public let peakThermal: ThermalState

    public init(
        measure: Measure, plannedSeconds: Double, observedSeconds: Double, frames: Int, framesPerSecond: Double, coverage: Double,
        movementMetersPerSecond: Double, finalTracking: TrackingState, peakThermal: ThermalState
    ) {
        switch measure {
        case .depthNoiseMm(let noise):
            phase = .calibration
            self.measure = .depthNoiseMm(Self.clamped(noise, to: 10_000, places: 100))
        case .steadyWallShare(let share):
            phase = .wallScan
            self.measure = .steadyWallShare(Self.clamped(share, to: 1, places: 10_000))
        }
        planned = Self.clamped(plannedSeconds, to: 3_600, places: 1_000)
        observed = Self.clamped(observedSeconds, to: 3_600, places: 1_000)
        self.frames = min(max(0, frames), 1_000_000)
        self.framesPerSecond = Self.clamped(framesPerSecond, to: 240, places: 1_000)
        self.coverage = Self.clamped(coverage, to: 1, places: 10_000)
        movement = Self.clamped(movementMetersPerSecond, to: 20, places: 10_000)
        self.finalTracking = finalTracking
        self.peakThermal = peakThermal
    }

    /// Whether the phase had its whole planned length, give or take what its end may be late by: the windows of the run's contract.
    public var isWhole: Bool {
        switch phase {
        case .calibration: planned == 15 && (14.5...16.5).contains(observed)
        case .wallScan: planned == 30 && (29.5...32.0).contains(observed)
        }
    }

    /// 0 to `most`, rounded to the digits that mean anything.
    private static func clamped(_ value: Double, to most: Double, places: Double) -> Double {
        value.isFinite ? (min(max(0, value), most) * places).rounded() / places : 0
    }
}
