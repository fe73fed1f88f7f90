import Glibc
import NLOSCore
import Testing
import TrackServerKit

@testable import TrackMonitor

/// A whole session against a real server, on clocks and alarms that the test moves.
@Suite(.enabled(if: TrackServer.isInstalled, "\(TrackServer.absence)"))
struct SessionClockTests {
    let time = ManualTime(onTopOfWallClock: Clocks.kernel.unixMs)

    private func makeSession(_ served: ServedScenario, close: Double = 0.1) throws -> MonitorSession {
        let trust = ServerTrust(authoritiesFile: try TrackServer.shared.get().authority)
        var configuration = MonitorConfiguration(
            endpoint: try MonitorEndpoint("wss://localhost:\(served.port)/api/v1/nlos/ws"), trust: trust, clocks: time.clocks,
            alarms: { [time] () throws(SystemCallFailure) in time.makeAlarms() })
        configuration.limits.close = close
        return try MonitorSession(configuration, token: testToken())
    }

    /// The next events, as many as are expected.
    private func words(_ session: MonitorSession, _ count: Int) throws -> [String] {
        var words: [String] = []
        while words.count < count {
            var entry = pollfd(fd: session.readiness, events: CShort(POLLIN), revents: 0)
            guard poll(&entry, 1, 30_000) == 1 else { throw Missing("an event after \(words)") }
            while words.count < count, let event = session.next() { words.append(event.words) }
        }
        return words
    }

    @Test("Steps of the wall clock and a suspend clear the display of a running session") func stepsAndSuspend() throws {
        let served = try TrackServer.shared.get().open("three-frames")
        let session = try makeSession(served)
        #expect(try words(session, 2) == ["connecting", "authenticated lab-run-001"])
        try served.go()
        #expect(try words(session, 1) == ["frame 1"])
        time.step(seconds: 0.2)
        #expect(try words(session, 2) == ["cleared clock_step", "notice"])
        try served.go()
        #expect(try words(session, 1) == ["frame 2"])
        time.step(seconds: -0.2)
        #expect(try words(session, 2) == ["cleared clock_step", "notice"])
        try served.go()
        #expect(try words(session, 1) == ["frame 9"])
        // Nothing else has passed for the monotonic clock; the frame's time is over all the same.
        time.suspend(seconds: 6)
        #expect(try words(session, 2) == ["cleared expired", "notice"])
        try served.go()
        // The goodbye of a server that is waited for has a limit of its own, which only the test lets pass.
        time.pass(seconds: 1)
        _ = session
    }

    @Test("After its lifetime the session ends, cleared first") func lifetime() throws {
        let served = try TrackServer.shared.get().open("three-frames")
        let session = try makeSession(served)
        #expect(try words(session, 2) == ["connecting", "authenticated lab-run-001"])
        try served.go()
        #expect(try words(session, 1) == ["frame 1"])
        time.pass(seconds: 3_600)
        #expect(try words(session, 2) == ["cleared session_expired", "disconnected session_expired"])
    }

    @Test("A goodbye in the same bytes as what ends the session is heard, and not waited for once more") func goodbyeBehindTheEnd() throws {
        let served = try TrackServer.shared.get().open("goodbye-behind-the-end")
        let session = try makeSession(served, close: 3)
        #expect(try served.wait { $0.opcode == Opcode.close }.closeCode == 1008)
        // A third of the limit is for the end of the connection, the whole for a goodbye.
        time.pass(seconds: 1)
        #expect(try words(session, 2) == ["connecting", "disconnected protocol"])
    }

    @Test("Half a minute of silence ends the connection, and nothing less does") func silence() throws {
        let served = try TrackServer.shared.get().open("black-hole")
        let session = try makeSession(served)
        #expect(try words(session, 2) == ["connecting", "authenticated lab-run-001"])
        time.pass(seconds: 29.9)
        #expect(try words(session, 1) == ["notice"])
        time.pass(seconds: 0.1)
        #expect(try words(session, 1) == ["disconnected idle"])
    }
}
