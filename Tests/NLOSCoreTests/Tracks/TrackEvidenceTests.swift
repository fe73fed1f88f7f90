import NLOSCore
import Testing

/// Table D through whole messages, against rules written out a second time.
@Suite struct TrackEvidenceTests {
    private struct Claim: CustomTestStringConvertible {
        let source, level, kind, preserved, transport: String
        let zeroHash: Bool

        var testDescription: String { "\(source) \(level) \(kind) \(preserved) \(transport) \(zeroHash ? "zero" : "real")" }

        var message: String {
            TrackFields([
                "source": "\"\(source)\"", "evidenceLevel": "\"\(level)\"", "transientKind": "\"\(kind)\"", "histogramPreserved": preserved,
                "transport": "\"\(transport)\"", "calibrationHash": zeroHash ? TrackFields.zeroHash : TrackFields.realHash,
            ]).text
        }

        /// The first breach in the contract's order; nil for a row of the table.
        var breach: String? {
            if level == "l3_corroborated" { return "evidenceLevel" }
            switch source {
            case "synthetic":
                if level != "l0_synthetic" { return "evidenceLevel" }
                if kind != "replay" { return "provenance.transientKind" }
                if transport != "replay" { return "provenance.transport" }
                return zeroHash ? nil : "calibrationHash"
            case "live":
                if level == "l2_calibrated", zeroHash { return "calibrationHash" }
                if level == "l0_synthetic" { return "evidenceLevel" }
                if kind != "raw_histogram", kind != "compact_normalized_histogram" { return "provenance.transientKind" }
                if preserved != "true" { return "provenance.histogramPreserved" }
                return transport == "replay" ? "provenance.transport" : nil
            default:
                if level == "l2_calibrated", zeroHash { return "calibrationHash" }
                if kind != "replay" { return "provenance.transientKind" }
                if preserved != "true" { return "provenance.histogramPreserved" }
                return transport == "replay" ? nil : "provenance.transport"
            }
        }
    }

    private static let claims: [Claim] = {
        var claims: [Claim] = []
        for source in ["live", "replay", "synthetic"] {
            for level in ["l0_synthetic", "l1_measured", "l2_calibrated", "l3_corroborated"] {
                for kind in ["raw_histogram", "compact_normalized_histogram", "depth_only", "replay"] {
                    for preserved in ["true", "false"] {
                        for transport in ["usb_serial", "ruview_server", "replay"] {
                            for zero in [true, false] {
                                claims.append(
                                    Claim(
                                        source: source, level: level, kind: kind, preserved: preserved, transport: transport, zeroHash: zero
                                    ))
                            }
                        }
                    }
                }
            }
        }
        return claims
    }()

    @Test("all 576 combinations against table D") func everyCombination() {
        #expect(Self.claims.count == 576)
        for claim in Self.claims {
            #expect(trackVerdict(claim.message.utf8) == claim.breach.map { .invalidField($0) }, "\(claim.testDescription)")
        }
        let accepted = Self.claims.filter { $0.breach == nil }
        #expect(accepted.count == 19)
        #expect(!accepted.contains { $0.kind == "depth_only" || $0.level == "l3_corroborated" })
    }

    @Test("a frame carries the claim as it was made, and the watermark that goes with it") func claimIsKept() throws {
        for claim in Self.claims where claim.breach == nil {
            let envelope = try TrackEnvelope.decode(Array(claim.message.utf8), atUnixMs: TrackFields.nowUnixMs)
            #expect(envelope.evidence.source.rawValue == claim.source)
            #expect(envelope.evidence.level.rawValue == claim.level)
            #expect(envelope.evidence.kind.rawValue == claim.kind)
            #expect("\(envelope.evidence.histogramPreserved)" == claim.preserved)
            #expect(envelope.evidence.transport.rawValue == claim.transport)
            #expect(envelope.evidence.calibrationHash.isZero == claim.zeroHash)
            #expect(envelope.evidence.source.watermark == ["replay": "REPLAY", "synthetic": "SYNTHETIC"][claim.source])
        }
    }
}
