import NLOSCore
import Testing

@Suite struct TrackGuardTests {
    private static let now = TrackFields.nowUnixMs

    private func admit(_ guardian: inout StreamGuard, _ message: [UInt8], bootNs: UInt64 = 1) -> Rejection? {
        do throws(Rejection) {
            _ = try guardian.admit(message, unixMs: Self.now, bootNs: bootNs)
            return nil
        } catch {
            return error
        }
    }

    @Test func onlyTheSessionAndOnlyForward() throws {
        var guardian = StreamGuard(session: try authenticatedSession())
        let steps: [(message: [UInt8], verdict: Rejection?)] = [
            (trackMessage(sequence: 5, session: "other"), .sessionChanged),
            // A file may begin anywhere, and so may a stream.
            (trackMessage(sequence: 5), nil), (trackMessage(sequence: 5), .replayedSequence),
            (trackMessage(sequence: 4), .replayedSequence),
            (trackMessage(sequence: 0), .replayedSequence), (trackMessage(sequence: 6), nil), (trackMessage(sequence: 9), nil),
            // Both wrong: the session first. Not in time, or not in shape, before both.
            (trackMessage(sequence: 1, session: "other"), .sessionChanged), (trackMessage(sequence: 1, capturedAt: Self.now - 250), .stale),
            (trackMessage(sequence: 1, session: "other", capturedAt: Self.now + 1001), .futureDated),
            (trackMessage(sequence: 1, ["confidence": "2"]), .invalidField("tracks.confidence")), (Array("{}".utf8), .malformed),
            // What was rejected has not moved the guard.
            (trackMessage(sequence: 1000, session: "other"), .sessionChanged),
            (trackMessage(sequence: 1000, capturedAt: Self.now - 250), .stale),
            (trackMessage(sequence: 1000, ["confidence": "2"]), .invalidField("tracks.confidence")), (trackMessage(sequence: 10), nil),
            (trackMessage(sequence: 9_007_199_254_740_991), nil), (trackMessage(sequence: 9_007_199_254_740_991), .replayedSequence),
        ]
        for (index, step) in steps.enumerated() { #expect(admit(&guardian, step.message) == step.verdict, "step \(index)") }
    }

    @Test func sequenceZeroIsAFirstOne() throws {
        var guardian = StreamGuard(session: try authenticatedSession())
        #expect(admit(&guardian, trackMessage(sequence: 0)) == nil)
        #expect(admit(&guardian, trackMessage(sequence: 0)) == .replayedSequence)
    }

    @Test func unknownTracksAreLeftOut() throws {
        var guardian = StreamGuard(session: try authenticatedSession())
        let states = ["unknown", "tracking", "unknown", "degraded"]
        let tracks = states.enumerated().map { TrackFields(["trackId": "\"t\($0)\"", "state": "\"\($1)\""]).track }.joined(separator: ",")
        let frame = try guardian.admit(trackMessage(sequence: 1, ["tracks": "[\(tracks)]"]), unixMs: Self.now, bootNs: 1)
        #expect(frame.tracks.map(\.trackId.text) == ["t1", "t3"])
        let only = try guardian.admit(trackMessage(sequence: 2, ["state": #""unknown""#]), unixMs: Self.now, bootNs: 1)
        #expect(only.tracks.isEmpty)
        let none = try guardian.admit(trackMessage(sequence: 3, ["tracks": "[]"]), unixMs: Self.now, bootNs: 1)
        #expect(none.tracks.isEmpty)
    }

    @Test func theFrameIsTheMessage() throws {
        var guardian = StreamGuard(session: try authenticatedSession())
        let message = trackMessage(sequence: 3, capturedAt: Self.now - 40)
        let frame = try guardian.admit(message[...], unixMs: Self.now, bootNs: 77)
        let envelope = try TrackEnvelope.decode(message, atUnixMs: Self.now)
        #expect(frame.sessionId == envelope.sessionId)
        #expect(frame.sequence == 3)
        #expect(frame.capturedAtUnixMs == Self.now - 40)
        #expect(frame.expiresAtUnixMs == Self.now + 210)
        #expect(frame.algorithmVersion == envelope.algorithmVersion)
        #expect(frame.evidence == envelope.evidence)
        #expect(frame.sensor == envelope.sensor)
        #expect(frame.tracks == envelope.tracks)
        #expect(frame.acceptedAtBootNs == 77)
    }

    @Test(
        "what is left of the frame, on the boot clock",
        arguments: [
            (0, 5000, 1_000, 5_000_001_000), (0, 1, 0, 1_000_000), (1000, 5000, 7, 6_000_000_007), (-4999, 5000, 7, 1_000_007),
            (0, 5000, UInt64.max, .max), (0, 5000, .max - 5_000_000_000, .max), (0, 5000, .max - 5_000_000_001, .max - 1),
        ] as [(Int64, UInt64, UInt64, UInt64)])
    func expiry(offset: Int64, lifetime: UInt64, bootNs: UInt64, expires: UInt64) throws {
        var guardian = StreamGuard(session: try authenticatedSession())
        let captured = UInt64(Int64(Self.now) + offset)
        let message = trackMessage(sequence: 1, capturedAt: captured, lifetimeMs: lifetime)
        #expect(try guardian.admit(message, unixMs: Self.now, bootNs: bootNs).expiresAtBootNs == expires)
    }

    @Test("the order over a file, whose first message names the session") func orderOfAFile() throws {
        var order = TrackOrder()
        let steps: [(sequence: UInt64, session: String, verdict: Rejection?)] = [
            (4, "a", nil), (4, "a", .replayedSequence), (9, "b", .sessionChanged), (3, "b", .sessionChanged), (3, "a", .replayedSequence),
            (5, "a", nil),
        ]
        for step in steps {
            let envelope = try TrackEnvelope.decode(trackMessage(sequence: step.sequence, session: step.session), atUnixMs: Self.now)
            #expect(Result { () throws(Rejection) in try order.accept(envelope) }.failure == step.verdict)
        }
    }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}
