import NLOSCore
import Testing
import TrackMonitor

@testable import bridge

@Suite struct PlainOutputTests {
    private final class Play {
        let time = SteppedClocks()
        let file = LineFile()
        let output: PlainOutput
        var view = MonitorView(endpoint: MonitorFixtures.endpoint)
        private var waiting = Waiting()

        init() throws { output = PlainOutput(EventLines(sink: try file.sink()), clocks: time.clocks) }

        func take(_ event: MonitorEvent) {
            view.take(event, nowNs: time.ns)
            output.take(.stream(event), view)
            turn()
        }

        func take(_ sensor: LocalSensorReport) {
            let report = PairedReport(sensor, beside: view.frame(atBootNs: time.clocks.bootNs()))
            view.local = report
            output.take(.paired(report), view)
            turn()
        }

        func turn() {
            waiting.begin()
            output.add(to: &waiting)
            waiting.wait(untilNs: 0, time.clocks)
            output.service(waiting, view)
        }
    }

    @Test("a line an event, from the first to the last") func everyEvent() throws {
        let play = try Play()
        play.take(.connecting(MonitorFixtures.endpoint))
        play.take(.authenticated(try MonitorFixtures.session))
        play.take(.frame(try MonitorFixtures.frame()))
        play.take(.rejected(.invalidField("tracks.confidence")))
        play.take(.cleared(.rejected))
        play.take(
            .disconnected(Disconnection(reason: .serverClosed, detail: Message(text: "it said goodbye"), closeCode: 1000, framesDropped: 2))
        )
        #expect(
            try play.file.lines == [
                "connecting to ruview.example:8443", "connected: session lab-run-001, ends in 59:12",
                "frame 7, l2_calibrated, left 0.21 s, 1 hypothesis: hidden-target-0 tracking at 1.25 0.40 -2.50 m, moving 0.10 0.00 -0.20 m/s, "
                    + "1 sigma 0.20 0.30 0.20 m, confidence 0.88",
                "rejected: invalid_field tracks.confidence", "nothing is shown: the last message was rejected",
                "disconnected: server_closed (1000): it said goodbye; frames not shown 2",
            ])
    }

    @Test(
        "the watermark stands in front of every line that shows a frame",
        arguments: [(MonitorFixtures.Claim.replay, "REPLAY"), (.synthetic, "SYNTHETIC")])
    func watermark(claim: MonitorFixtures.Claim, mark: String) throws {
        let play = try Play()
        for count in [0, 1, 16] {
            play.take(.frame(try MonitorFixtures.frame(MonitorFixtures.many(count), claim, lifetimeMs: 5_000)))
            play.time.advance(ms: 1_000)
        }
        let lines = try play.file.lines
        #expect(lines.count == 3)
        #expect(lines.allSatisfy { $0.hasPrefix("\(mark) frame 7, ") })
        #expect(lines[0].hasSuffix("s: no hypothesis"))
        #expect(lines[2].contains(", 16 hypotheses: hidden-target-0 tracking at"))
    }

    @Test("of frames the first at once, and then the newest once a second") func pace() throws {
        let play = try Play()
        for number in 0..<100 as Range<UInt64> {
            play.take(.frame(try MonitorFixtures.frame(sequence: number, lifetimeMs: 5_000)))
            play.time.advance(ms: 33)
        }
        let shown = try play.file.lines.map { $0.split(separator: ",")[0] }
        #expect(shown == ["frame 0", "frame 31", "frame 62", "frame 93"])
        // The last one's turn comes without another event.
        #expect(play.output.deadlineNs == 10_000_000_000 + 93 * 33_000_000 + 1_000_000_000)
        play.time.ns = try #require(play.output.deadlineNs)
        play.turn()
        #expect(try play.file.lines.last?.hasPrefix("frame 99,") == true)
        #expect(play.output.deadlineNs == nil)
    }

    @Test("a frame whose turn comes after its time is not shown") func expiredMeanwhile() throws {
        let play = try Play()
        play.take(.frame(try MonitorFixtures.frame(sequence: 1)))
        play.time.advance(ms: 100)
        play.take(.frame(try MonitorFixtures.frame(sequence: 2)))
        play.time.advance(ms: 900)
        play.turn()
        #expect(try play.file.lines.count == 1)
    }

    @Test("a server that sends nothing but nonsense does not flood a log") func flood() throws {
        let play = try Play()
        for _ in 0..<1_000 { play.take(.rejected(.malformed)) }
        play.time.advance(ms: 1_100)
        play.take(.rejected(.stale))
        let lines = try play.file.lines
        #expect(lines.count == 22)
        #expect(lines.suffix(2) == ["980 further messages were rejected", "rejected: stale"])
    }

    @Test("the local sensor's line comes when something changes, and marks what it does not support") func paired() throws {
        let play = try Play()
        play.take(.frame(try MonitorFixtures.frame(lifetimeMs: 5_000)))
        for _ in 0..<3 { play.take(MonitorFixtures.board()) }
        var simulated = MonitorFixtures.board()
        (simulated.path, simulated.origin, simulated.kind) = ("sim:matte-wall", .synthetic, .replay)
        play.take(simulated)
        play.time.advance(ms: 1_000)
        play.take(.frame(try MonitorFixtures.frame(sequence: 8, lifetimeMs: 5_000)))
        play.take(LocalSensorReport(problem: Message(text: "no sensor is attached")))
        let claim = "UNSUPPORTED: claims a live sensor on a serial line, and the local sensor is"
        let lines = try play.file.lines
        #expect(
            lines[1]
                == "local sensor usb:1-4: streaming, 15.0 frames a second, coverage 98 %, compact_normalized_histogram; agrees with what the stream names"
        )
        #expect(
            lines[2]
                == "SYNTHETIC local sensor sim:matte-wall: streaming, 15.0 frames a second, coverage 98 %, replay; "
                + "differs from what the stream names: transientKind, transport; \(claim) SYNTHETIC")
        #expect(lines[3].hasPrefix("\(claim) SYNTHETIC frame 8, "))
        #expect(lines[4] == "local sensor: absent; differs from what the stream names: transport; \(claim) absent; no sensor is attached")
    }
}
