import NLOSCore
import Testing
import TrackMonitor

@testable import bridge

/// What the screen shows at three widths, word for word, and what holds at every size.
@Suite struct MonitorPictureTests {
    private static func moment(afterMs milliseconds: UInt64) -> MonitorPicture.Moment {
        let ns = milliseconds * 1_000_000
        return MonitorPicture.Moment(
            monotonicNs: 9_000_000_000 + ns, bootNs: MonitorFixtures.bootNs + ns, unixMs: MonitorFixtures.unixMs + milliseconds)
    }

    private func draw(_ view: MonitorView, _ columns: Int, _ rows: Int, afterMs milliseconds: UInt64 = 100) -> Picture {
        MonitorPicture.draw(view, at: Self.moment(afterMs: milliseconds), size: Picture.Size(columns: columns, rows: rows))
    }

    @Test("60 columns: one live hypothesis that is far from certain") func narrowScreen() throws {
        #expect(draw(try Self.narrow, 60, 24).text == Self.picture60)
    }

    @Test("80 columns: a simulation, and rejections before it") func ordinaryScreen() throws {
        #expect(draw(try Self.ordinary, 80, 24).text == Self.picture80)
    }

    @Test("120 columns: a claim that the local sensor does not support") func pairedScreen() throws {
        #expect(draw(try Self.paired, 120, 30).text == Self.picture120)
    }

    private static func picture(of frame: DisplayableFrame, _ columns: Int, _ rows: Int) throws -> Picture {
        let view = MonitorFixtures.view([.authenticated(try MonitorFixtures.session), .frame(frame)])
        return MonitorPicture.draw(view, at: moment(afterMs: 1), size: Picture.Size(columns: columns, rows: rows))
    }

    @Test("what a window shrinks to has the watermark first", arguments: [1, 2, 3, 5, 8], [10, 20, 30, 40])
    func tiny(rows: Int, columns: Int) throws {
        for (claim, mark) in [(MonitorFixtures.Claim.synthetic, "SYNTHETIC"), (.replay, "REPLAY")] {
            let picture = try Self.picture(of: MonitorFixtures.frame(MonitorFixtures.many(3), claim), columns, rows)
            #expect(picture.text.hasPrefix(" \(mark)"))
            #expect(picture.rows.count <= rows && picture.rows.allSatisfy { $0.cells <= columns })
        }
    }

    @Test(
        "every size has the watermark, the warning and each hypothesis or how many are missing",
        arguments: [40, 59, 60, 79, 80, 104, 105, 400])
    func everySize(columns: Int) throws {
        for (claim, mark) in [(MonitorFixtures.Claim.synthetic, "SYNTHETIC"), (.replay, "REPLAY"), (.live, "")] {
            for count in [0, 1, 5, 16] {
                let frame = try MonitorFixtures.frame(MonitorFixtures.many(count), claim)
                for rows in [12, 13, 20, 24, 60, 200] {
                    let picture = try Self.picture(of: frame, columns, rows)
                    let text = picture.text
                    #expect(picture.rows.count <= rows)
                    #expect(picture.rows.allSatisfy { $0.cells <= columns })
                    #expect(mark.isEmpty || text.contains(mark))
                    #expect(text.contains("hypotheses, not observations"))
                    #expect(text.utf8.allSatisfy { (0x20..<0x7f).contains($0) || $0 == 0x0a })
                    let missing = text.firstMatch(of: /(\d+) (?:more )?tracks? needs? a larger window/).flatMap { Int($0.1) } ?? 0
                    let shown = text.matches(of: /(?m)^[1-9a-g][ !]hid/).count
                    #expect(shown + missing == count, "\(columns)x\(rows): \(shown) shown, \(missing) missing of \(count)")
                }
            }
        }
    }

    @Test("sixteen hypotheses find room on an ordinary terminal") func sixteen() throws {
        let text = try Self.picture(of: MonitorFixtures.frame(MonitorFixtures.many(16), .replay), 80, 24).text
        #expect(text.matches(of: /(?m)^[1-9a-g] hid/).count == 16)
    }

    @Test("from its expiry on nothing of a frame is drawn, whether the session has said so or not") func expiry() throws {
        let view = try Self.narrow
        #expect(draw(view, 60, 24, afterMs: 209).text.contains("hidden-target-0"))
        let after = draw(view, 60, 24, afterMs: 210).text
        #expect(!after.contains("hidden-target") && !after.contains("1.25"))
        #expect(after.contains("nothing is shown: the last frame has expired and no newer"))
    }

    @Test("age and time left tick") func ticking() throws {
        #expect(draw(try Self.narrow, 60, 24, afterMs: 0).text.contains("age 0.04 s, left 0.21 s"))
        #expect(draw(try Self.narrow, 60, 24, afterMs: 200).text.contains("age 0.24 s, left 0.01 s"))
    }

    struct Reason: CustomTestStringConvertible {
        let testDescription: String
        let events: [MonitorEvent]
        let line: String
        var afterMs: UInt64 = 0
    }

    private static func end(_ reason: Disconnection.Reason, _ code: UInt16? = nil) -> MonitorEvent {
        .disconnected(Disconnection(reason: reason, detail: Message(text: "the server said \u{1b}[31mstop"), closeCode: code))
    }

    static var reasons: [Reason] {
        get throws {
            let session = MonitorEvent.authenticated(try MonitorFixtures.session)
            let frame = MonitorEvent.frame(try MonitorFixtures.frame())
            let shown: [MonitorEvent] = [.connecting(MonitorFixtures.endpoint), session, frame]
            return [
                Reason(
                    testDescription: "connecting", events: [.connecting(MonitorFixtures.endpoint)],
                    line: "nothing is shown: waiting for the connection"),
                Reason(
                    testDescription: "no frame yet", events: Array(shown.prefix(2)), line: "nothing is shown: waiting for the first frame"),
                Reason(
                    testDescription: "no data", events: Array(shown.prefix(2)), line: "connected, no data for 12 s; session ends in 59:00",
                    afterMs: 12_000),
                Reason(
                    testDescription: "rejected", events: shown + [.rejected(.invalidField("tracks.state")), .cleared(.rejected)],
                    line: "nothing is shown: the last message was rejected: invalid_field tracks.state"),
                Reason(
                    testDescription: "rejected before anything was shown", events: Array(shown.prefix(2)) + [.rejected(.stale)],
                    line: "nothing is shown: the last message was rejected: stale"),
                Reason(
                    testDescription: "expired", events: shown + [.cleared(.expired)],
                    line: "nothing is shown: the last frame has expired and no newer one came"),
                Reason(
                    testDescription: "clock step", events: shown + [.cleared(.clockStep)],
                    line: "nothing is shown: this machine's clock was set, and no newer frame came"),
                Reason(
                    testDescription: "session over", events: shown + [.cleared(.sessionExpired), end(.sessionExpired)],
                    line: "nothing is shown: the session is over"),
                Reason(
                    testDescription: "closed", events: shown + [.cleared(.closed), end(.serverClosed, 1001)],
                    line: "not connected: server_closed (1001)"),
                Reason(
                    testDescription: "lost", events: shown + [.cleared(.error), end(.idle)],
                    line: "nothing is shown: the connection was lost"),
                Reason(
                    testDescription: "what a server says is harmless", events: shown + [.cleared(.error), end(.idle)],
                    line: "the server said \\x1b[31mstop"),
                Reason(
                    testDescription: "no hypothesis", events: Array(shown.prefix(2)) + [.frame(try MonitorFixtures.frame([]))],
                    line: "the server has no hypothesis"),
                Reason(
                    testDescription: "only unknown ones",
                    events: Array(shown.prefix(2)) + [.frame(try MonitorFixtures.frame([MonitorFixtures.Hypothesis(state: "unknown")]))],
                    line: "the server has no hypothesis"),
            ]
        }
    }

    @Test("the reason stands where nothing is shown", arguments: try reasons) func reason(row: Reason) throws {
        let text = draw(MonitorFixtures.view(row.events), 100, 24, afterMs: row.afterMs).text
        #expect(text.contains(row.line), "\(text)")
        #expect(!text.contains("hidden-target"))
        #expect(!text.contains("\u{1b}"))
    }

    @Test("a pause before the next attempt counts down") func retry() {
        var view = MonitorFixtures.view([.connecting(MonitorFixtures.endpoint), Self.end(.network)])
        view.wait(untilNs: 9_000_000_000 + 31_000_000_000)
        #expect(draw(view, 80, 24, afterMs: 1_000).text.contains("not connected: network; trying again in 30 s"))
    }

    @Test("a notice stands until a frame shows that all is well") func notice() throws {
        let notice = MonitorEvent.notice(Message(text: "the server's clock is about 8.0 s ahead"))
        #expect(draw(MonitorFixtures.view([notice]), 80, 24).text.contains("the server's clock is about 8.0 s ahead"))
        #expect(!draw(MonitorFixtures.view([notice, .frame(try MonitorFixtures.frame())]), 80, 24).text.contains("clock"))
    }

    // MARK: The scenes and their pictures

    /// One live hypothesis that is far from certain.
    static var narrow: MonitorView {
        get throws {
            var hypothesis = MonitorFixtures.Hypothesis()
            hypothesis.variance = (0.36, 0.09, 0.81)
            return MonitorFixtures.view([
                .connecting(MonitorFixtures.endpoint), .authenticated(try MonitorFixtures.session),
                .frame(try MonitorFixtures.frame([hypothesis])),
            ])
        }
    }

    static var ordinary: MonitorView {
        get throws {
            MonitorFixtures.view([
                .connecting(MonitorFixtures.endpoint), .authenticated(try MonitorFixtures.session), .rejected(.malformed),
                .rejected(.stale),
                .rejected(.malformed), .frame(try MonitorFixtures.frame(MonitorFixtures.many(3), .synthetic)),
            ])
        }
    }

    static var paired: MonitorView {
        get throws {
            var view = MonitorFixtures.view([
                .connecting(MonitorFixtures.endpoint), .authenticated(try MonitorFixtures.session),
                .frame(try MonitorFixtures.frame(MonitorFixtures.many(4))),
            ])
            view.local = PairedReport(MonitorFixtures.board(.stalled), beside: view.frame(atBootNs: MonitorFixtures.bootNs))
            return view
        }
    }

    private static let picture60 = """
        monitor of ruview.example:8443, session lab-run-001
        connected, last message 0.1 s ago; session ends in 59:11
        hypotheses, not observations: never act on them (s: 1 sigma)
        frame 7, l2_calibrated, age 0.14 s, left 0.11 s
        of bench, VL53L8CH, VL53LMZ_2.0.10, by usb_serial,
        motion-aperture-v1
          track                     state    conf age s left s
             x m     y m     z m vx m/s vy m/s vz m/s sx m sy m sz m
        1 hidden-target-0           tracking 0.88  0.14   0.11
            1.25    0.40   -2.50   0.10   0.00  -0.20 0.60 0.30 0.90

                                     +




                                         .....
                                         ..1...
                                         ......
                                          ....


        from above, x right, z up; cell 0.2 x 0.4 m; dots 1 sigma
        frames 1, rejected 0, dropped 0; q or Ctrl-C ends
        """

    private static let picture80 = """
         SYNTHETIC  made up by a program; nothing was measured  SYNTHETIC
        monitor of ruview.example:8443, session lab-run-001
        connected, last message 0.1 s ago; session ends in 59:11
        hypotheses, not observations: never act on them (s: 1 sigma)
        frame 7, l0_synthetic, age 0.14 s, left 0.11 s
        of bench, VL53L8CH, VL53LMZ_2.0.10, by replay, motion-aperture-v1
          track                                         state    conf age s left s
             x m     y m     z m vx m/s vy m/s vz m/s sx m sy m sz m
        1 hidden-target-0                               tracking 0.90  0.14   0.11
           -2.00    0.40    1.00   0.10   0.00  -0.20 0.20 0.30 0.40
        2 hidden-target-1                               tracking 0.85  0.14   0.11
           -1.50    0.40    2.00   0.10   0.00  -0.20 0.20 0.30 0.40
        3 hidden-target-2                               degraded 0.80  0.14   0.11
           -1.00    0.40    3.00   0.10   0.00  -0.20 0.20 0.30 0.40


                                             3
                                            2
                                           1
                                               +


        from above, x right, z up, + is the origin; cell 0.5 x 1 m; dots 1 sigma
        frames 1, rejected 3 (malformed 2, stale 1), dropped 0; q or Ctrl-C ends
        """

    private static let picture120 = """
        monitor of ruview.example:8443, session lab-run-001
        connected, last message 0.1 s ago; session ends in 59:11
        hypotheses, not observations: never act on them (s: 1 sigma)
        ! UNSUPPORTED: claims a live sensor on a serial line, and the local sensor is stalled
        frame 7, l2_calibrated, age 0.14 s, left 0.11 s
        of bench, VL53L8CH, VL53LMZ_2.0.10, by usb_serial, motion-aperture-v1
          track                          state        x m     y m     z m vx m/s vy m/s vz m/s sx m sy m sz m conf age s left s
        1!hidden-target-0                tracking   -2.00    0.40    1.00   0.10   0.00  -0.20 0.20 0.30 0.40 0.90  0.14   0.11
        2!hidden-target-1                tracking   -1.50    0.40    2.00   0.10   0.00  -0.20 0.20 0.30 0.40 0.85  0.14   0.11
        3!hidden-target-2                degraded   -1.00    0.40    3.00   0.10   0.00  -0.20 0.20 0.30 0.40 0.80  0.14   0.11
        4!hidden-target-3                tracking   -0.50    0.40    4.00   0.10   0.00  -0.20 0.20 0.30 0.40 0.75  0.14   0.11


                                                                4.

                                                              3
                                                              .

                                                           2.

                                                         1
                                                         .

                                                                   +


        from above, x right, z up, + is the origin; cell 0.2 x 0.4 m; dots 1 sigma
        local sensor usb:1-4: stalled, compact_normalized_histogram
        differs from what the stream names: transport
        frames 1, rejected 0, dropped 0; q or Ctrl-C ends
        """
}
