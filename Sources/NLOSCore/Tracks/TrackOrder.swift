/// The guard over a run of track messages: one session, and each message newer than the last accepted one.
///
/// It judges and makes nothing: what may be shown comes from `StreamGuard`. A refused message does not move it.
public struct TrackOrder: Sendable {
    private var sessionId: SafeLabel?
    private var lastSequence: UInt64?

    /// For a file: the first message says which session it is.
    public init() {}

    /// For a stream, whose session is known.
    init(sessionId: SafeLabel) { self.sessionId = sessionId }

    /// Whether the message may follow the last one that did. Throws `sessionChanged` or `replayedSequence`.
    public mutating func accept(_ envelope: TrackEnvelope) throws(Rejection) {
        if let sessionId { guard envelope.sessionId == sessionId else { throw .sessionChanged } }
        if let lastSequence { guard envelope.sequence > lastSequence else { throw .replayedSequence } }
        sessionId = envelope.sessionId
        lastSequence = envelope.sequence
    }
}
