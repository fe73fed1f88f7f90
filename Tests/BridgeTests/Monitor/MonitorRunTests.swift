import Foundation
import NLOSCore
import Testing
import TrackMonitor

@testable import bridge

/// The loop over connections that a test plays; the clocks are the kernel's, and the pauses are none.
@Suite(.serialized) struct MonitorRunTests {
    /// What a run came to.
    private struct Ran {
        let status: bridge.ExitStatus
        let lines: [String]
        let attempts: Int

        var events: [String] { lines.compactMap { $0.firstMatch(of: /"event":"([a-z]+)"/).map { String($0.1) } } }
    }

    /// Runs over these connections, one an attempt; the last of them stays for further ones.
    private func run(
        _ connections: [[MonitorEvent]], reconnect: Bool = false, seconds: Double? = nil, sensor: LocalSensor? = nil, plain: Bool = false,
        while running: () -> Void = {}
    ) throws -> Ran {
        let file = LineFile()
        let lines = EventLines(sink: try file.sink())
        let output: any MonitorOutput = plain ? PlainOutput(lines, clocks: .system) : JSONOutput(lines, clocks: .system)
        var attempts = 0
        var parts = MonitorRun.Parts(
            endpoint: MonitorFixtures.endpoint,
            connect: { () throws(SystemCallFailure) in
                attempts += 1
                return PlayedConnection(connections[min(attempts, connections.count) - 1])
            }, output: output, signals: try SignalInbox(), clocks: .system)
        parts.sensor = sensor
        if reconnect { parts.reconnect = ReconnectPolicy(random: { 0 }) }
        parts.seconds = seconds
        running()
        let status = MonitorRun(parts).run()
        return Ran(status: status, lines: try file.lines, attempts: attempts)
    }

    private func end(_ reason: Disconnection.Reason, _ code: UInt16? = nil) -> MonitorEvent {
        .disconnected(Disconnection(reason: reason, detail: Message(text: "over"), closeCode: code))
    }

    /// Of a live sensor on a serial line, and to be shown for some seconds yet.
    private func fresh() throws -> MonitorEvent {
        .frame(try MonitorFixtures.frame(ageMs: 0, lifetimeMs: 5_000, bootNs: Clocks.system.bootNs()))
    }

    private let connecting = MonitorEvent.connecting(MonitorFixtures.endpoint)

    @Test("without --reconnect the first loss is the end") func once() throws {
        let ran = try run([[connecting, .authenticated(MonitorFixtures.session), end(.network)]])
        #expect(ran.status == .network)
        #expect(ran.attempts == 1)
        #expect(ran.events == ["connecting", "authenticated", "disconnected"])
        #expect(try run([[connecting, end(.serverClosed, 1000)]]).status == .done)
    }

    @Test("with it every loss is tried again, on a connection of its own") func again() throws {
        let session = MonitorEvent.authenticated(try MonitorFixtures.session)
        let frame = try fresh()
        let ran = try run(
            [
                [connecting, session, frame, .cleared(.closed), end(.serverClosed, 1001)],
                [connecting, session, end(.idle)], [connecting, end(.handshake)], [connecting, end(.unauthorized)],
            ], reconnect: true)
        #expect(ran.attempts == 4)
        #expect(ran.status == .network)
        #expect(
            ran.events == [
                "connecting", "authenticated", "frame", "cleared", "disconnected", "connecting", "authenticated", "disconnected",
                "connecting", "disconnected", "connecting", "disconnected",
            ])
    }

    @Test("never after a refusal", arguments: [Disconnection.Reason.tls, .unauthorized, .forbidden, .redirectRefused])
    func refused(reason: Disconnection.Reason) throws {
        let ran = try run([[connecting, end(reason)]], reconnect: true)
        #expect(ran.attempts == 1)
        #expect(ran.status == .network)
    }

    @Test("the time that was asked for is an end as it should be, and the server is told") func seconds() throws {
        let ran = try run([[connecting, .authenticated(MonitorFixtures.session)]], seconds: 0.2)
        #expect(ran.status == .done)
        #expect(ran.events == ["connecting", "authenticated", "disconnected"])
        #expect(ran.lines.last?.contains(#""reason":"closed_by_user""#) == true)
    }

    @Test("the time is over in a pause between two attempts too") func secondsInAPause() throws {
        let lost = [connecting, end(.network)]
        let ran = try run([lost], reconnect: true, seconds: 0.3)
        // Ten attempts at once, as the chances are here, and then the minute's bound.
        #expect(ran.attempts == ReconnectPolicy.mostAttempts)
        // There never was a session: no good end, for whoever asks by this whether the server is well.
        #expect(ran.status == .network)
    }

    @Test(
        "a signal ends it with its own status",
        arguments: [(SIGINT, bridge.ExitStatus.interrupted), (SIGTERM, .terminated), (SIGHUP, .terminated)])
    func signal(signal: CInt, status: bridge.ExitStatus) throws {
        let ran = try run([[connecting, .authenticated(MonitorFixtures.session)]]) {
            pthread_kill(pthread_self(), signal)
        }
        #expect(ran.status == status)
        #expect(ran.events == ["connecting", "authenticated", "disconnected"])
    }

    @Test("a frame whose time was over before this side came to it is not written") func late() throws {
        let late = try MonitorFixtures.frame(ageMs: 0, lifetimeMs: 100, bootNs: Clocks.system.bootNs() - 100_000_000)
        let ran = try run([[connecting, .authenticated(MonitorFixtures.session), .frame(late), .cleared(.expired), end(.network)]])
        #expect(ran.events == ["connecting", "authenticated", "disconnected"])
        #expect(ran.lines.last?.contains(#""framesDropped":1"#) == true)
    }

    @Test("the first frame already bears the mark of a claim that nothing here supports", arguments: [false, true])
    func unsupported(plain: Bool) throws {
        let arguments = try ParsedArguments(["--port", "/dev/no-such-port", "wss://h/api/v1/nlos/ws"], for: Monitor.spec)
        let sensor = try LocalSensor(
            LocalSensorLoop.Plan(choice: try SensorChoice(arguments), sensorId: nil, firmwareVersion: nil, clocks: .system))
        let ran = try run(
            [[connecting, .authenticated(MonitorFixtures.session), fresh(), .cleared(.closed), end(.network)]], sensor: sensor, plain: plain
        )
        if plain {
            let frame = try #require(ran.lines.first { $0.contains("frame 7") })
            #expect(frame.hasPrefix("UNSUPPORTED"), "\(ran.lines)")
        } else {
            let frame = try #require(ran.events.firstIndex(of: "frame"))
            #expect(ran.lines[..<frame].contains { $0.contains(#""differences":["transport"]"#) }, "\(ran.lines)")
        }
    }
}
