public import NLOSCore

/// A run as a screen shows it. Made when asked for; holds nothing that a frame would have to copy.
public struct LiveState: Equatable, Sendable {
    /// How far the run has come.
    public enum Stage: Equatable, Sendable {
        /// No valid frame yet: the clock has not started.
        case waiting
        case phase(Phase)
        /// There is a result.
        case over
    }
    public let stage: Stage
    /// Of the phase that runs, or of the first one before it runs; 0 when its time is up.
    public let secondsLeft: Double
    /// How much of the phase has passed, 0 ... 1.
    public let progress: Double
    /// Over the last second; nil until two frames came.
    public let framesPerSecond: Double?
    /// What `framesPerSecond` is measured against: the rate that the sensor can really deliver with its setting.
    public let attainableHz: Double
    /// Zones with a distance in the last frame, as a share of all, 0 ... 1; 0 before it.
    public let coverage: Double
    /// The plane that fits the last frame; nil when it shows none.
    public let wall: WallFit?
    /// The phase's noise so far, mm; nil until it can be told.
    public let stabilityMm: Double?
    /// Most noise that a wall at this distance may have, mm; nil without a wall.
    public let stabilityLimitMm: Double?
    /// Toward or away from the wall, over the last half second, m/s and never below 0; nil until it can be told.
    public let movementMps: Double?
    /// By the last frame; `unavailable` once that is older than the longest time between two frames.
    public let tracking: TrackingState
    /// The host's, as it was last told.
    public let thermal: ThermalState
    /// Columns and rows of the frames; nil before the first.
    public let grid: ZoneGrid?
    /// The last frame for the map of the zones: row-major, mm; nil for a zone without a distance.
    public let distancesMm: [UInt16?]
    /// What to do now, or what to change.
    public let advice: Advice
    /// The plan is a demonstration's, which is never completed.
    public let isShortened: Bool
}
