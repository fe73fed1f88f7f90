import NLOSCore
import Testing

/// What may stand in a diagnostic is what its type can hold.
struct DiagnosticTests {
    @Test func aCompletedRunReadsLikeThis() throws {
        let text = try DiagnosticFixture().text
        let session = try #require(text.firstMatch(of: /"sessionId":"([0-9a-f-]{36})"/)).1
        let wanted =
            #"{"bridgeVersion":"0.1.0","capabilities":{"compactNormalizedHistogram":true,"rawHistogram":false,"sensorPose":false,"#
            + #""sensorTemperature":false,"visibleDepth":true},"completionStatus":"completed","consent":{"diagnosticExport":true,"#
            + #""localValidation":true,"rawSensorExport":false},"createdAt":"2026-11-30T07:00:00Z","evidenceLabel":"direct_depth","#
            + #""osVersion":"debian 12, kernel 6.1.0","phases":[{"averageDepthCoverage":0.9877,"averageFPS":29.97,"#
            + #""averageMovementMetersPerSecond":0.0123,"depthNoiseMillimeters":3.21,"finalTrackingState":"normal","frameCount":450,"#
            + #""observedDurationSeconds":15.02,"peakThermalState":"nominal","phase":"calibration","plannedDurationSeconds":15},"#
            + #"{"averageDepthCoverage":0.9877,"averageFPS":29.97,"averageMovementMetersPerSecond":0.0123,"#
            + #""finalTrackingState":"normal","frameCount":450,"observedDurationSeconds":30.01,"peakThermalState":"nominal","#
            + #""phase":"wall_scan","plannedDurationSeconds":30,"steadyWallShare":0.9876}],"#
            + #""physicalNLOSStatus":"blocked_raw_transients_unavailable","schema":"ruview.bridge.visible-depth-diagnostic.v1","#
            + #""sensorModelFamily":"VL53L8CH","sessionId":"\#(session)","usbPermission":"granted"}"#
        #expect(text == wanted)
    }

    @Test(
        "A source that is not live says so beside the model",
        arguments: [
            (FrameSource?.some(.live), "VL53L8CH"), (.some(.replay), "VL53L8CH (REPLAY)"), (.some(.synthetic), "VL53L8CH (SYNTHETIC)"),
            (nil, "VL53L8CH"),
        ])
    func labelsTheSource(source: FrameSource?, family: String) throws {
        #expect(try DiagnosticFixture(source: source).text.contains(#""sensorModelFamily":"\#(family)""#))
    }

    @Test("The longest model name and every label stay within 80 characters")
    func longestFamily() throws {
        let model = SafeLabel(String(repeating: "V", count: 64))
        for source in FrameSource.allCases { #expect(try DiagnosticFixture(source: source, model: model).text.utf8.count < 2_000) }
    }

    static let lengths: [(calibration: Double, wallScan: Double, isCompleted: Bool)] = [
        (14.5, 29.5, true), (16.5, 32, true), (14.499, 30, false), (16.501, 30, false), (15, 29.499, false), (15, 32.001, false),
    ]

    @Test("Only phases of their whole length make a completed run", arguments: lengths)
    func completed(calibration: Double, wallScan: Double, isCompleted: Bool) {
        let outcome = VisibleDepthDiagnostic.Outcome.completed(
            calibration: .calibration(observed: calibration), wallScan: .wallScan(observed: wallScan))
        #expect((outcome != nil) == isCompleted)
    }

    @Test("A shortened plan is never completed, nor are two phases of one kind")
    func shortened() {
        let whole = DiagnosticFixture()
        let short = PhaseSummary.calibration(planned: 3)
        #expect(VisibleDepthDiagnostic.Outcome.completed(calibration: short, wallScan: whole.wallScan) == nil)
        #expect(VisibleDepthDiagnostic.Outcome.completed(calibration: whole.wallScan, wallScan: whole.calibration) == nil)
        #expect(VisibleDepthDiagnostic.Outcome.completed(calibration: whole.wallScan, wallScan: whole.wallScan) == nil)
    }

    @Test("A number that is none counts as 0, and one out of range as the nearest in it")
    func clamps() {
        let wild = PhaseSummary.test(
            .calibration, planned: -1, observed: .infinity, frames: -3, fps: 241, coverage: 1.5, movement: 1e300, noise: .nan, share: 1)
        #expect(wild.depthNoiseMillimeters == 0 && wild.steadyWallShare == nil)
        #expect(wild.plannedDurationSeconds == 0 && wild.observedDurationSeconds == 0 && wild.frameCount == 0)
        #expect(wild.averageFPS == 240 && wild.averageDepthCoverage == 1 && wild.averageMovementMetersPerSecond == 20)
        let low = PhaseSummary.test(
            .wallScan, planned: 1, observed: 1, fps: -1, coverage: -.infinity, movement: .nan, noise: 1, share: -0.1)
        #expect(low.depthNoiseMillimeters == nil && low.steadyWallShare == 0)
        #expect(low.averageFPS == 0 && low.averageDepthCoverage == 0 && low.averageMovementMetersPerSecond == 0)
    }

    @Test("A phase that was too short for its own figure has it all the same, as 0")
    func absentFigures() throws {
        let text = try DiagnosticFixture(outcome: .cancelled([.calibration(noise: nil), .wallScan(share: nil)])).text
        #expect(text.contains(#""depthNoiseMillimeters":0,"#) && text.contains(#""steadyWallShare":0}"#))
    }

    @Test("Of phases in any order and number, at most one of each kind is kept, calibration first")
    func orders() throws {
        let whole = DiagnosticFixture()
        let shuffled = [whole.wallScan, whole.calibration, whole.wallScan, whole.calibration]
        let text = try DiagnosticFixture(outcome: .cancelled(shuffled)).text
        #expect(text.matches(of: /"phase":"[a-z_]*"/).map { String($0.output) } == [#""phase":"calibration""#, #""phase":"wall_scan""#])
    }

    @Test("A sentence is cut at 240 characters")
    func longSentence() {
        let long: PublicSentence = """
            0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789\
            0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789\
            01234567890123456789012345678901234567890
            """
        #expect(long.text.count == 240)
    }

    @Test("What is put into a sentence is a phase, a share or a time, and never too long")
    func sentenceParts() {
        #expect(
            ("In the \(.wallScan): \(percent: 0.754), from \(seconds: 20.14)." as PublicSentence).text
                == "In the wall scan: 75 %, from 20.1 s.")
        #expect(
            ("\(percent: .nan) \(percent: -1) \(percent: 1e300) \(seconds: .infinity) \(seconds: 1e300)" as PublicSentence).text
                == "0 % 0 % 999 % 0.0 s 9999.9 s")
    }

    @Test("Run identifiers are random UUIDs and never the same")
    func identifiers() {
        let names = (0..<1_000).map { _ in RunIdentifier().text }
        #expect(Set(names).count == names.count)
        for name in names { #expect(name.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil) }
    }

    static let systems: [(name: String?, version: String?, kernel: String, text: String)] = [
        ("debian", "12", "6.1.0-42-amd64", "debian 12, kernel 6.1.0"),
        ("ubuntu", "24.04", "6.8.0-1017-raspi", "ubuntu 24.04, kernel 6.8.0"),
        ("arch", nil, "6.11.5-arch1-1", "arch, kernel 6.11.5"), (nil, nil, "", "linux"), ("", "", "workshop-pc", "linux"),
        ("opensuse-leap", "15.6.20261130", "5.14.21.99.7", "opensuse 15.6, kernel 5.14.21"),
        ("LABPC-7", "/dev/sda", "6.1.1234567", "linux, kernel 6.1"),
        ("abcdefghijklmnopqrstuvwxyz", "123.456", "123.456.789", "abcdefghijkl 123.456, kernel 123.456.789"),
    ]

    @Test("A system is named by distribution and numbers, and by nothing that somebody chose for the machine", arguments: systems)
    func system(name: String?, version: String?, kernel: String, text: String) {
        let system = SystemDescription(name: name, version: version, kernelRelease: kernel)
        #expect(system.text == text)
        #expect(system.text.utf8.count <= 40)
    }

    static let times: [(unixMs: UInt64, text: String)] = [
        (0, "1970-01-01T00:00:00Z"), (951_782_400_000, "2000-02-29T00:00:00Z"), (951_868_799_999, "2000-02-29T23:59:59Z"),
        (4_107_542_399_000, "2100-02-28T23:59:59Z"), (4_107_542_400_000, "2100-03-01T00:00:00Z"),
        (1_709_164_800_000, "2024-02-29T00:00:00Z"), (.max, "9999-12-31T23:59:59Z"),
    ]

    @Test("Times are UTC", arguments: times)
    func time(unixMs: UInt64, text: String) throws {
        let fixture = DiagnosticFixture().diagnostic
        let diagnostic = VisibleDepthDiagnostic(
            session: RunIdentifier(), createdAtUnixMs: unixMs, sensorModel: nil, source: nil,
            system: SystemDescription(name: nil, version: nil, kernelRelease: ""), bridgeVersion: "0", capabilities: .init(histogram: nil),
            permission: .denied, consent: .init(localValidation: false, diagnosticExport: false), outcome: .cancelled([]))
        #expect(diagnostic != fixture)
        #expect(String(decoding: try diagnostic.encoded(), as: UTF8.self).contains(#""createdAt":"\#(text)""#))
    }
}
