import NLOSCore
import Testing

@Suite struct TrackClockSkewTests {
    private static let now = TrackFields.nowUnixMs

    /// Feeds messages by the monitor's own way; returns the sentences.
    private func sentences(_ messages: [(message: [UInt8], unixMs: UInt64)]) throws -> [String] {
        var watch = ClockSkewWatch()
        var guardian = StreamGuard(session: try authenticatedSession())
        return messages.compactMap { message, unixMs in
            do throws(Rejection) {
                _ = try guardian.admit(message, unixMs: unixMs, bootNs: 1)
                watch.accepted()
                return nil
            } catch {
                return message.withUnsafeBytes { watch.rejected(error, $0, unixMs: unixMs)?.text }
            }
        }
    }

    /// A server whose clock differs by so much, with a message every `paceMs`; each arrives 20 ms, and what `late` adds, after its
    /// capture.
    private func stream(
        _ count: Int, aheadMs: Int64, first: UInt64 = 1, paceMs: UInt64 = 500, late: (Int) -> UInt64 = { _ in 0 },
        _ changes: [String: String] = [:]
    )
        -> [(message: [UInt8], unixMs: UInt64)]
    {
        (0..<count).map { index in
            let truth = Self.now + (first + UInt64(index)) * paceMs
            let captured = UInt64(max(0, Int64(truth) + aheadMs))
            return (
                trackMessage(sequence: first + UInt64(index), capturedAt: captured, changes), truth + 20 + late(index)
            )
        }
    }

    @Test("20 frames all 8 s ahead give one message") func ahead() throws {
        #expect(
            try sentences(stream(20, aheadMs: 8_000)) == [
                "the server's clock is about 8 s ahead of this machine's, so nothing it sends may be shown"
            ])
    }

    @Test(
        arguments: [
            (-8_000, "8 s behind"), (-300, "0.3 s behind"), (1_100, "1.0 s ahead of"), (2_520, "2.5 s ahead of"), (90_000, "90 s ahead of"),
            (-600_000, "10 min behind"), (-3 * 3_600_000, "3 h behind"), (-1_800_000_000_000, "20833 days behind"),
        ] as [(Int64, String)])
    func howFar(offset: Int64, words: String) throws {
        let sentences = try sentences(stream(20, aheadMs: offset))
        #expect(sentences.count == 1)
        #expect(sentences.first?.contains("about \(words) this machine's") == true, "\(sentences)")
    }

    @Test func fourAreNotEnough() throws {
        #expect(try sentences(stream(4, aheadMs: 8_000)).isEmpty)
        #expect(try sentences(stream(5, aheadMs: 8_000)).count == 1)
    }

    @Test("What waited while this machine was stopped, and is read all at once, is no clock") func queued() throws {
        // The last of 40 messages is read 8.5 s after the first was captured, and all the others with it.
        let queued = stream(40, aheadMs: 0, paceMs: 33, late: { 8_480 - UInt64($0) * 33 })
        #expect(try sentences(Array(queued.prefix(20))).isEmpty)
        #expect(try sentences(queued).isEmpty)
    }

    @Test("The offset has to hold for two seconds, however many messages come") func lasting() throws {
        #expect(try sentences(stream(60, aheadMs: 8_000, paceMs: 33)).isEmpty)
        #expect(try sentences(stream(62, aheadMs: 8_000, paceMs: 33)).count == 1)
    }

    @Test func anAcceptedMessageBreaksTheRow() throws {
        let mixed = stream(4, aheadMs: 8_000) + stream(1, aheadMs: 0, first: 5) + stream(4, aheadMs: 8_000, first: 6)
        #expect(try sentences(mixed).isEmpty)
        let again = stream(5, aheadMs: 8_000) + stream(1, aheadMs: 0, first: 6) + stream(5, aheadMs: 8_000, first: 7)
        #expect(try sentences(again).count == 2)
    }

    @Test("a message that more than the clock speaks against breaks the row") func otherFaults() throws {
        let mixed =
            stream(4, aheadMs: 8_000) + stream(1, aheadMs: 8_000, first: 5, ["confidence": "2"]) + stream(4, aheadMs: 8_000, first: 6)
        #expect(try sentences(mixed).isEmpty)
        #expect(try sentences(stream(20, aheadMs: 8_000, ["confidence": "2"])).isEmpty)
        #expect(try sentences(stream(20, aheadMs: 0, ["confidence": "2"])).isEmpty)
    }

    @Test func offsetsThatWanderAreNoClock() throws {
        #expect(try sentences(stream(20, aheadMs: -8_000, late: { UInt64($0 * 1_500) })).isEmpty)
        #expect(try sentences(stream(20, aheadMs: -8_000, late: { UInt64($0 * 40) })).count == 1)
    }

    @Test func anotherOffsetIsToldAgain() throws {
        let both = stream(10, aheadMs: 8_000) + stream(10, aheadMs: 60_000, first: 11)
        #expect(try sentences(both).count == 2)
    }

    @Test func oneOldFrameSentAgainAndAgainIsNoClock() throws {
        let old = trackMessage(sequence: 1, capturedAt: Self.now - 8_000)
        #expect(try sentences((0..<20).map { (old, Self.now + UInt64($0) * 10) }).isEmpty)
    }

    @Test func noClockTraps() throws {
        let message = trackMessage(sequence: 1)
        for unixMs in [0, 1, UInt64.max, .max - 1, 9_007_199_254_740_991] as [UInt64] {
            _ = try sentences(
                (0..<10).map { index in (trackMessage(sequence: UInt64(index), capturedAt: UInt64(index)), unixMs) } + [(message, unixMs)])
        }
    }
}
