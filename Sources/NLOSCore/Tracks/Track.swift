/// What the server thinks of a hypothesis. On the wire: `tracks[].state`.
public enum TrackState: String, CaseIterable, Sendable {
    case tracking, degraded
    /// Carried by the contract and never shown.
    case unknown
}

/// One hypothesis of the server about something hidden: where it may be, and how far that is to be trusted.
///
/// Source: the wire contract, A. Numbers are what the message says, in the frame that the server chose.
public struct Track: Equatable, Sendable {
    static let positionsM = -100.0...100.0
    static let velocitiesMps = -20.0...20.0
    static let variancesM2 = 0.0...10.0
    /// Of a confidence, a quality and a contribution.
    static let shares = 0.0...1.0

    public let trackId: SafeLabel
    public let state: TrackState
    /// Metres.
    public let positionM: SIMD3<Double>
    /// Metres per second.
    public let velocityMps: SIMD3<Double>
    /// Variance along each axis, square metres.
    public let covarianceDiagonalM2: SIMD3<Double>
    /// 0 to 1.
    public let confidence: Double
    /// 0 to 1.
    public let signalQuality: Double
    /// At least 0.
    public let posteriorEntropy: Double
    /// Share of the time-of-flight sensor and of the radio channel in the hypothesis, each 0 to 1, together 1.
    public let contributions: ModalityContributions
}

/// How much each kind of sensor had to do with a hypothesis. On the wire: `tracks[].modalityContributions`.
public struct ModalityContributions: Equatable, Sendable {
    public let lidar: Double
    public let csi: Double
}
