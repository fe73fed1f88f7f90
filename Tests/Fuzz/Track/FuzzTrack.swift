import NLOSCore

private let now: UInt64 = 1_800_000_000_000

private let session: AuthenticatedSession? = try? AuthenticatedSession.decode(
    Array(#"{"schema":"ruview.nlos.authenticated.v1","sessionId":"lab-run-001","expiresAtUnixMs":1800003600000}"#.utf8), atUnixMs: now)

/// Any bytes as a track message: never a trap, and what is accepted or shown keeps the bounds that a reader relies on.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTrack(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // A copy of exactly this size: one byte read too far is seen.
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let session else { fatalError("the session is refused") }
    var guardian = StreamGuard(session: session)
    var watch = ClockSkewWatch()
    var display = TrackDisplay(session: session, unixMs: now, bootNs: 1)
    do throws(Rejection) {
        let frame = try guardian.admit(bytes, unixMs: now, bootNs: 1)
        check(frame)
        display.show(frame)
        guard display.frame(atBootNs: 1) == frame, display.tick(bootNs: frame.expiresAtBootNs) == .frame else {
            fatalError("shown at the wrong time")
        }
        guard (try? guardian.admit(bytes, unixMs: now, bootNs: 1)) == nil else { fatalError("accepted twice") }
    } catch {
        for _ in 0..<ClockSkewWatch.messagesNeeded {
            guard bytes.withUnsafeBytes({ watch.rejected(error, $0, unixMs: now) }) == nil else {
                fatalError("one message makes no offset")
            }
        }
    }
    // By clocks at their ends as well.
    _ = try? TrackEnvelope.decode(bytes, atUnixMs: 0)
    _ = try? TrackEnvelope.decode(bytes, atUnixMs: .max)
    return 0
}

private func check(_ frame: DisplayableFrame) {
    guard frame.sessionId.text == "lab-run-001", frame.expiresAtUnixMs > now, frame.capturedAtUnixMs <= now + 1_000,
        frame.expiresAtUnixMs - frame.capturedAtUnixMs <= 5_000, frame.tracks.count <= 16
    else { fatalError("a breach was accepted") }
    for track in frame.tracks {
        let numbers = [track.positionM, track.velocityMps, track.covarianceDiagonalM2].flatMap { [$0.x, $0.y, $0.z] }
        let shares = [track.confidence, track.signalQuality, track.contributions.lidar, track.contributions.csi]
        guard track.state != .unknown, zip(numbers, [100, 100, 100, 20, 20, 20, 10, 10, 10]).allSatisfy({ $0.magnitude <= $1 }),
            numbers[6...].allSatisfy({ $0 >= 0 }), shares.allSatisfy((0...1).contains), track.posteriorEntropy.isFinite,
            abs(track.contributions.lidar + track.contributions.csi - 1) < 0.001_000_1
        else { fatalError("a breach was accepted") }
    }
}
