import NLOSCore

/// Any bytes as the first message of a stream: never a trap, and a session that is accepted ends within the hour.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAuthenticated(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // A copy of exactly this size: one byte read too far is seen.
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let now: UInt64 = 1_800_000_000_000
    _ = try? AuthenticatedSession.decode(bytes, atUnixMs: 0)
    _ = try? AuthenticatedSession.decode(bytes, atUnixMs: .max)
    guard let session = try? AuthenticatedSession.decode(bytes, atUnixMs: now) else { return 0 }
    guard session.expiresAtUnixMs > now, session.expiresAtUnixMs - now <= 3_601_000, SafeLabel(session.sessionId.text) != nil else {
        fatalError("a breach was accepted")
    }
    var display = TrackDisplay(session: session, unixMs: now, bootNs: 1)
    let end = 1 + (session.expiresAtUnixMs - now) * 1_000_000
    guard display.tick(bootNs: end - 1) == nil, display.tick(bootNs: end) == .session(cleared: false) else {
        fatalError("the session ends at another time")
    }
    return 0
}
