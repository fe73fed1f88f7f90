import NLOSCore

/// Frames a second and their coverage, and whether they still come.
struct FrameRate {
    /// A sensor that sends no frame for so long is stalled, nanoseconds. Firmwares are set to one frame a second and faster.
    static let patienceNs: UInt64 = 2_000_000_000

    private(set) var lastFrameNs: UInt64?
    private(set) var framesPerSecond: Double?
    private(set) var coverage: Double?
    private var begunNs: UInt64
    private var frames = 0
    private var covered = 0.0

    init(nowNs: UInt64) { begunNs = nowNs }

    mutating func frame(coverage: Double, nowNs: UInt64) {
        lastFrameNs = nowNs
        frames += 1
        covered += coverage
    }

    /// Ends a stretch of about a second: what came in it is what `framesPerSecond` and `coverage` say from here on.
    mutating func conclude(nowNs: UInt64) {
        let elapsed = interval(from: begunNs, to: nowNs)
        guard elapsed > 0 else { return }
        framesPerSecond = frames > 0 ? Double(frames) / (Double(elapsed) / 1e9) : nil
        coverage = frames > 0 ? covered / Double(frames) : nil
        (begunNs, frames, covered) = (nowNs, 0, 0)
    }

    /// When the sensor counts as stalled if no further frame comes, on the monotonic clock; nil before the first one.
    var stallsAtNs: UInt64? { lastFrameNs.map { $0 + Self.patienceNs } }
}
