import NLOSCore
import Testing

@testable import TrackMonitor

/// The contract's states, on clocks that the test owns.
struct TrackStreamTests {
    let time = ManualTime()
    let log = EventLog()

    private func makeStream() -> TrackStream {
        TrackStream(name: "lab.example:443", limits: MonitorLimits(), clocks: time.clocks) { [log] in log.note($0) }
    }

    /// A stream that has had its authenticated message.
    private func authenticatedStream(lifetimeMs: UInt64 = 3_600_000) throws -> TrackStream {
        var stream = makeStream()
        try stream.take(StreamMessages.authenticated(expires: time.unixMs + lifetimeMs))
        #expect(log.take() == ["authenticated lab-run-001"])
        return stream
    }

    private func frame(_ sequence: Int, lifetimeMs: UInt64 = 1_000) -> [UInt8] {
        StreamMessages.frame(sequence, captured: time.unixMs, lifetimeMs: lifetimeMs)
    }

    @Test("Each first message that is no authentication ends the connection")
    func firstMessage() {
        let rows: [([UInt8], Rejection)] = [
            (frame(1), .malformed), (Array("{}".utf8), .malformed), ([], .malformed),
            (StreamMessages.authenticated(expires: time.unixMs), .stale),
            (StreamMessages.authenticated(expires: time.unixMs + 3_601_001), .excessiveLifetime),
            (StreamMessages.authenticated(session: "no label", expires: time.unixMs + 1), .invalidField("sessionId")),
        ]
        for (message, rejection) in rows {
            var stream = makeStream()
            #expect(throws: SessionEnd.firstMessage(rejection)) { try stream.take(message) }
        }
        var stream = makeStream()
        #expect(throws: SessionEnd.firstMessage(.unsupportedBinary)) { try stream.binary() }
        #expect(log.take() == [])
    }

    @Test("The longest and the shortest session that is allowed", arguments: [1, 3_601_000] as [UInt64])
    func sessionBounds(lifetimeMs: UInt64) throws { _ = try authenticatedStream(lifetimeMs: lifetimeMs) }

    @Test("Without a first message the connection ends at its limit and not before") func silence() throws {
        var stream = makeStream()
        #expect(stream.nextDeadlineBootNs == time.bootNs + 5_000_000_000)
        time.pass(seconds: 4.999)
        try stream.tick()
        time.pass(seconds: 0.001)
        #expect(throws: SessionEnd.authenticationTimeout) { try stream.tick() }
    }

    @Test("A second authenticated message ends the connection, good or bad") func authenticatedTwice() throws {
        for expires in [time.unixMs + 1_000, time.unixMs - 1_000] {
            var stream = try authenticatedStream()
            try stream.take(frame(1))
            #expect(throws: SessionEnd.authenticatedTwice) { try stream.take(StreamMessages.authenticated(expires: expires)) }
            stream.finish(SessionEnd.authenticatedTwice.clearReason)
            #expect(log.take() == ["frame 1", "cleared error"])
        }
    }

    @Test("Rejected, cleared, and shown again by the next good message; the guard stands where it stood") func recovery() throws {
        var stream = try authenticatedStream()
        try stream.take(frame(7))
        try stream.take(frame(7))
        try stream.take(Array("{".utf8))
        try stream.binary()
        try stream.take(StreamMessages.frame(8, session: "other", captured: time.unixMs))
        try stream.take(frame(8))
        #expect(
            log.take() == [
                "frame 7", "rejected replayed_sequence", "cleared rejected", "rejected malformed", "rejected unsupported_binary",
                "rejected session_changed", "frame 8",
            ])
    }

    @Test("A frame goes at its own time, whatever the clocks have done meanwhile") func expiry() throws {
        var stream = try authenticatedStream()
        try stream.take(frame(1))
        #expect(stream.nextDeadlineBootNs == time.bootNs + 1_000_000_000)
        time.pass(seconds: 0.999)
        try stream.tick()
        #expect(log.take() == ["frame 1"])
        time.pass(seconds: 0.001)
        try stream.tick()
        try stream.tick()
        #expect(log.take() == ["cleared expired"])
        try stream.take(frame(2))
        // A monotonic clock that stands still stretches nothing.
        time.suspend(seconds: 3_000)
        try stream.tick()
        #expect(log.take().prefix(2) == ["frame 2", "cleared expired"])
    }

    @Test(
        "A step of the wall clock clears at once, forward and back, and the next message counts by the new time",
        arguments: [-7.0, -0.001, 0.001, 7])
    func clockStep(seconds: Double) throws {
        var stream = try authenticatedStream()
        try stream.take(frame(1))
        time.step(seconds: seconds)
        try stream.clockStep()
        #expect(log.take() == ["frame 1", "cleared clock_step", "notice"])
        try stream.take(frame(2))
        #expect(log.take() == ["frame 2"])
    }

    @Test("A session ends at its time, with what is on display") func sessionEnd() throws {
        var stream = try authenticatedStream(lifetimeMs: 2_000)
        time.pass(seconds: 1.5)
        try stream.take(frame(1, lifetimeMs: 5_000))
        time.pass(seconds: 0.5)
        #expect(throws: SessionEnd.sessionExpired) { try stream.tick() }
        #expect(log.take() == ["frame 1", "cleared session_expired"])
    }

    @Test("A clock that is set forward past the session's end ends it; one that is set back gives it no second more")
    func sessionAfterStep() throws {
        var stream = try authenticatedStream(lifetimeMs: 10_000)
        time.step(seconds: -3_600)
        try stream.clockStep()
        time.pass(seconds: 9.999)
        try stream.tick()
        time.pass(seconds: 0.001)
        #expect(throws: SessionEnd.sessionExpired) { try stream.tick() }

        #expect(log.take() == ["notice", "notice"])
        var other = try authenticatedStream(lifetimeMs: 10_000)
        try other.take(frame(1))
        time.step(seconds: 10)
        #expect(throws: SessionEnd.sessionExpired) { try other.clockStep() }
        #expect(log.take() == ["frame 1", "cleared clock_step", "notice"])
    }

    @Test("A capture time may lie a second ahead, an end not in the past") func skewBounds() throws {
        var stream = try authenticatedStream()
        try stream.take(StreamMessages.frame(1, captured: time.unixMs + 1_000))
        try stream.take(StreamMessages.frame(2, captured: time.unixMs + 1_001))
        try stream.take(StreamMessages.frame(3, captured: time.unixMs - 999))
        try stream.take(StreamMessages.frame(4, captured: time.unixMs - 1_000))
        #expect(log.take() == ["frame 1", "rejected future_dated", "cleared rejected", "frame 3", "rejected stale", "cleared rejected"])
    }

    @Test("Twenty frames that are all eight seconds ahead make one notice about the clocks") func skewNotice() throws {
        var stream = try authenticatedStream()
        for sequence in 1...20 {
            time.pass(seconds: 0.2)
            try stream.take(StreamMessages.frame(sequence, captured: time.unixMs + 8_000))
        }
        let said = log.take()
        #expect(said.filter { $0 == "notice" }.count == 1)
        #expect(said.filter { $0 == "rejected future_dated" }.count == 20)
    }

    @Test("Connected and no data is said, at longer and longer intervals, until a message comes") func quiet() throws {
        var stream = try authenticatedStream()
        var saidAt: [Int] = []
        for second in 1...40 {
            time.pass(seconds: 1)
            try stream.tick()
            if log.take() == ["notice"] { saidAt.append(second) }
        }
        #expect(saidAt == [5, 10, 20, 40])
        try stream.take(frame(1))
        #expect(stream.nextDeadlineBootNs == time.bootNs + 1_000_000_000)
        time.pass(seconds: 5)
        try stream.tick()
        #expect(log.take() == ["frame 1", "cleared expired", "notice"])
    }
}

extension TrackStream {
    /// A message that is in an array.
    fileprivate mutating func take(_ message: [UInt8]) throws {
        try message.withUnsafeBytes { try text($0) }
    }
}
