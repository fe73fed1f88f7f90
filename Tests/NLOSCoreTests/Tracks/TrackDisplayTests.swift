import NLOSCore
import Testing

/// What is on display, by clocks that the test owns.
@Suite struct TrackDisplayTests {
    /// A machine's three clocks, a guard and a display, as a monitor runs them.
    private final class Bench {
        var unixMs = TrackFields.nowUnixMs
        var bootNs: UInt64 = 50_000_000_000
        var monotonicNs: UInt64 = 50_000_000_000
        var guardian: StreamGuard
        var display: TrackDisplay
        private var sequence: UInt64 = 0

        init(sessionEndsInMs: UInt64 = 3_600_000) throws {
            let session = try authenticatedSession(endsInMs: sessionEndsInMs)
            guardian = StreamGuard(session: session)
            display = TrackDisplay(session: session, unixMs: unixMs, bootNs: bootNs)
        }

        func pass(ms: UInt64) {
            unixMs += ms
            bootNs += ms * 1_000_000
            monotonicNs += ms * 1_000_000
        }

        func suspend(ms: UInt64) {
            unixMs += ms
            bootNs += ms * 1_000_000
        }

        @discardableResult
        func receive(lifetimeMs: UInt64 = 250, serverAheadMs: Int64 = 0, _ changes: [String: String] = [:]) -> Rejection? {
            sequence += 1
            let captured = UInt64(Int64(unixMs) + serverAheadMs)
            let message = trackMessage(sequence: sequence, capturedAt: captured, lifetimeMs: lifetimeMs, changes)
            do throws(Rejection) {
                display.show(try guardian.admit(message, unixMs: unixMs, bootNs: bootNs))
                return nil
            } catch {
                display.clear()
                return error
            }
        }

        func tick() -> TrackDisplay.Expiry? { display.tick(bootNs: bootNs) }
        func clear() -> Bool { display.clear() }

        var shown: DisplayableFrame? { display.frame(atBootNs: bootNs) }
    }

    @Test func nothingIsShownBeforeTheFirstFrame() throws {
        let bench = try Bench()
        #expect(bench.shown == nil)
        #expect(!bench.clear())
        #expect(bench.tick() == nil)
        #expect(bench.display.nextDeadlineBootNs == bench.display.sessionEndsAtBootNs)
        #expect(bench.display.sessionEndsAtBootNs == 50_000_000_000 + 3_600_000_000_000)
    }

    @Test func aFrameEndsByItself() throws {
        let bench = try Bench()
        #expect(bench.receive() == nil)
        #expect(bench.shown?.sequence == 1)
        #expect(bench.display.nextDeadlineBootNs == bench.bootNs + 250_000_000)
        bench.pass(ms: 249)
        #expect(bench.tick() == nil)
        #expect(bench.shown != nil)
        bench.pass(ms: 1)
        // Even before anybody cleared it, it cannot be seen any more.
        #expect(bench.shown == nil)
        #expect(bench.tick() == .frame)
        #expect(bench.tick() == nil)
        #expect(!bench.clear())
    }

    @Test func aNewerFrameReplacesAndBringsItsOwnEnd() throws {
        let bench = try Bench()
        bench.receive(lifetimeMs: 100)
        bench.pass(ms: 50)
        bench.receive(lifetimeMs: 400)
        bench.pass(ms: 200)
        #expect(bench.tick() == nil)
        #expect(bench.shown?.sequence == 2)
        // And a shorter one shortens.
        bench.receive(lifetimeMs: 1)
        bench.pass(ms: 1)
        #expect(bench.tick() == .frame)
    }

    @Test func aRejectedFrameClearsAndTheNextOneShowsAgain() throws {
        let bench = try Bench()
        bench.receive()
        #expect(bench.receive(["confidence": "2"]) == .invalidField("tracks.confidence"))
        #expect(bench.shown == nil)
        #expect(bench.receive() == nil)
        #expect(bench.shown?.sequence == 3)
    }

    @Test("a frame without a visible track is on display: its watermark, and that there is none", arguments: ["[]", nil])
    func nothingVisibleIsSomethingOnDisplay(tracks: String?) throws {
        let bench = try Bench()
        bench.receive(tracks.map { ["tracks": $0] } ?? ["state": #""unknown""#])
        #expect(bench.shown?.tracks.isEmpty == true)
        #expect(bench.clear())
        bench.receive(tracks.map { ["tracks": $0] } ?? ["state": #""unknown""#])
        bench.pass(ms: 250)
        #expect(bench.tick() == .frame)
    }

    @Test("a wall clock that is set back stretches nothing") func stepBack() throws {
        let bench = try Bench()
        bench.receive()
        bench.unixMs -= 3_600_000
        bench.pass(ms: 250)
        #expect(bench.shown == nil)
        #expect(bench.tick() == .frame)
        // The server's clock is now an hour ahead: nothing is shown, and nothing traps.
        #expect(bench.receive(serverAheadMs: 3_600_000) == .futureDated)
    }

    @Test("a wall clock that is set ahead shortens nothing, and its owner clears at once") func stepForward() throws {
        let bench = try Bench()
        bench.receive()
        bench.unixMs += 3_600_000
        #expect(bench.shown != nil)
        #expect(bench.clear())
        #expect(bench.shown == nil)
        #expect(bench.receive(serverAheadMs: -3_600_000) == .stale)
        #expect(bench.receive() == nil)
        // The session's end is where it was measured to be.
        #expect(bench.display.sessionEndsAtBootNs == 50_000_000_000 + 3_600_000_000_000)
    }

    @Test("what was shown before a suspend is gone behind it, though the monotonic clock stood still") func suspendAndWake() throws {
        let bench = try Bench()
        bench.receive(lifetimeMs: 5000)
        let before = bench.monotonicNs
        bench.suspend(ms: 600_000)
        #expect(bench.monotonicNs == before)
        #expect(bench.shown == nil)
        #expect(bench.tick() == .frame)
        #expect(bench.receive() == nil)
        #expect(bench.shown != nil)
    }

    @Test func theSessionEndsForGood() throws {
        let bench = try Bench(sessionEndsInMs: 1_000)
        bench.receive(lifetimeMs: 5_000)
        #expect(bench.display.nextDeadlineBootNs == bench.bootNs + 1_000_000_000)
        bench.pass(ms: 999)
        #expect(bench.tick() == nil)
        #expect(bench.shown != nil)
        bench.pass(ms: 1)
        #expect(bench.shown == nil)
        #expect(bench.tick() == .session(cleared: true))
        #expect(bench.tick() == nil)
        #expect(bench.display.nextDeadlineBootNs == nil)
        // What is still in the pipe does not come back on display.
        #expect(bench.receive() == nil)
        #expect(bench.shown == nil)
        #expect(!bench.clear())
    }

    @Test func aSessionThatEndsWithNothingOnDisplay() throws {
        let bench = try Bench(sessionEndsInMs: 1_000)
        bench.suspend(ms: 7_200_000)
        #expect(bench.tick() == .session(cleared: false))
    }

    @Test func aFrameOfAnotherSessionIsNeverShown() throws {
        let bench = try Bench()
        bench.receive()
        var other = StreamGuard(session: try authenticatedSession("other"))
        let frame = try other.admit(trackMessage(sequence: 9, session: "other"), unixMs: bench.unixMs, bootNs: bench.bootNs)
        bench.display.show(frame)
        #expect(bench.shown == nil)
    }

    @Test func noClockTraps() throws {
        let session = try authenticatedSession()
        var late = TrackDisplay(session: session, unixMs: TrackFields.nowUnixMs, bootNs: .max)
        #expect(late.sessionEndsAtBootNs == .max)
        let expiries = [late.tick(bootNs: 0), late.tick(bootNs: .max)]
        #expect(expiries == [nil, .session(cleared: false)])
        // Accepted by a wall clock that has since passed the end.
        var over = TrackDisplay(session: session, unixMs: .max, bootNs: 7)
        let expiry = over.tick(bootNs: 7)
        #expect(expiry == .session(cleared: false))
        #expect(TrackDisplay(session: session, unixMs: 0, bootNs: 7).sessionEndsAtBootNs == 7 + 1_800_003_600_000 * 1_000_000)
    }
}
