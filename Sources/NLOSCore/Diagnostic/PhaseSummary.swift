/// What one phase of a depth validation came to, in aggregates only: safe to show and to export.
///
/// Every number is brought into the range that the diagnostic's contract allows, and what is no number counts as 0.
public struct PhaseSummary: Equatable, Sendable {
    public let phase: ValidationPhase
    public let plannedDurationSeconds: Double
    public let observedDurationSeconds: Double
    /// Frames that were new; repeats are not among them.
    public let frameCount: Int
    /// 0 ... 240.
    public let averageFPS: Double
    /// 0 ... 1.
    public let averageDepthCoverage: Double
    /// 0 ... 20.
    public let averageMovementMetersPerSecond: Double
    /// Calibration only: median over zones of the temporal noise.
    public let depthNoiseMillimeters: Double?
    /// Wall scan only: share of frames that were a wall, 0 ... 1.
    public let steadyWallShare: Double?
    public let finalTrackingState: TrackingState
    public let peakThermalState: ThermalState

    public init(
        phase: ValidationPhase, plannedDurationSeconds: Double, observedDurationSeconds: Double, frameCount: Int, averageFPS: Double,
        averageDepthCoverage: Double, averageMovementMetersPerSecond: Double, depthNoiseMillimeters: Double? = nil,
        steadyWallShare: Double? = nil, finalTrackingState: TrackingState, peakThermalState: ThermalState
    ) {
        self.phase = phase
        self.plannedDurationSeconds = Self.clamped(plannedDurationSeconds, to: 3_600)
        self.observedDurationSeconds = Self.clamped(observedDurationSeconds, to: 3_600)
        self.frameCount = min(max(0, frameCount), 1_000_000)
        self.averageFPS = Self.clamped(averageFPS, to: 240)
        self.averageDepthCoverage = Self.clamped(averageDepthCoverage, to: 1)
        self.averageMovementMetersPerSecond = Self.clamped(averageMovementMetersPerSecond, to: 20)
        self.depthNoiseMillimeters = phase == .calibration ? depthNoiseMillimeters.map { Self.clamped($0, to: 10_000) } : nil
        self.steadyWallShare = phase == .wallScan ? steadyWallShare.map { Self.clamped($0, to: 1) } : nil
        self.finalTrackingState = finalTrackingState
        self.peakThermalState = peakThermalState
    }

    /// Whether the phase had the whole length that a completed run needs, give or take what its end may be late by.
    public var isWhole: Bool {
        switch phase {
        case .calibration: plannedDurationSeconds == 15 && (14.5...16.5).contains(observedDurationSeconds)
        case .wallScan: plannedDurationSeconds == 30 && (29.5...32.0).contains(observedDurationSeconds)
        }
    }

    private static func clamped(_ value: Double, to most: Double) -> Double { value.isFinite ? min(max(0, value), most) : 0 }
}
