import NLOSCore
import Testing
import TrackMonitor

@testable import bridge

@Suite struct EventJSONTests {
    private static let now: UInt64 = 1_800_000_000_123

    private func line(_ event: MonitorEvent) -> String? {
        var json = EventJSON()
        return json.line(of: event, atUnixMs: Self.now).map { String(decoding: $0, as: UTF8.self) }
    }

    private func line(_ report: PairedReport) -> String {
        var json = EventJSON()
        return String(decoding: json.line(of: report, atUnixMs: Self.now), as: UTF8.self)
    }

    @Test("a connection's events have the documented keys in one order") func connection() throws {
        #expect(
            line(.connecting(MonitorFixtures.endpoint))
                == #"{"event":"connecting","atUnixMs":1800000000123,"endpoint":"ruview.example:8443"}"#)
        #expect(
            line(.authenticated(try MonitorFixtures.session))
                == #"{"event":"authenticated","atUnixMs":1800000000123,"sessionId":"lab-run-001","expiresAtUnixMs":1800003552000}"#)
        let end = Disconnection(
            reason: .serverClosed, detail: Message(text: #"it said "bye""#, next: "try again"), closeCode: 1001, framesDropped: 3)
        #expect(
            line(.disconnected(end))
                == #"{"event":"disconnected","atUnixMs":1800000000123,"reason":"server_closed","detail":"it said \"bye\"","closeCode":1001,"framesDropped":3}"#
        )
        #expect(line(.notice(Message(text: "for people"))) == nil)
    }

    @Test("a frame has every number of the contract") func frame() throws {
        let frame = try MonitorFixtures.frame([MonitorFixtures.Hypothesis()], .live)
        #expect(
            line(.frame(frame))
                == #"{"event":"frame","atUnixMs":1800000000123,"sequence":7,"source":"live","evidenceLevel":"l2_calibrated","watermark":null,"#
                + #""algorithmVersion":"motion-aperture-v1","capturedAtUnixMs":1799999999960,"expiresAtUnixMs":1800000000210,"provenance":{"#
                + #""sensorId":"bench","sensorModel":"VL53L8CH","firmwareVersion":"VL53LMZ_2.0.10","transientKind":"compact_normalized_histogram","#
                + #""histogramPreserved":true,"transport":"usb_serial"},"tracks":[{"trackId":"hidden-target-0","state":"tracking","#
                + #""positionM":{"x":1.25,"y":0.4,"z":-2.5},"velocityMps":{"x":0.1,"y":0,"z":-0.2},"covarianceDiagonalM2":{"x":0.04,"y":0.09,"z":0.04},"#
                + #""confidence":0.88,"posteriorEntropy":0.32,"signalQuality":0.74,"modalityContributions":{"lidar":0.7,"csi":0.3}}]}"#)
    }

    @Test("what is not live bears its watermark, and an unknown hypothesis is not in the line") func watermark() throws {
        for (claim, mark) in [(MonitorFixtures.Claim.replay, "REPLAY"), (.synthetic, "SYNTHETIC")] {
            let hypotheses = [MonitorFixtures.Hypothesis(id: "seen"), MonitorFixtures.Hypothesis(id: "hushed", state: "unknown")]
            let text = try #require(line(.frame(MonitorFixtures.frame(hypotheses, claim))))
            #expect(text.contains(#""watermark":"\#(mark)""#))
            #expect(text.contains("seen") && !text.contains("hushed"))
        }
        #expect(try #require(line(.frame(MonitorFixtures.frame([])))).hasSuffix(#""tracks":[]}"#))
    }

    @Test("a verdict names its field, and only an invalid field has one") func rejected() {
        #expect(
            line(.rejected(.invalidField("tracks.positionM")))
                == #"{"event":"rejected","atUnixMs":1800000000123,"verdict":"invalid_field","field":"tracks.positionM"}"#)
        let others: [(Rejection, String)] = [
            (.messageTooLarge, "message_too_large"), (.malformed, "malformed"), (.excessiveLifetime, "excessive_lifetime"),
            (.stale, "stale"),
            (.futureDated, "future_dated"), (.sessionChanged, "session_changed"), (.replayedSequence, "replayed_sequence"),
            (.unsupportedBinary, "unsupported_binary"),
        ]
        for (rejection, name) in others {
            #expect(line(.rejected(rejection)) == #"{"event":"rejected","atUnixMs":1800000000123,"verdict":"\#(name)","field":null}"#)
        }
    }

    @Test("every reason to clear and to disconnect has its name", arguments: ClearReason.allCases) func cleared(reason: ClearReason) {
        #expect(line(.cleared(reason)) == #"{"event":"cleared","atUnixMs":1800000000123,"reason":"\#(reason.rawValue)"}"#)
        #expect(["rejected", "expired", "clock_step", "session_expired", "closed", "error"].contains(reason.rawValue))
    }

    @Test("the local sensor's line") func paired() throws {
        let live = try MonitorFixtures.frame([MonitorFixtures.Hypothesis()], .live)
        #expect(
            line(PairedReport(MonitorFixtures.board(), beside: live))
                == #"{"event":"paired","atUnixMs":1800000000123,"sensor":"streaming","watermark":null,"framesPerSecond":14.98,"coverage":0.984,"#
                + #""histogramKind":"compact_normalized_histogram","agreement":"agrees","differences":[]}"#)
        #expect(
            line(PairedReport(LocalSensorReport(), beside: live))
                == #"{"event":"paired","atUnixMs":1800000000123,"sensor":"absent","watermark":null,"framesPerSecond":null,"coverage":null,"#
                + #""histogramKind":null,"agreement":"differs","differences":["transport"]}"#)
    }
}
