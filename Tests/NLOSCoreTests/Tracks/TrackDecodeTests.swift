import NLOSCore
import Testing

/// A member's value, and what a strict reading comes to; nil: accepted.
struct TrackRow: CustomTestStringConvertible, Sendable {
    let path: String
    let value: String
    let rejection: Rejection?

    init(_ path: String, _ value: String, _ rejection: Rejection?) { (self.path, self.value, self.rejection) = (path, value, rejection) }
    init(_ path: String, _ value: String, field: String) { self.init(path, value, .invalidField(field)) }

    var testDescription: String { "\(path) \(escaped(value.utf8.prefix(80)))" }
}

@Suite struct TrackDecodeTests {
    @Test func theWholeMessageComesOutAsItIs() throws {
        let message = Array(
            TrackFields(["tracks": "[\(TrackFields().track),\(TrackFields(["trackId": #""b""#, "state": #""unknown""#]).track)]"]).text.utf8
        )
        let envelope = try TrackEnvelope.decode(message, atUnixMs: TrackFields.nowUnixMs)
        #expect(envelope.sessionId.text == "lab-run-001")
        #expect(envelope.sequence == 7)
        #expect(envelope.capturedAtUnixMs == 1_799_999_999_960)
        #expect(envelope.expiresAtUnixMs == 1_800_000_000_210)
        #expect(envelope.algorithmVersion.text == "motion-aperture-canonical-v1")
        let evidence = try Evidence(
            source: .live, level: .measured, kind: .rawHistogram, histogramPreserved: true, transport: .ruviewServer,
            calibrationHash: #require(CalibrationHash(String(repeating: "0a", count: 32))))
        #expect(envelope.evidence == evidence)
        #expect(envelope.sensor.sensorId.text == "st-kit-001")
        #expect(envelope.sensor.sensorModel.text == "VL53L8CH")
        #expect(envelope.sensor.firmwareVersion.text == "15314de")
        #expect(envelope.tracks.map(\.trackId.text) == ["hidden-target-0", "b"])
        #expect(envelope.tracks.map(\.state) == [.tracking, .unknown])
        let track = try #require(envelope.tracks.first)
        #expect(track.positionM == SIMD3(1.25, 0.4, -2.5))
        #expect(track.velocityMps == SIMD3(0.1, 0, -0.2))
        #expect(track.covarianceDiagonalM2 == SIMD3(0.04, 0.09, 0.04))
        #expect(track.confidence == 0.88)
        #expect(track.posteriorEntropy == 0.32)
        #expect(track.signalQuality == 0.74)
        #expect(track.contributions.lidar == 0.7)
        #expect(track.contributions.csi == 0.3)
        let slice = ([0x7b] + message + [0x7d])[1...message.count]
        #expect(try TrackEnvelope.decode(slice, atUnixMs: TrackFields.nowUnixMs) == envelope)
    }

    @Test("labels", arguments: ["sessionId", "algorithmVersion", "sensorId", "sensorModel", "firmwareVersion", "trackId"])
    func labels(path: String) {
        let field = ["sensorId": "provenance.sensorId", "sensorModel": "provenance.sensorModel", "trackId": "tracks.trackId"][path]
        let breach = Rejection.invalidField(field ?? (path == "firmwareVersion" ? "provenance.firmwareVersion" : path))
        let rows: [(String, Rejection?)] = [
            (#""a""#, nil), (#""AZaz09._:-""#, nil), (quoted("a", 64), nil), (quoted(#"\u0061"#, 64), nil), (#""\u002d""#, nil),
            (#""""#, breach), (quoted("a", 65), breach), (quoted(#"\u0061"#, 65), breach), (quoted("a", 10_000), breach),
            (#""a/b""#, breach), (#""a b""#, breach), (#""a{b""#, breach), (#""a@b""#, breach), (#""a[b""#, breach), (#""a`b""#, breach),
            (#""a,b""#, breach), (#""a;b""#, breach), (#""\n""#, breach), (#""\"""#, breach), (#""\/""#, breach), (#""é""#, breach),
            (#""\u212a""#, breach), ("\"\u{7f}\"", breach), (#""😀""#, breach), (#""\u0000""#, .malformed), (#""\ud800""#, .malformed),
            ("\"\n\"", .malformed), ("null", .malformed), ("1", .malformed), ("[]", .malformed), ("true", .malformed),
        ]
        for (value, verdict) in rows { #expect(trackVerdict([path: value]) == verdict, "\(value)") }
    }

    @Test(arguments: [
        TrackRow("schema", #""ruview.nlos.track.v\u0031""#, nil), TrackRow("schema", #""ruview.nlos.track.v2""#, field: "schema"),
        TrackRow("schema", #""ruview.nlos.track.v1 ""#, field: "schema"), TrackRow("schema", #""ruview.nlos.track.v""#, field: "schema"),
        TrackRow("schema", #""RUVIEW.NLOS.TRACK.V1""#, field: "schema"),
        TrackRow("schema", #""ruview.nlos.transient.v1""#, field: "schema"),
        TrackRow("schema", #""""#, field: "schema"), TrackRow("schema", "1", .malformed),
        TrackRow("calibrationHash", TrackFields.zeroHash, nil), TrackRow("calibrationHash", quoted("f", 64), nil),
        TrackRow("calibrationHash", quoted(#"\u0066"#, 64), nil), TrackRow("calibrationHash", quoted("f", 63), field: "calibrationHash"),
        TrackRow("calibrationHash", quoted("f", 65), field: "calibrationHash"),
        TrackRow("calibrationHash", quoted("F", 64), field: "calibrationHash"),
        TrackRow("calibrationHash", quoted("g", 64), field: "calibrationHash"),
        TrackRow("calibrationHash", quoted("0a0g", 16), field: "calibrationHash"),
        TrackRow("calibrationHash", quoted("/", 64), field: "calibrationHash"),
        TrackRow("calibrationHash", quoted("é", 32), field: "calibrationHash"),
        TrackRow("calibrationHash", quoted(#"\u00e9"#, 64), field: "calibrationHash"),
        TrackRow("calibrationHash", #""""#, field: "calibrationHash"),
    ])
    func schemaAndHash(row: TrackRow) { #expect(trackVerdict([row.path: row.value]) == row.rejection) }

    @Test(
        "integers are spelled as integers, and are at most 2^53-1",
        arguments: [
            ("sequence", "sequence"), ("capturedAtUnixMs", "timestamp"), ("expiresAtUnixMs", "timestamp"),
        ])
    func integers(path: String, field: String) {
        let tooLarge = [
            "9007199254740992", "9007199254740993", "18446744073709551615", "18446744073709551616",
            "1" + String(repeating: "0", count: 400),
        ]
        for value in tooLarge { #expect(trackVerdict([path: value]) == .invalidField(field), "\(value)") }
        let misspelled = [
            "7.0", "7.5", "0.0", "7e0", "1e3", "1E3", "7e", "-1", "-0", "+7", "07", "00", "0x7", "7n", "1_000", ".5", "5.", "\"7\"", "null",
            "true", "NaN", "Infinity", "[]", "{}", "", "7 7",
        ]
        for value in misspelled { #expect(trackVerdict([path: value]) == .malformed, "\(value)") }
    }

    @Test(arguments: ["0", "1", "9007199254740991"])
    func sequencesAtTheirBounds(value: String) { #expect(trackVerdict(["sequence": value]) == nil) }

    @Test(
        "every instant has a row on each side",
        arguments: [
            // captured, expires, now
            (1000, 1250, 1100, nil), (2000, 2001, 1000, nil), (2001, 2002, 1000, .futureDated), (1000, 2000, 2000, .stale),
            (1000, 2000, 1999, nil), (1000, 2000, 2001, .stale), (1000, 6000, 1000, nil), (1000, 6001, 1000, .excessiveLifetime),
            (1000, 1000, 900, .invalidField("expiresAtUnixMs")), (1000, 999, 900, .invalidField("expiresAtUnixMs")),
            (1000, 1001, 1000, nil), (0, 5000, 4999, nil), (0, 1, 0, nil), (0, 250, 1_800_000_000_000, .stale),
            (9_007_199_254_740_990, 9_007_199_254_740_991, 0, .futureDated), (9_007_199_254_740_990, 9_007_199_254_740_991, .max, .stale),
            (9_007_199_254_740_990, 9_007_199_254_740_991, 9_007_199_254_740_990, nil),
            (0, 9_007_199_254_740_991, 5, .excessiveLifetime), (0, 0, 0, .invalidField("expiresAtUnixMs")),
        ] as [(UInt64, UInt64, UInt64, Rejection?)])
    func instants(captured: UInt64, expires: UInt64, now: UInt64, verdict: Rejection?) {
        #expect(trackVerdict(["capturedAtUnixMs": "\(captured)", "expiresAtUnixMs": "\(expires)"], at: now) == verdict)
    }

    @Test(arguments: ["source", "evidenceLevel", "transientKind", "transport", "state"])
    func anUnknownNameIsMalformed(path: String) {
        let good = TrackFields().values[path] ?? ""
        for value in [
            #""""#, #""LIVE""#, #""other""#, good.uppercased(), "\(good.dropLast()) \"", "null", "1", #"{"live":null}"#, "[]",
            String(good.dropLast()),
        ] {
            #expect(trackVerdict([path: value]) == .malformed, "\(value)")
        }
        #expect(trackVerdict([path: #""\u00"# + String(good.utf8.dropFirst().first!, radix: 16) + good.dropFirst(2)]) == nil)
    }

    @Test(arguments: ["1", "0", #""true""#, "null", "True", "[true]", "yes", ""])
    func preservedIsATruth(value: String) { #expect(trackVerdict(["histogramPreserved": value]) == .malformed) }
}

private func quoted(_ text: String, _ count: Int) -> String { "\"" + String(repeating: text, count: count) + "\"" }
