import NLOSCore
import Testing

/// The live message with one passage replaced, and what a strict reading comes to; nil: accepted.
struct Broken: CustomTestStringConvertible, Sendable {
    let passage: String
    let replacement: String
    let rejection: Rejection?

    init(_ passage: String, _ replacement: String, _ rejection: Rejection?) {
        (self.passage, self.replacement, self.rejection) = (passage, replacement, rejection)
    }

    init(_ passage: String, _ replacement: String, field: String) { self.init(passage, replacement, .invalidField(field)) }

    var testDescription: String { "\(passage) -> \(escaped(replacement.utf8.prefix(80)))" }
}

@Suite struct TransientDecodeTests {
    @Test func theWholeMessageComesOutAsItIs() throws {
        let frame = try TransientFrame.decode(Array(TransientMessages.live.utf8))
        #expect(frame.sessionId.text == "lab-run-001")
        #expect(frame.sequence == 7)
        #expect(frame.capturedAtUnixMs == 1_799_999_999_960)
        #expect(frame.monotonicNs == .max)
        #expect(frame.evidence == .measured(.compactNormalized))
        #expect(frame.sensor.sensorId.text == "st-kit-001")
        #expect(frame.sensor.sensorModel.text == "VL53L8CH")
        #expect(frame.sensor.firmwareVersion.text == "15314de")
        #expect(frame.binWidthPs == 250)
        #expect(frame.startBin == 18)
        #expect(frame.pose == SensorPose(translationM: Vector3(x: 0, y: 0.5, z: -1.25), quaternionXyzw: [0, 0, 0, 1]))
        #expect(frame.zones.wallPointsM == [Vector3(x: -0.1, y: 0.25, z: 1.5), Vector3(x: -0.1, y: 0.25, z: 1.5)])
        #expect(frame.zones.distancesM == [1.5, 1.5])
        #expect(frame.zones.ambient == [.max, .max])
        #expect(frame.zones.bins == 8)
        #expect(frame.zones.histograms == [0, 1, 12, 345, 6789, 65535, 3, 2, 0, 1, 12, 345, 6789, 65535, 3, 2])
    }

    @Test(arguments: [
        Broken("transient.v1", "transient.v2", field: "schema"),
        Broken("transient.v1", #"transient.v1\n"#, field: "schema"),
        Broken("transient.v1", #"\u0074ransient.v1"#, nil),
        Broken(#""schema":"#, #""\u0073chema":"#, nil),
        Broken(#""ruview.nlos.transient.v1""#, "1", .malformed),
        Broken("lab-run-001", "", field: "sessionId"),
        Broken("lab-run-001", String(repeating: "a", count: 64), nil),
        Broken("lab-run-001", String(repeating: "a", count: 65), field: "sessionId"),
        Broken("lab-run-001", String(repeating: #"\u0061"#, count: 64), nil),
        Broken("lab-run-001", String(repeating: #"\u0061"#, count: 65), field: "sessionId"),
        Broken("lab-run-001", "AZaz09._:-", nil),
        Broken("lab-run-001", "a/b", field: "sessionId"),
        Broken("lab-run-001", "lab run", field: "sessionId"),
        Broken("lab-run-001", "lab\u{7f}", field: "sessionId"),
        Broken("lab-run-001", "läb", field: "sessionId"),
        Broken("lab-run-001", #"lab\u000a"#, field: "sessionId"),
        Broken("lab-run-001", #"lab\u0000"#, .malformed),
        Broken("lab-run-001", #"lab\ud800"#, .malformed),
        Broken(#""lab-run-001""#, "null", .malformed),
    ])
    func schemaAndSession(row: Broken) { check(row) }

    @Test(arguments: [
        Broken(":7,", ":0,", nil),
        Broken(":7,", ":9007199254740991,", nil),
        Broken(":7,", ":9007199254740992,", field: "sequence"),
        Broken(":7,", ":18446744073709551616,", field: "sequence"),
        Broken(":7,", ":99999999999999999999999999,", field: "sequence"),
        Broken(":7,", ":-1,", .malformed),
        Broken(":7,", ":-0,", .malformed),
        Broken(":7,", ":7.0,", .malformed),
        Broken(":7,", ":7e0,", .malformed),
        Broken(":7,", ":07,", .malformed),
        Broken(":7,", #":"7","#, .malformed),
        Broken("1799999999960", "0", nil),
        Broken("1799999999960", "9007199254740991", nil),
        Broken("1799999999960", "9007199254740992", field: "timestamp"),
        Broken("1799999999960", "1799999999960.4", .malformed),
        Broken("18446744073709551615", "0", nil),
        Broken("18446744073709551615", "18446744073709551616", field: "monotonicNs"),
        Broken("18446744073709551615", "1e3", .malformed),
        Broken(":18,", ":0,", nil),
        Broken(":18,", ":65535,", nil),
        Broken(":18,", ":65536,", field: "startBin"),
        Broken(":18,", ":18446744073709551616,", field: "startBin"),
        Broken(":18,", ":1.5,", .malformed),
        Broken(":18,", ":-1,", .malformed),
    ])
    func integers(row: Broken) { check(row) }

    @Test(arguments: [
        Broken(":250,", ":1,", nil),
        Broken(":250,", ":0.99999,", field: "binWidthPs"),
        Broken(":250,", ":10000,", nil),
        Broken(":250,", ":10000.01,", field: "binWidthPs"),
        Broken(":250,", ":2.5e2,", nil),
        Broken(":250,", ":0,", field: "binWidthPs"),
        Broken(":250,", ":-250,", field: "binWidthPs"),
        Broken(":250,", ":1e39,", .malformed),
        Broken(":250,", ":NaN,", .malformed),
        Broken(":250,", ":null,", .malformed),
        Broken(":250,", ":+250,", .malformed),
        Broken(":250,", ":250.,", .malformed),
        Broken("-1.25", "1e30", nil),
        Broken("-1.25", "1e-99999999999999999999", nil),
        Broken("-1.25", "1e39", .malformed),
        Broken(#""z":-1.25"#, #""z":-1.25,"w":0"#, .malformed),
        Broken(#","z":-1.25"#, "", .malformed),
        Broken(#"{"x":0,"y":0.5,"z":-1.25}"#, "[0,0.5,-1.25]", .malformed),
        Broken("[0,0,0,1]", "[0.5,0.5,-0.5,0.5]", nil),
        Broken("[0,0,0,1]", "[0,0,0,0.9901]", nil),
        Broken("[0,0,0,1]", "[0,0,0,0.9899]", field: "sensorPose"),
        Broken("[0,0,0,1]", "[0,0,0,1.0099]", nil),
        Broken("[0,0,0,1]", "[0,0,0,1.0101]", field: "sensorPose"),
        Broken("[0,0,0,1]", "[0,0,0,0]", field: "sensorPose"),
        Broken("[0,0,0,1]", "[0,0,1e30,1e30]", field: "sensorPose"),
        Broken("[0,0,0,1]", "[0,0,1]", .malformed),
        Broken("[0,0,0,1]", "[0,0,0,0,1]", .malformed),
        Broken("[0,0,0,1]", "[]", .malformed),
        Broken("[0,0,0,1]", "[0,0,0,[1]]", .malformed),
        Broken("[0,0,0,1]", #"{"x":0,"y":0,"z":0,"w":1}"#, .malformed),
    ])
    func realsAndPose(row: Broken) { check(row) }

    @Test(arguments: [
        Broken("live", #"l\u0069ve"#, nil),
        Broken("live", "LIVE", .malformed),
        Broken("live", "replay", field: "provenance.transientKind"),
        Broken("live", "synthetic", field: "evidenceLevel"),
        Broken("l1_measured", "l0_synthetic", field: "evidenceLevel"),
        Broken("l1_measured", "l2_calibrated", field: "calibrationHash"),
        Broken("l1_measured", "l3_corroborated", field: "evidenceLevel"),
        Broken("l1_measured", "l4", .malformed),
        Broken("compact_normalized_histogram", "raw_histogram", nil),
        Broken("compact_normalized_histogram", "depth_only", field: "provenance.transientKind"),
        Broken("compact_normalized_histogram", "replay", field: "provenance.transientKind"),
        Broken("compact_normalized_histogram", "histogram", .malformed),
        Broken(":true", ":false", field: "provenance.histogramPreserved"),
        Broken(":true", ":1", .malformed),
        Broken("usb_serial", "ruview_server", nil),
        Broken("usb_serial", "replay", field: "provenance.transport"),
        Broken("usb_serial", "bluetooth", .malformed),
        Broken(hash("0"), hash("a"), nil),
        Broken(hash("0"), String(hash("0").dropLast()), field: "calibrationHash"),
        Broken(hash("0"), hash("0") + "0", field: "calibrationHash"),
        Broken(hash("0"), hash("A"), field: "calibrationHash"),
        Broken(hash("0"), hash("g"), field: "calibrationHash"),
        Broken(hash("0"), "", field: "calibrationHash"),
        Broken("st-kit-001", "st kit", field: "provenance.sensorId"),
        Broken("VL53L8CH", "", field: "provenance.sensorModel"),
        Broken("15314de", "15314de\u{e9}", field: "provenance.firmwareVersion"),
        Broken(#""sensorId""#, #""sensorID""#, .malformed),
        Broken(#""transport":"usb_serial""#, #""transport":"usb_serial","extra":null"#, .malformed),
    ])
    func claims(row: Broken) { check(row) }

    private static func hash(_ digit: Character) -> String { String(repeating: digit, count: 64) }

    @Test(arguments: [
        Broken(#""source":"live""#, #""source":"live","source":"live""#, .malformed),
        Broken(#""source":"live""#, #""source":"live","\u0073ource":"live""#, .malformed),
        Broken(#""source":"live","#, "", .malformed),
        Broken(#""source":"live""#, #""source":"live","extra":[]"#, .malformed),
        Broken(#""source":"live""#, #""source":"live","tracks":[]"#, .malformed),
        Broken(#""source":"live""#, #""source":"live","extra":\#(String(repeating: "[", count: 10_000))"#, .malformed),
        Broken(#"{"schema""#, #" \#n\#t{ "schema""#, nil),
        Broken(#"{"schema""#, "\u{feff}{\"schema\"", .malformed),
        Broken("}]}", "}]}\r\n \t", nil),
        Broken("}]}", "}]}\0", .malformed),
        Broken("}]}", "}]}{}", .malformed),
        Broken("}]}", "}]", .malformed),
        // The shape of the whole message comes before the first bad value in it.
        Broken(#"transient.v1","sessionId""#, #"transient.v2","sessionld""#, .malformed),
    ])
    func structure(row: Broken) { check(row) }

    @Test func theFirstBreachInTheContractsOrderIsNamed() {
        // From the back: each row breaks one place more, and that one is now the first.
        var message = TransientMessages.live
        let rows = [
            (#"345"#, #"65536"#, "zones.histogram"), (#""ambient":4294967295"#, #""ambient":4294967296"#, "zones.ambient"),
            (#""distanceM":1.5"#, #""distanceM":0"#, "zones.distanceM"), (#""zoneId":0"#, #""zoneId":9"#, "zones.zoneId"),
            ("[0,0,0,1]", "[0,0,0,2]", "sensorPose"), (":18,", ":65536,", "startBin"), (":250,", ":0,", "binWidthPs"),
            ("15314de", "", "provenance.firmwareVersion"), ("VL53L8CH", "", "provenance.sensorModel"),
            ("st-kit-001", "", "provenance.sensorId"),
            ("compact_normalized_histogram", "depth_only", "provenance.transientKind"), ("l1_measured", "l3_corroborated", "evidenceLevel"),
            (Self.hash("0"), "", "calibrationHash"), ("18446744073709551615", "18446744073709551616", "monotonicNs"),
            ("1799999999960", "9007199254740992", "timestamp"), (":7,", ":9007199254740992,", "sequence"), ("lab-run-001", "", "sessionId"),
            ("transient.v1", "transient.v0", "schema"),
        ]
        for (passage, replacement, field) in rows {
            message = message.replacingFirst(passage, with: replacement)
            #expect(verdict(message) == .invalidField(field))
        }
    }

    private func check(_ row: Broken) {
        let message = TransientMessages.live.replacingFirst(row.passage, with: row.replacement)
        #expect(verdict(message) == row.rejection)
    }
}

/// Why the message is refused; nil when it is not.
func verdict(_ message: String) -> Rejection? {
    do throws(Rejection) {
        _ = try TransientFrame.decode(Array(message.utf8))
        return nil
    } catch {
        return error
    }
}
