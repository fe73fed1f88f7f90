import NLOSCore
import Testing

@testable import bridge

@Suite struct AgreementTests {
    typealias Field = Agreement.Field

    struct Row: CustomTestStringConvertible {
        let testDescription: String
        let claim: MonitorFixtures.Claim?
        let change: @Sendable (inout LocalSensorReport) -> Void
        let expected: Agreement
        /// Whether the claim is marked as one that nothing here supports.
        let marked: Bool

        init(
            _ name: String, _ claim: MonitorFixtures.Claim?, _ expected: Agreement, marked: Bool = false,
            _ change: @escaping @Sendable (inout LocalSensorReport) -> Void = { _ in }
        ) {
            (testDescription, self.claim, self.change, self.expected, self.marked) = (name, claim, change, expected, marked)
        }
    }

    private static let live = MonitorFixtures.Claim.live
    private static let served = MonitorFixtures.Claim.served

    private static func claim(_ change: (inout MonitorFixtures.Claim) -> Void, of claim: MonitorFixtures.Claim = live)
        -> MonitorFixtures.Claim
    {
        var changed = claim
        change(&changed)
        return changed
    }

    private static let simulated: @Sendable (inout LocalSensorReport) -> Void = {
        ($0.path, $0.origin, $0.kind) = ("sim:matte-wall", .synthetic, .replay)
    }
    private static let played: @Sendable (inout LocalSensorReport) -> Void = {
        ($0.path, $0.origin, $0.kind) = ("replay:x.pcap", .replay, .replay)
    }

    static let rows: [Row] = [
        Row("all is equal", live, .agrees),
        Row("all is equal, by way of a server", served, .agrees),
        Row("nothing on display", nil, .unknown),
        Row("another sensor id", claim { $0.sensorId = "other" }, .differs([.sensorId]), marked: true),
        Row("another model", claim { $0.model = "TMF8828" }, .differs([.sensorModel]), marked: true),
        Row("another firmware", claim { $0.firmware = "15314de" }, .differs([.firmwareVersion]), marked: true),
        Row("another kind", claim { $0.kind = "raw_histogram" }, .differs([.transientKind]), marked: true),
        Row(
            "several, in the contract's order",
            claim {
                $0.kind = "raw_histogram"
                $0.sensorId = "other"
            }, .differs([.sensorId, .transientKind]), marked: true),
        Row("another one by way of a server is no claim on a port here", claim({ $0.model = "X" }, of: served), .differs([.sensorModel])),
        Row("the id is not known here", live, .unknown) { $0.sensorId = nil },
        Row("the firmware has not said what it is", live, .unknown) { $0.firmwareVersion = nil },
        Row("how bins were assumed is no other firmware", claim { $0.firmware += ".assumed-bins" }, .agrees),
        Row("how counts were shifted is no other firmware", claim { $0.firmware += ".shift2.assumed-bins" }, .agrees),
        Row("a suffix that only looks like it is", claim { $0.firmware += ".shift9" }, .differs([.firmwareVersion]), marked: true),
        Row("neither has heard a version", claim { $0.firmware = "unreported.assumed-bins" }, .agrees) { $0.firmwareVersion = nil },
        Row("only this side has heard a version", claim { $0.firmware = "unreported" }, .unknown),
        Row("absent, never seen", live, .differs([.transport]), marked: true) { $0 = LocalSensorReport() },
        Row("absent, and the claim is a server's", served, .unknown) { $0 = LocalSensorReport() },
        Row("pulled out", live, .differs([.transport]), marked: true) { $0.state = .absent },
        Row("stalled", live, .differs([.transport]), marked: true) { $0.state = .stalled },
        Row("stalled, and the claim is a server's", served, .unknown) { $0.state = .stalled },
        Row("simulated here, live there", live, .differs([.transientKind, .transport]), marked: true, simulated),
        Row("simulated here, live there by way of a server", served, .differs([.transientKind, .transport]), simulated),
        Row("played back here, live there", live, .differs([.transientKind, .transport]), marked: true, played),
        Row("live here, played back there", .replay, .differs([.transientKind, .transport])),
        Row("live here, made up there", .synthetic, .differs([.transientKind, .transport])),
        Row("both simulated", .synthetic, .agrees, simulated),
        Row("both played back", .replay, .agrees, played),
        Row("played back here, made up there", .synthetic, .unknown, played),
        Row("simulated here, played back there", .replay, .unknown, simulated),
    ]

    @Test("a local sensor beside a claim", arguments: rows) func table(row: Row) throws {
        var sensor = MonitorFixtures.board()
        row.change(&sensor)
        let report = PairedReport(sensor, beside: try row.claim.map { try MonitorFixtures.frame([MonitorFixtures.Hypothesis()], $0) })
        #expect(report.agreement == row.expected)
        #expect(report.claimIsUnsupported == row.marked)
        #expect((report.claimWords != nil) == row.marked)
    }

    @Test("what is not live never agrees with a live claim, whatever else is equal", arguments: [FrameSource.replay, .synthetic])
    func neverLifted(origin: FrameSource) throws {
        for state in [LocalSensorReport.State.streaming, .stalled, .absent] {
            for claim in [MonitorFixtures.Claim.live, .served] {
                var sensor = MonitorFixtures.board(state)
                // Even one that were given a live kind by mistake.
                sensor.origin = origin
                let report = PairedReport(sensor, beside: try MonitorFixtures.frame([MonitorFixtures.Hypothesis()], claim))
                #expect(report.agreement != .agrees)
                #expect(report.sensor.watermark == origin.watermark)
                #expect(report.sensorWords.hasPrefix("\(try #require(origin.watermark)) local sensor"))
            }
        }
    }
}
