import Foundation
import NLOSCore
import TrackMonitor

@testable import bridge

/// Messages as a server sends them, and what the decoder and the guard make of them: there is no other way to a frame.
enum MonitorFixtures {
    /// The wall clock of all of them, milliseconds since 1970.
    static let unixMs: UInt64 = 1_800_000_000_000
    /// The boot clock at the same moment, nanoseconds.
    static let bootNs: UInt64 = 50_000_000_000

    static let endpoint = try! MonitorEndpoint("wss://ruview.example:8443/api/v1/nlos/ws")

    static var session: AuthenticatedSession {
        get throws {
            try AuthenticatedSession.decode(
                Array(
                    #"{"schema":"ruview.nlos.authenticated.v1","sessionId":"lab-run-001","expiresAtUnixMs":\#(unixMs + 3_552_000)}"#.utf8),
                atUnixMs: unixMs)
        }
    }

    struct Hypothesis {
        var id = "hidden-target-0"
        var state = "tracking"
        var position = (1.25, 0.4, -2.5)
        var velocity = (0.1, 0.0, -0.2)
        var variance = (0.04, 0.09, 0.04)
        var confidence = 0.88

        var text: String {
            func vector(_ v: (Double, Double, Double)) -> String { #"{"x":\#(v.0),"y":\#(v.1),"z":\#(v.2)}"# }
            return #"{"trackId":"\#(id)","state":"\#(state)","positionM":\#(vector(position)),"velocityMps":\#(vector(velocity)),"#
                + #""covarianceDiagonalM2":\#(vector(variance)),"confidence":\#(confidence),"posteriorEntropy":0.32,"#
                + #""signalQuality":0.74,"modalityContributions":{"lidar":0.7,"csi":0.3}}"#
        }
    }

    /// What a message claims of where it comes from.
    struct Claim {
        var source = "live"
        var level = "l2_calibrated"
        var kind = "compact_normalized_histogram"
        var transport = "usb_serial"
        var hash = String(repeating: "9f86d081884c7d65", count: 4)
        var sensorId = "bench"
        var model = "VL53L8CH"
        var firmware = "VL53LMZ_2.0.10"

        static let live = Claim()
        static let served = Claim(transport: "ruview_server")
        static let replay = Claim(source: "replay", kind: "replay", transport: "replay")
        static let synthetic = Claim(
            source: "synthetic", level: "l0_synthetic", kind: "replay", transport: "replay", hash: String(repeating: "0", count: 64))
    }

    static func message(
        _ hypotheses: [Hypothesis] = [Hypothesis()], _ claim: Claim = .live, sequence: UInt64 = 7, ageMs: UInt64 = 40,
        lifetimeMs: UInt64 = 250
    ) -> [UInt8] {
        let captured = unixMs - ageMs
        let text =
            #"{"schema":"ruview.nlos.track.v1","sessionId":"lab-run-001","sequence":\#(sequence),"capturedAtUnixMs":\#(captured),"#
            + #""expiresAtUnixMs":\#(captured + lifetimeMs),"source":"\#(claim.source)","evidenceLevel":"\#(claim.level)","#
            + #""algorithmVersion":"motion-aperture-v1","calibrationHash":"\#(claim.hash)","#
            + #""provenance":{"sensorId":"\#(claim.sensorId)","sensorModel":"\#(claim.model)","firmwareVersion":"\#(claim.firmware)","#
            + #""transientKind":"\#(claim.kind)","histogramPreserved":true,"transport":"\#(claim.transport)"},"#
            + #""tracks":[\#(hypotheses.map(\.text).joined(separator: ","))]}"#
        return Array(text.utf8)
    }

    static func frame(
        _ hypotheses: [Hypothesis] = [Hypothesis()], _ claim: Claim = .live, sequence: UInt64 = 7, ageMs: UInt64 = 40,
        lifetimeMs: UInt64 = 250, bootNs: UInt64 = bootNs
    ) throws -> DisplayableFrame {
        var gate = StreamGuard(session: try session)
        return try gate.admit(
            message(hypotheses, claim, sequence: sequence, ageMs: ageMs, lifetimeMs: lifetimeMs), unixMs: unixMs, bootNs: bootNs)
    }

    static func many(_ count: Int) -> [Hypothesis] {
        (0..<count).map { number in
            let place = Double(number)
            let depth = Double(number % 4) + 1
            var hypothesis = Hypothesis(id: "hidden-target-\(number)", position: (place * 0.5 - 2, 0.4, depth))
            hypothesis.variance = (0.04, 0.09, 0.16)
            hypothesis.confidence = 0.9 - place * 0.05
            if number % 3 == 2 { hypothesis.state = "degraded" }
            return hypothesis
        }
    }

    /// A live board on USB that streams.
    static func board(_ state: LocalSensorReport.State = .streaming) -> LocalSensorReport {
        LocalSensorReport(
            state: state, path: "usb:1-4", origin: .live, sensorModel: SafeLabel("VL53L8CH"), kind: .compactNormalizedHistogram,
            sensorId: SafeLabel("bench"), firmwareVersion: SafeLabel("VL53LMZ_2.0.10"),
            framesPerSecond: state == .streaming ? 14.98 : nil, coverage: state == .streaming ? 0.984 : nil)
    }

    static func view(_ events: [MonitorEvent], atNs: UInt64 = 9_000_000_000) -> MonitorView {
        var view = MonitorView(endpoint: endpoint)
        for event in events { view.take(event, nowNs: atNs) }
        return view
    }
}
