import NLOSCore
import Testing

/// A message with two breaches gets the verdict of the one that comes first in the contract.
@Suite struct TrackOrderOfChecksTests {
    private struct Breach {
        let verdict: Rejection
        let changes: [String: String]

        init(_ field: String, _ changes: [String: String]) { self.init(.invalidField(field), changes) }
        init(_ verdict: Rejection, _ changes: [String: String]) { (self.verdict, self.changes) = (verdict, changes) }
    }

    private static let now = TrackFields.nowUnixMs

    private static func times(_ captured: Int64, _ expires: Int64) -> [String: String] {
        ["capturedAtUnixMs": "\(Int64(now) + captured)", "expiresAtUnixMs": "\(Int64(now) + expires)"]
    }

    /// In the contract's order.
    private static let breaches = [
        Breach(.malformed, ["histogramPreserved": "1"]),
        Breach("schema", ["schema": #""ruview.nlos.track.v2""#]),
        Breach("sessionId", ["sessionId": #""""#]),
        Breach("sequence", ["sequence": "9007199254740992"]),
        Breach("timestamp", ["capturedAtUnixMs": "9007199254740992", "expiresAtUnixMs": "0"]),
        Breach("algorithmVersion", ["algorithmVersion": #""""#]),
        Breach("calibrationHash", ["calibrationHash": #""0""#]),
        Breach("evidenceLevel", ["evidenceLevel": #""l3_corroborated""#]),
        Breach(
            "provenance.transientKind",
            ["source": #""synthetic""#, "evidenceLevel": #""l0_synthetic""#, "transientKind": #""raw_histogram""#]),
        Breach("calibrationHash", ["evidenceLevel": #""l2_calibrated""#, "calibrationHash": TrackFields.zeroHash]),
        Breach("expiresAtUnixMs", times(0, 0)),
        Breach(.excessiveLifetime, times(0, 5001)),
        Breach(.stale, times(-1, 0)),
        Breach(.futureDated, times(1001, 1002)),
        Breach("provenance.sensorId", ["sensorId": #""""#]),
        Breach("provenance.sensorModel", ["sensorModel": #""""#]),
        Breach("provenance.firmwareVersion", ["firmwareVersion": #""""#]),
        Breach("evidenceLevel", ["evidenceLevel": #""l0_synthetic""#]),
        Breach("provenance.transientKind", ["transientKind": #""depth_only""#]),
        Breach("provenance.histogramPreserved", ["histogramPreserved": "false"]),
        Breach("provenance.transport", ["transport": #""replay""#]),
        Breach("tracks", ["tracks": TrackFields.tracks(17)]),
        Breach("tracks.trackId", ["trackId": #""""#]),
        Breach("tracks.positionM", ["positionM": #"{"x":101,"y":0,"z":0}"#]),
        Breach("tracks.velocityMps", ["velocityMps": #"{"x":21,"y":0,"z":0}"#]),
        Breach("tracks.covarianceDiagonalM2", ["covarianceDiagonalM2": #"{"x":11,"y":0,"z":0}"#]),
        Breach("tracks.confidence", ["confidence": "2"]),
        Breach("tracks.signalQuality", ["signalQuality": "2"]),
        Breach("tracks.posteriorEntropy", ["posteriorEntropy": "-1"]),
        Breach("tracks.modalityContributions", ["modalityContributions": #"{"lidar":0,"csi":0}"#]),
    ]

    @Test func eachAlone() {
        for breach in Self.breaches { #expect(trackVerdict(breach.changes) == breach.verdict) }
    }

    @Test func everyPairThatOneMessageCanHold() {
        var pairs = 0
        var neighbours: Set<Int> = []
        for (first, earlier) in Self.breaches.enumerated() {
            for (second, later) in Self.breaches.enumerated().dropFirst(first + 1) {
                guard Set(earlier.changes.keys).isDisjoint(with: later.changes.keys) else { continue }
                // With "tracks" given whole, no single member of a track can be changed as well.
                guard earlier.changes["tracks"] == nil else { continue }
                pairs += 1
                if second == first + 1 { neighbours.insert(first) }
                let both = earlier.changes.merging(later.changes) { $1 }
                #expect(trackVerdict(both) == earlier.verdict, "\(earlier.verdict) before \(later.verdict)")
            }
        }
        #expect(pairs > 380)
        // The neighbours that share a member, or exclude each other, are rows below.
        #expect(neighbours.count == 23, "\(Set(0..<29).subtracting(neighbours).sorted())")
    }

    @Test(
        arguments: [
            // Expiry not after capture, and also stale, or ahead of this clock.
            (["capturedAtUnixMs": "1799999999000", "expiresAtUnixMs": "1799999999000"], .invalidField("expiresAtUnixMs")),
            (["capturedAtUnixMs": "1800000002000", "expiresAtUnixMs": "1800000001999"], .invalidField("expiresAtUnixMs")),
            // Too long, and also stale, or ahead.
            (["capturedAtUnixMs": "1799999990000", "expiresAtUnixMs": "1800000000000"], .excessiveLifetime),
            (["capturedAtUnixMs": "1800000001001", "expiresAtUnixMs": "1800000006002"], .excessiveLifetime),
            // A range that is broken, in either field, comes before what the two mean.
            (["capturedAtUnixMs": "1799999990000", "expiresAtUnixMs": "9007199254740992"], .invalidField("timestamp")),
            // No hash at all under a claim to be calibrated; no such level under a hash that is none.
            (["evidenceLevel": #""l2_calibrated""#, "calibrationHash": #""""#], .invalidField("calibrationHash")),
            (["evidenceLevel": #""l3_corroborated""#, "calibrationHash": TrackFields.zeroHash], .invalidField("evidenceLevel")),
            (["source": #""synthetic""#, "evidenceLevel": #""l3_corroborated""#], .invalidField("evidenceLevel")),
            // Made up, with a real hash: the level first, then kind, transport, hash; all before the times.
            (
                ["source": #""synthetic""#, "evidenceLevel": #""l0_synthetic""#, "expiresAtUnixMs": "0"],
                .invalidField("provenance.transientKind")
            ),
            (
                [
                    "source": #""synthetic""#, "evidenceLevel": #""l0_synthetic""#, "transientKind": #""replay""#,
                    "transport": #""replay""#,
                    "expiresAtUnixMs": "0",
                ], .invalidField("calibrationHash")
            ),
            // A replay's own rules come behind the labels, as a live one's do.
            (["source": #""replay""#, "expiresAtUnixMs": "0"], .invalidField("expiresAtUnixMs")),
            (["source": #""replay""#, "firmwareVersion": #""""#], .invalidField("provenance.firmwareVersion")),
            (["source": #""replay""#, "trackId": #""""#], .invalidField("provenance.transientKind")),
            (["tracks": "[\(String(repeating: "{},", count: 16)){}]"], .malformed),
        ] as [([String: String], Rejection)])
    func neighboursThatShareAMember(changes: [String: String], verdict: Rejection) { #expect(trackVerdict(changes) == verdict) }

    @Test func sizeComesFirst() {
        let message = TrackFields(["histogramPreserved": "1"]).text
        let long = message + String(repeating: " ", count: TrackEnvelope.longestMessage + 1 - message.utf8.count)
        #expect(trackVerdict(long.utf8) == .messageTooLarge)
        #expect(trackVerdict(long.utf8.dropLast()) == .malformed)
    }

    @Test func tracksAreJudgedOneAfterTheOther() {
        let first = TrackFields(["modalityContributions": #"{"lidar":0,"csi":0}"#, "trackId": #""a""#]).track
        let second = TrackFields(["trackId": #""""#]).track
        #expect(trackVerdict(["tracks": "[\(first),\(second)]"]) == .invalidField("tracks.modalityContributions"))
        #expect(trackVerdict(["tracks": "[\(second),\(first)]"]) == .invalidField("tracks.trackId"))
    }
}
