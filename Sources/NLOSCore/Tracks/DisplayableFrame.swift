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

    // Nobody but the guard below, which is why it stands in this file.
    fileprivate init(_ envelope: TrackEnvelope, unixMs: UInt64, bootNs: UInt64) {
        sessionId = envelope.sessionId
        sequence = envelope.sequence
        capturedAtUnixMs = envelope.capturedAtUnixMs
        expiresAtUnixMs = envelope.expiresAtUnixMs
        algorithmVersion = envelope.algorithmVersion
        evidence = envelope.evidence
        sensor = envelope.sensor
        let shown = envelope.tracks.contains { $0.state == .unknown } ? envelope.tracks.filter { $0.state != .unknown } : envelope.tracks
        tracks = shown
        acceptedAtBootNs = bootNs
        expiresAtBootNs = later(bootNs, byMs: interval(from: unixMs, to: envelope.expiresAtUnixMs))
    }
}

/// The only way from a stream's bytes to something that may be shown.
///
/// One for each connection: a reconnect starts with a new authenticated message, and so with a new guard.
public struct StreamGuard: Sendable {
    private var order: TrackOrder

    public init(session: AuthenticatedSession) { order = TrackOrder(sessionId: session.sessionId) }

    /// Reads a message, with every check of the contract, and sees that it belongs here and is newer than the last accepted one.
    ///
    /// `unixMs` is the wall clock, `bootNs` the boot clock in nanoseconds. Read the boot clock first: then a suspend between the two
    /// shortens what is left of the frame and cannot stretch it. What is thrown is the first breach (`TrackEnvelope.decode`), then
    /// `sessionChanged`, then `replayedSequence`; a rejected message does not move the guard.
    public mutating func admit(_ bytes: UnsafeRawBufferPointer, unixMs: UInt64, bootNs: UInt64) throws(Rejection) -> DisplayableFrame {
        let envelope = try TrackEnvelope.decode(bytes, atUnixMs: unixMs)
        try order.accept(envelope)
        return DisplayableFrame(envelope, unixMs: unixMs, bootNs: bootNs)
    }

    /// The same for bytes that are already in an array.
    public mutating func admit(_ bytes: [UInt8], unixMs: UInt64, bootNs: UInt64) throws(Rejection) -> DisplayableFrame {
        try admit(bytes[...], unixMs: unixMs, bootNs: bootNs)
    }

    /// The same for a part of an array.
    public mutating func admit(_ bytes: ArraySlice<UInt8>, unixMs: UInt64, bootNs: UInt64) throws(Rejection) -> DisplayableFrame {
        let envelope = try TrackEnvelope.decode(bytes, atUnixMs: unixMs)
        try order.accept(envelope)
        return DisplayableFrame(envelope, unixMs: unixMs, bootNs: bootNs)
    }
}

/// A time on the boot clock, so many milliseconds on. It stops at the clock's end and never wraps to its beginning.
func later(_ bootNs: UInt64, byMs milliseconds: UInt64) -> UInt64 {
    let (nanoseconds, tooLong) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    let (time, tooLate) = bootNs.addingReportingOverflow(nanoseconds)
    return tooLong || tooLate ? .max : time
}
