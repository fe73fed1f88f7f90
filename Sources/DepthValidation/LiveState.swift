public import NLOSCore

/// A run as a screen shows it. Made when asked for; holds nothing that a frame would have to copy.
public struct LiveState: Equatable, Sendable {
    public enum Stage: Equatable, Sendable {
        /// No valid frame yet: the clock has not started.
        case waiting
        case phase(Phase)
        case over
    }
    public let stage: Stage
    /// Of the phase that runs.
    public let secondsLeft: Double
    /// How much of the phase has passed, 0 ... 1.
    public let progress: Double
    /// Over the last second; nil until two frames came.
    public let framesPerSecond: Double?
    public let attainableHz: Double
    /// Of the last frame, 0 ... 1.
    public let coverage: Double
    /// Of the last frame; nil when it shows no plane.
    public let wall: WallFit?
    /// The phase's noise so far, mm; nil until it can be told.
    public let stabilityMm: Double?
    /// Most noise that this wall may have, mm.
    public let stabilityLimitMm: Double?
    public let movementMps: Double?
    public let tracking: TrackingState
    public let thermal: ThermalState
    /// The last frame, for the map of the zones.
    public let grid: ZoneGrid?
    /// Row-major, mm.
    public let distancesMm: [UInt16?]
    /// What to do now, or what to change.
    public let advice: Advice
    public let isShortened: Bool
}
