import Foundation
import NLOSCore
import Testing

/// The check reads bytes and believes nothing.
struct DiagnosticCheckTests {
    private let good: String

    init() throws { good = try DiagnosticFixture().text }

    @Test("65,536 bytes are accepted and 65,537 refused")
    func size() {
        let room = 65_536 - good.utf8.count
        #expect(refusal(of: good + String(repeating: " ", count: room)) == nil)
        #expect(refusal(of: good + String(repeating: " ", count: room + 1)) == .tooLarge(bytes: 65_537))
    }

    @Test(
        "What is no strict JSON object is malformed",
        arguments: [
            "", "{", "[]", "null", "1", "\"x\"", "{}x", "{} {}", "\u{feff}{}", #"{"schema":1e999}"#, #"{"a":NaN}"#, #"{"a":01}"#,
            #"{"a":1,}"#,
            #"{"a":1,"a":1}"#, "{\"a\":\"\u{1}\"}", #"{"a":nul}"#, #"{"a":'x'}"#, #"{a:1}"#, #"{"a":[1,]}"#, #"{"a":"\ud800"}"#,
        ])
    func malformed(text: String) { #expect(refusal(of: text) == .malformed) }

    @Test func bytesThatAreNoUTF8AreMalformed() {
        #expect(throws: DiagnosticRefusal.malformed) {
            try DiagnosticCheck.check(Array("{\"a\":\"".utf8) + [0xc0, 0x80] + Array("\"}".utf8))
        }
    }

    @Test("Nesting is followed to a limit and no further")
    func nesting() {
        #expect(refusal(of: String(repeating: "[", count: 60_000)) == .malformed)
        #expect(refusal(of: #"{"x":"# + String(repeating: "[", count: 32) + String(repeating: "]", count: 32) + "}") == .malformed)
        #expect(refusal(of: #"{"x":"# + String(repeating: "[", count: 31) + String(repeating: "]", count: 31) + "}") == .unknownKey("x"))
    }

    static let forbidden = [
        "serial", "serialNumber", "usbSerial", "distance", "distancesMm", "wallDistanceMillimeters", "depthMap", "histograms", "histogram",
        "image", "cameraImage", "token", "pairingToken", "hostname", "hostName", "host", "ipAddress", "macAddress", "ip", "mac", "busPath",
        "path", "devicePath", "endpoint", "url", "user", "userName", "zones", "ambient", "node", "port", "pose", "cameraTransform",
        "location", "raw_samples", "PASSWORD", "device",
    ]

    @Test("A forbidden key is refused at any depth, by its name", arguments: forbidden)
    func forbiddenKeys(key: String) {
        let member = "\"\(key)\":1"
        for place in ["{", #""capabilities":{"#, #""consent":{"#, #""phases":[{"#] {
            #expect(refusal(of: good.replacingOccurrences(of: place, with: place + member + ",")) == .forbiddenKey(key))
        }
        for deep in [#"{"x":{\#(member)}}"#, #"{"x":[[{"y":[{\#(member)}]}]]}"#, #"{"x":{"y":{"z":{\#(member)}}}}"#] {
            #expect(refusal(of: deep) == .forbiddenKey(key))
        }
    }

    @Test("An unknown key is refused wherever it stands")
    func unknownKeys() {
        for (place, name) in [
            (#"{"bridge"#, "aaa"), (#""capabilities":{"#, "capabilities.aaa"), (#""consent":{"#, "consent.aaa"),
            (#""phases":[{"#, "phases.aaa"),
        ] {
            let with = place.hasPrefix("{") ? #"{"aaa":1,"bridge"# : place + #""aaa":1,"#
            #expect(refusal(of: good.replacingOccurrences(of: place, with: with)) == .unknownKey(name))
        }
    }

    @Test("A missing key is named; only the reason of a failure may be absent")
    func missingKeys() throws {
        let root = try #require(try JSONSerialization.jsonObject(with: Data(good.utf8)) as? [String: Any])
        #expect(root.count == 13)
        for key in root.keys {
            var less = root
            less[key] = nil
            #expect(try refusal(of: text(less)) == .missingKey(key))
        }
        for group in ["capabilities", "consent"] {
            let members = try #require(root[group] as? [String: Any])
            for key in members.keys {
                var (less, rest) = (root, members)
                rest[key] = nil
                less[group] = rest
                #expect(try refusal(of: text(less)) == .missingKey("\(group).\(key)"))
            }
        }
        let phases = try #require(root["phases"] as? [[String: Any]])
        for (index, phase) in phases.enumerated() {
            for key in phase.keys {
                var (less, rest) = (root, phases)
                rest[index][key] = nil
                less["phases"] = rest
                #expect(try refusal(of: text(less)) == (key == "phase" ? .invalid("phases.phase") : .missingKey("phases.\(key)")))
            }
        }
    }

    static let changes: [(from: String, to: String, name: String)] = [
        (#""direct_depth""#, #""l1_measured""#, "evidenceLabel"), (#""direct_depth""#, "true", "evidenceLabel"),
        ("blocked_raw_transients_unavailable", "available", "physicalNLOSStatus"),
        (#""sensorPose":false"#, #""sensorPose":true"#, "capabilities.sensorPose"),
        (#""rawSensorExport":false"#, #""rawSensorExport":true"#, "consent.rawSensorExport"),
        (#""rawSensorExport":false"#, #""rawSensorExport":null"#, "consent.rawSensorExport"),
        (#""visibleDepth":true"#, #""visibleDepth":1"#, "capabilities.visibleDepth"),
        ("diagnostic.v1", "diagnostic.v2", "schema"), (#""granted""#, #""yes""#, "usbPermission"),
        (#""completed""#, #""passed""#, "completionStatus"), (#""completed""#, #""failed""#, "failureReason"),
        ("2026-11-30T07:00:00Z", "2026-11-30T07:00:00+00:00", "createdAt"), ("2026-11-30T07", "2026-13-30T07", "createdAt"),
        ("2026-11-30T07", "2026-11-30T24", "createdAt"), ("2026-11-30T07", "2026-11-30 07", "createdAt"),
        (#""averageFPS":29.97"#, #""averageFPS":240.01"#, "phases.averageFPS"),
        (#""averageFPS":29.97"#, #""averageFPS":-0.01"#, "phases.averageFPS"),
        (#""averageFPS":29.97"#, #""averageFPS":"29.97""#, "phases.averageFPS"),
        (#""averageDepthCoverage":0.9877"#, #""averageDepthCoverage":1.0001"#, "phases.averageDepthCoverage"),
        (#"PerSecond":0.0123"#, #"PerSecond":20.001"#, "phases.averageMovementMetersPerSecond"),
        (#""frameCount":450"#, #""frameCount":450.5"#, "phases.frameCount"),
        (#""frameCount":450"#, #""frameCount":-1"#, "phases.frameCount"),
        (#""frameCount":450"#, #""frameCount":4e2"#, "phases.frameCount"),
        (#""steadyWallShare":0.9876"#, #""steadyWallShare":2"#, "phases.steadyWallShare"),
        (#""finalTrackingState":"normal""#, #""finalTrackingState":"good""#, "phases.finalTrackingState"),
        (#""peakThermalState":"nominal""#, #""peakThermalState":"hot""#, "phases.peakThermalState"),
        (#""phase":"calibration""#, #""phase":"wall_scan""#, "phases.depthNoiseMillimeters"),
        (#""phase":"wall_scan""#, #""phase":"calibration""#, "phases.phase"),
        (#""phase":"wall_scan""#, #""phase":"third""#, "phases.phase"),
        (#""observedDurationSeconds":15.02"#, #""observedDurationSeconds":14.4"#, "completionStatus"),
        (#""observedDurationSeconds":30.01"#, #""observedDurationSeconds":32.1"#, "completionStatus"),
        (#""0.1.0""#, #""10.0.0.7""#, "bridgeVersion"), (#""0.1.0""#, #""""#, "bridgeVersion"),
        (#""VL53L8CH""#, #""VL53L8CH 066DFF3833584B3043115433""#, "sensorModelFamily"),
        (#""VL53L8CH""#, #""usb:1-4""#, "sensorModelFamily"), (#""VL53L8CH""#, #""replay\/lab.pcap""#, "sensorModelFamily"),
        (#""VL53L8CH""#, "\"\(String(repeating: "V", count: 81))\"", "sensorModelFamily"),
        ("debian 12", "debian@lab", "osVersion"), ("debian 12", "d\u{e9}bian", "osVersion"),
        ("debian 12", String(repeating: "d", count: 40), "osVersion"), ("debian 12", "02:42:ac:11:00:02", "osVersion"),
    ]

    @Test("Another type, another name, a number out of range, a text that says too much", arguments: changes)
    func invalid(from: String, to: String, name: String) throws {
        let changed = try #require(good.range(of: from).map { good.replacingCharacters(in: $0, with: to) })
        let verdict = refusal(of: changed)
        // A phase that has become another one has a key that this one does not know.
        #expect(verdict == .invalid(name) || verdict == .unknownKey(name))
    }

    @Test(
        "Session identifiers are lower-case random UUIDs",
        arguments: [
            "0B6A1C2E-3D4F-4A5B-8C6D-7E8F9A0B1C2D", "0b6a1c2e-3d4f-1a5b-8c6d-7e8f9a0b1c2d", "0b6a1c2e-3d4f-4a5b-cc6d-7e8f9a0b1c2d",
            "0b6a1c2e3d4f4a5b8c6d7e8f9a0b1c2d", "",
        ])
    func sessions(identifier: String) {
        let changed = good.replacing(/"sessionId":"[^"]*"/, with: "\"sessionId\":\"\(identifier)\"")
        #expect(refusal(of: changed) == .invalid("sessionId"))
    }

    @Test("Keys that are not in order are refused")
    func order() {
        let changed = good.replacingOccurrences(
            of: #""diagnosticExport":true,"localValidation":true"#, with: #""localValidation":true,"diagnosticExport":true"#)
        #expect(refusal(of: changed) == .unsorted("consent.diagnosticExport"))
    }

    @Test("Three phases are refused, none is accepted of a run that was not completed")
    func phases() throws {
        let root = try #require(try JSONSerialization.jsonObject(with: Data(good.utf8)) as? [String: Any])
        var changed = root
        changed["phases"] = try #require(root["phases"] as? [Any]) + [try #require((root["phases"] as? [Any])?.last)]
        #expect(try refusal(of: text(changed)) == .invalid("phases.phase"))
        changed["phases"] = [Any]()
        #expect(try refusal(of: text(changed)) == .invalid("completionStatus"))
        changed["completionStatus"] = "cancelled"
        #expect(try refusal(of: text(changed)) == nil)
    }

    @Test("A reason stands with every failure and with no completed run, and says nothing private")
    func reasons() throws {
        let failed = try DiagnosticFixture(outcome: .failed("no_frames: no frame came within 5 s of opening the sensor", [])).text
        #expect(refusal(of: failed) == nil)
        #expect(refusal(of: failed.replacingOccurrences(of: #""failed""#, with: #""completed""#)) == .invalid("failureReason"))
        #expect(refusal(of: failed.replacingOccurrences(of: #""failed""#, with: #""cancelled""#)) == nil)
        let sentence = "no frame came within 5 s of opening the sensor"
        for bad in ["see /dev/ttyACM0", "at usb:1-4.2", "serial 0669FF505055877267133430", "host 192.168.1.20", "mail a@b", "C:\\\\x"] {
            #expect(refusal(of: failed.replacingOccurrences(of: sentence, with: bad)) == .invalid("failureReason"), "\(bad)")
        }
        let long = String(repeating: "a ", count: 121)
        #expect(refusal(of: failed.replacingOccurrences(of: "no_frames: " + sentence, with: long)) == .invalid("failureReason"))
        #expect(refusal(of: failed.replacingOccurrences(of: "no_frames: " + sentence, with: String(long.prefix(240)))) == nil)
    }

    private func text(_ object: [String: Any]) throws -> String {
        String(
            decoding: try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes]), as: UTF8.self)
    }
}
