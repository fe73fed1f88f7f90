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
        self.plannedDurationSeconds = plannedDurationSeconds.clamped(to: 0...3_600)
        self.observedDurationSeconds = observedDurationSeconds.clamped(to: 0...3_600)
        self.frameCount = min(max(0, frameCount), 1_000_000)
        self.averageFPS = averageFPS.clamped(to: 0...240)
        self.averageDepthCoverage = averageDepthCoverage.clamped(to: 0...1)
        self.averageMovementMetersPerSecond = averageMovementMetersPerSecond.clamped(to: 0...20)
        self.depthNoiseMillimeters = phase == .calibration ? depthNoiseMillimeters.map { $0.clamped(to: 0...10_000) } : nil
        self.steadyWallShare = phase == .wallScan ? steadyWallShare.map { $0.clamped(to: 0...1) } : nil
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
}
