/// A track message that may be shown now: every rule of the contract holds and it belongs to this session.
///
/// Only `StreamGuard` makes one. What `tracks` leaves out are hypotheses whose state is `unknown`.
public struct DisplayableFrame: Equatable, Sendable {
    public let sessionId: SafeLabel
    public let sequence: UInt64
    /// Milliseconds since 1970 UTC, by the server's clock.
    public let capturedAtUnixMs: UInt64
    /// Milliseconds since 1970 UTC, by the server's clock.
    public let expiresAtUnixMs: UInt64
    public let algorithmVersion: SafeLabel
    public let evidence: Evidence
    public let sensor: SensorIdentity
    public let tracks: [Track]
    /// When it was accepted, nanoseconds on the boot clock.
    public let acceptedAtBootNs: UInt64
    /// From here on it must not be shown, nanoseconds on the boot clock: neither a clock that is set nor a suspend stretches it.
    public let expiresAtBootNs: UInt64
}
