/// The first message of a stream: which session this is, and when it ends.
///
/// Source: the wire contract, B (`ruview.nlos.authenticated.v1`).
public struct AuthenticatedSession: Equatable, Sendable {
    public let sessionId: SafeLabel
    /// Milliseconds since 1970 UTC.
    public let expiresAtUnixMs: UInt64
}
