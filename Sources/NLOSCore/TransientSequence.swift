/// The guard over a run of transient frames: one session, no frame twice, none missing, and a clock that only goes forward.
///
/// The first frame may have any sequence, for a file may start in the middle of a session. A refused frame does not move the guard.
public struct TransientSequence: Sendable {
    private var last: Place?

    private struct Place {
        let sessionId: SafeLabel
        let sequence: UInt64
        let monotonicNs: UInt64
    }

    public init() {}

    /// Whether the frame may follow the last one that did. Throws `sessionChanged`, `replayedSequence`, or `invalidField` for
    /// `sequence` (a gap) or `monotonicNs` (not later).
    public mutating func accept(_ frame: TransientFrame) throws(Rejection) {
        if let last {
            guard frame.sessionId == last.sessionId else { throw .sessionChanged }
            guard frame.sequence > last.sequence else { throw .replayedSequence }
            guard frame.sequence == last.sequence + 1 else { throw .invalidField("sequence") }
            guard frame.monotonicNs > last.monotonicNs else { throw .invalidField("monotonicNs") }
        }
        last = Place(sessionId: frame.sessionId, sequence: frame.sequence, monotonicNs: frame.monotonicNs)
    }
}
