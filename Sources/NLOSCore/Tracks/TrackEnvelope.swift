/// A track message that keeps every rule of its contract at the time it was read.
///
/// It may not be shown: whether it belongs to this session and is newer than the last one, only `StreamGuard` knows, and what that
/// makes of it is a `DisplayableFrame`. On the wire: `ruview.nlos.track.v1`.
public struct TrackEnvelope: Equatable, Sendable {
    public static let schema = "ruview.nlos.track.v1"
    /// The longest message, in bytes.
    public static let longestMessage = 262_144
    public static let mostTracks = 16
    /// From capture to expiry, milliseconds.
    public static let longestLifetimeMs: UInt64 = 5_000
    /// How far the capture may lie ahead of this side's clock, milliseconds.
    public static let furthestAheadMs: UInt64 = 1_000

    public let sessionId: SafeLabel
    public let sequence: UInt64
    /// Milliseconds since 1970 UTC, by the server's clock.
    public let capturedAtUnixMs: UInt64
    /// Milliseconds since 1970 UTC, by the server's clock.
    public let expiresAtUnixMs: UInt64
    public let algorithmVersion: SafeLabel
    public let evidence: Evidence
    public let sensor: SensorIdentity
    /// Every hypothesis of the message, those whose state is `unknown` too.
    public let tracks: [Track]

    /// Checks the values of a message whose shape is right, in the contract's order; the first breach is thrown.
    init(_ message: TrackMessage, atUnixMs now: UInt64) throws(Rejection) {
        guard message.schema == Self.schema else { throw .invalidField("schema") }
        guard let sessionId = message.sessionId.label else { throw .invalidField("sessionId") }
        guard let sequence = message.sequence, TransientFrame.interoperable.contains(sequence) else { throw .invalidField("sequence") }
        guard let captured = message.capturedAtUnixMs, TransientFrame.interoperable.contains(captured),
            let expires = message.expiresAtUnixMs, TransientFrame.interoperable.contains(expires)
        else { throw .invalidField("timestamp") }
        guard let algorithmVersion = message.algorithmVersion.label else { throw .invalidField("algorithmVersion") }
        guard let hash = message.calibrationHash.calibrationHash else { throw .invalidField("calibrationHash") }

        guard message.level != .corroborated else { throw .invalidField("evidenceLevel") }
        // What is made up has all its rules here. Of a measurement only the calibration is asked for now, the rest of its row
        // in table D behind the labels.
        if message.source == .synthetic {
            _ = try message.evidence(hash)
        } else if message.level == .calibrated, hash.isZero {
            throw .invalidField("calibrationHash")
        }

        guard expires > captured else { throw .invalidField("expiresAtUnixMs") }
        guard interval(from: captured, to: expires) <= Self.longestLifetimeMs else { throw .excessiveLifetime }
        guard expires > now else { throw .stale }
        guard interval(from: now, to: captured) <= Self.furthestAheadMs else { throw .futureDated }

        sensor = try message.provenance.sensor()
        evidence = try message.evidence(hash)
        tracks = try message.tracks.checked()
        self.sessionId = sessionId
        self.sequence = sequence
        self.capturedAtUnixMs = captured
        self.expiresAtUnixMs = expires
        self.algorithmVersion = algorithmVersion
    }
}
