/// What one phase came to: aggregates only, clamped, safe to show and to export.
public struct PhaseSummary: Equatable, Sendable {
    public let phase: Phase
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
    /// Calibration only.
    public let depthNoiseMillimeters: Double?
    /// Wall scan only, 0 ... 1.
    public let steadyWallShare: Double?
    public let finalTrackingState: TrackingState
    public let peakThermalState: ThermalState

    /// Clamps: whatever is not finite counts as 0.
    public init(
        phase: Phase, plannedDurationSeconds: Double, observedDurationSeconds: Double, frameCount: Int, averageFPS: Double,
        averageDepthCoverage: Double, averageMovementMetersPerSecond: Double, depthNoiseMillimeters: Double? = nil,
        steadyWallShare: Double? = nil, finalTrackingState: TrackingState, peakThermalState: ThermalState
    ) {
        self.phase = phase
        self.plannedDurationSeconds = plannedDurationSeconds.clamped(to: 0...3_600)
        self.observedDurationSeconds = observedDurationSeconds.clamped(to: 0...3_600)
        self.frameCount = max(0, frameCount)
        self.averageFPS = averageFPS.clamped(to: 0...240)
        self.averageDepthCoverage = averageDepthCoverage.clamped(to: 0...1)
        self.averageMovementMetersPerSecond = averageMovementMetersPerSecond.clamped(to: 0...20)
        self.depthNoiseMillimeters = phase == .calibration ? depthNoiseMillimeters?.clamped(to: 0...10_000) : nil
        self.steadyWallShare = phase == .wallScan ? steadyWallShare?.clamped(to: 0...1) : nil
        self.finalTrackingState = finalTrackingState
        self.peakThermalState = peakThermalState
    }
}

extension Double {
    /// Within the range; 0 (or the bound next to it) for what is not finite.
    func clamped(to range: ClosedRange<Double>) -> Double {
        Swift.min(Swift.max(isFinite ? self : 0, range.lowerBound), range.upperBound)
    }
}
