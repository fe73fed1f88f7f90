/// What went wrong in a run, as facts. The sentences are in one place, `Finding+Sentences.swift`.
enum Finding: Equatable, Sendable {
    /// Frames came that no wall can be fitted to: too few zones, or another grid than the view's.
    case noFrames(seconds: Double, unusable: Int)
    /// `silentMs` is nil when no more frames can come. Repeats came in the meantime.
    case stalled(silentMs: Double?, limitMs: Double, repeats: Int, cause: StallCause)
    case disconnected
    case interrupted(partMs: Double)
    case noDepth(statusMissing: Bool)
    case lowCoverage(Double, Phase)
    /// Enough zones have distances, and too few of them can be the wall's.
    case implausible(coverage: Double, near: Int, stuck: Int)
    case lowFrameRate(Double, attainable: Double, Phase)
    case frozen(share: Double)
    case twoPeaks(zoneShare: Double)
    case outliers(share: Double)
    case noise(mm: Double, limitMm: Double)
    case wallOutOfRange(mm: Double?)
    case noSteadyWall(share: Double)
    case ambient(atSeconds: Double, factor: Double, withDistances: Bool)

    enum StallCause: Equatable, Sendable { case silence, inputEnded, deviceFailed }

    var failure: ValidationFailure {
        switch self {
        case .noFrames: .noFrames
        case .stalled: .stalled
        case .disconnected: .sensorDisconnected
        case .interrupted: .interrupted
        case .noDepth: .noDepth
        case .lowCoverage, .implausible: .lowCoverage
        case .lowFrameRate: .lowFrameRate
        case .frozen: .frozenFrames
        case .twoPeaks, .outliers, .noise: .unstableDepth
        case .wallOutOfRange: .wallOutOfRange
        case .noSteadyWall: .noSteadyWall
        case .ambient: .ambientLight
        }
    }
}
