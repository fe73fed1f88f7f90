/// The first message of a stream: which session this is, and when it ends.
///
/// Only `decode` makes one. Source: the wire contract, B (`ruview.nlos.authenticated.v1`).
public struct AuthenticatedSession: Equatable, Sendable {
    public static let schema = "ruview.nlos.authenticated.v1"
    /// From now to its end, milliseconds: an hour, and what two clocks may differ.
    public static let longestLifetimeMs: UInt64 = 3_600_000 + 1_000

    public let sessionId: SafeLabel
    /// Milliseconds since 1970 UTC.
    public let expiresAtUnixMs: UInt64

    /// Reads the message with every check of the wire contract, B; `now` is the wall clock, milliseconds since 1970 UTC.
    ///
    /// The first breach is thrown: size; JSON and shape (`malformed`); `schema`, `sessionId` and `timestamp` as `invalidField`;
    /// the end is now or past (`stale`); the end is too far ahead (`excessiveLifetime`).
    public static func decode(_ bytes: UnsafeRawBufferPointer, atUnixMs now: UInt64) throws(Rejection) -> AuthenticatedSession {
        let message = try JSONReader.read(bytes, atMost: TrackEnvelope.longestMessage) { json throws(MalformedJSON) in
            try AuthenticatedMessage(&json)
        }
        return try AuthenticatedSession(message, atUnixMs: now)
    }

    /// The same for bytes that are already in an array.
    public static func decode(_ bytes: [UInt8], atUnixMs now: UInt64) throws(Rejection) -> AuthenticatedSession {
        try decode(bytes[...], atUnixMs: now)
    }

    /// The same for a part of an array.
    public static func decode(_ bytes: ArraySlice<UInt8>, atUnixMs now: UInt64) throws(Rejection) -> AuthenticatedSession {
        try bytes.withUnsafeBufferPointer { bytes throws(Rejection) in try decode(UnsafeRawBufferPointer(bytes), atUnixMs: now) }
    }

    private init(_ message: AuthenticatedMessage, atUnixMs now: UInt64) throws(Rejection) {
        guard message.schema == Self.schema else { throw .invalidField("schema") }
        guard let sessionId = message.sessionId.label else { throw .invalidField("sessionId") }
        guard let expires = message.expiresAtUnixMs, TransientFrame.interoperable.contains(expires) else {
            throw .invalidField("timestamp")
        }
        guard expires > now else { throw .stale }
        guard interval(from: now, to: expires) <= Self.longestLifetimeMs else { throw .excessiveLifetime }
        self.sessionId = sessionId
        expiresAtUnixMs = expires
    }
}

/// A message that has the shape of an authenticated message, before any of its values is judged. Valid as long as its bytes are.
private struct AuthenticatedMessage {
    private enum Key: String, JSONKey {
        case schema, sessionId, expiresAtUnixMs
        static let table = JSONKeyTable<Self>()
    }

    private(set) var schema = JSONText.empty
    private(set) var sessionId = JSONText.empty
    private(set) var expiresAtUnixMs: UInt64?

    init(_ json: inout JSONReader) throws(MalformedJSON) {
        var members = try json.object(Key.self)
        while let key = try members.next(&json) {
            switch key {
            case .schema: schema = try json.text()
            case .sessionId: sessionId = try json.text()
            case .expiresAtUnixMs: expiresAtUnixMs = try json.unsigned()
            }
        }
    }
}
