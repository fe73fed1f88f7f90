import NLOSCore
import Testing

@Suite struct EvidenceTests {
    /// The whole of table D: every combination, against rules written out a second time, row by row.
    @Test func everyCombinationAgainstTableD() {
        var combinations = 0
        var accepted = 0
        for source in FrameSource.allCases {
            for level in EvidenceLevel.allCases {
                for kind in TransientKind.allCases {
                    for preserved in [true, false] {
                        for transport in Transport.allCases {
                            for hash in [CalibrationHash.zero, CalibrationHash(String(repeating: "ab", count: 32))!] {
                                combinations += 1
                                let expected = row(source, level, kind, preserved, transport, hash.isZero)
                                let evidence = try? Evidence(
                                    source: source, level: level, kind: kind, histogramPreserved: preserved,
                                    transport: transport, calibrationHash: hash)
                                #expect((evidence != nil) == expected, "\(source) \(level) \(kind) \(preserved) \(transport)")
                                if evidence != nil { accepted += 1 }
                            }
                        }
                    }
                }
            }
        }
        #expect(combinations == 576)
        // live: 2 kinds x 2 transports x (l1 with either hash + l2 with a real one) = 12; replay: l0, l1 with either hash + l2
        // with a real one = 5; synthetic: preserved or not = 2.
        #expect(accepted == 19)
    }

    private func row(
        _ source: FrameSource, _ level: EvidenceLevel, _ kind: TransientKind, _ preserved: Bool, _ transport: Transport,
        _ zeroHash: Bool
    ) -> Bool {
        switch (source, level, kind, preserved, transport) {
        case (.live, .measured, .rawHistogram, true, .usbSerial), (.live, .measured, .rawHistogram, true, .ruviewServer),
            (.live, .measured, .compactNormalizedHistogram, true, .usbSerial),
            (.live, .measured, .compactNormalizedHistogram, true, .ruviewServer):
            true
        case (.live, .calibrated, .rawHistogram, true, .usbSerial), (.live, .calibrated, .rawHistogram, true, .ruviewServer),
            (.live, .calibrated, .compactNormalizedHistogram, true, .usbSerial),
            (.live, .calibrated, .compactNormalizedHistogram, true, .ruviewServer):
            !zeroHash
        case (.replay, .synthetic, .replay, true, .replay), (.replay, .measured, .replay, true, .replay): true
        case (.replay, .calibrated, .replay, true, .replay): !zeroHash
        case (.synthetic, .synthetic, .replay, _, .replay): zeroHash
        default: false
        }
    }

    @Test func replayNeverLifts() throws {
        let made = Evidence.synthetic
        #expect(made.replayed == made)
        let live = Evidence.measured(.raw)
        #expect(live.level == .measured)
        #expect(live.replayed.source == .replay)
        #expect(live.replayed.level == .measured)
        let low = try Evidence(
            source: .replay, level: .synthetic, kind: .replay, histogramPreserved: true, transport: .replay,
            calibrationHash: .zero)
        #expect(low.replayed == low)
    }
}
