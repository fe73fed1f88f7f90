import DepthValidation
import NLOSCore
import Testing
import TransientSensor

@testable import bridge

/// Whole runs through the firmware's text, the decoder and the session, in virtual time.
@Suite(.serialized) struct ValidationLoopTests {
    @Test("A matte wall completes the full 45 seconds, and says that it was made up")
    func completed() throws {
        let (end, lines) = try VirtualRun().run()
        #expect(end.verdict == nil)
        #expect(ValidationEnd.ran(end).status == .done)
        let text = try end.diagnostic()
        #expect(text.contains(#""completionStatus":"completed""#))
        #expect(text.contains(#""sensorModelFamily":"VL53L8CH (SYNTHETIC)""#))
        #expect(lines.allSatisfy { $0.hasPrefix("SYNTHETIC ") })
        let phases = end.result.phases
        #expect(phases.map(\.phase) == [.calibration, .wallScan])
        #expect((14.5...16.5).contains(phases[0].observedDurationSeconds) && (29.5...32).contains(phases[1].observedDurationSeconds))
        #expect(phases.allSatisfy { (27...31).contains($0.averageFPS) && $0.averageDepthCoverage == 1 })
    }

    @Test("A shortened run of a perfect wall is not completed, and says why")
    func shortened() throws {
        let (end, _) = try VirtualRun(plan: .shortened(calibrationSeconds: 3, wallScanSeconds: 5)!).run()
        #expect(end.result.outcome == .shortenedRunPassed)
        #expect(ValidationEnd.ran(end).status == .failed)
        let text = try end.diagnostic()
        #expect(text.contains(#""completionStatus":"cancelled""#) && text.contains("Shortened"))
    }

    static let ends: [(name: String, run: VirtualRun, failure: ValidationFailure, says: String)] = [
        ("unplugged", VirtualRun(faults: ["unplug-after=200000"]), .sensorDisconnected, "unplugged"),
        ("unplugged before the first frame", VirtualRun(faults: ["unplug-after=2000"]), .sensorDisconnected, "unplugged"),
        ("every second frame lost in the board", VirtualRun(faults: ["extract-error=2"]), .lowFrameRate, "frame rate"),
        ("the board restarts in the run", VirtualRun(faults: ["reset-after=100"]), .stalled, "0.5 s"),
        ("a dark wall", VirtualRun(scene: .darkWall), .lowCoverage, "coverage"),
        ("a near wall", VirtualRun(scene: .nearWall), .wallOutOfRange, "0.5 to 4 m"),
        ("a corner", VirtualRun(scene: .corner), .noSteadyWall, "flat wall"),
        ("no distances", VirtualRun(faults: ["no-distance"]), .noDepth, "No zone"),
        ("every fifth frame repeated", VirtualRun(faults: ["frozen-frame"]), .frozenFrames, "repeated"),
        ("distances scatter", VirtualRun(faults: ["distance-noise"]), .unstableDepth, "noise"),
        ("it gets brighter", VirtualRun(faults: ["brighter-after=300"]), .ambientLight, "ambient light"),
        ("nothing to see", VirtualRun(scene: .wall(atMm: 0)), .noDepth, "No zone"),
        ("negative distances", VirtualRun(scene: .wall(atMm: -100)), .noDepth, "No zone"),
        ("too near", VirtualRun(scene: .wall(atMm: 300)), .wallOutOfRange, "0.5 to 4 m"),
        ("too far", VirtualRun(scene: .wall(atMm: 4_500)), .wallOutOfRange, "0.5 to 4 m"),
        ("half of the zones see nothing", VirtualRun(scene: .wall(atMm: 1_000) { $1 % 2 == 0 ? 0 : nil }), .lowCoverage, "coverage"),
        (
            "noise", VirtualRun(scene: .wall(atMm: 1_000) { frame, zone in 1_000 + Int64((frame * 7_919 + zone * 104_729) % 201) - 100 }),
            .unstableDepth, "noise"
        ),
        (
            "two peaks", VirtualRun(scene: .wall(atMm: 1_000) { frame, zone in frame % 2 == 0 ? 900 + Int64(zone % 3) : nil }),
            .unstableDepth, "two peaks"
        ),
        (
            "the wall goes away in the second phase",
            VirtualRun(
                scene: .wall(atMm: 1_000) { frame, zone in frame > 350 ? 1_000 + Int64((zone * 37 + frame) % 16) * 60 : nil }),
            .noSteadyWall,
            "flat wall"
        ),
        (
            "light",
            VirtualRun(
                scene: .sixteenZones(ambient: { $0 < 300 ? 100 : 5_000 }) { frame, zone in
                    frame < 300 || zone % 3 != 0 ? 1_000 + Int64((frame + zone) % 3) : 200
                }), .ambientLight, "ambient light"
        ),
        (
            "frozen", VirtualRun(scene: .recorded(Array(repeating: frozen, count: 20))), .frozenFrames, "repeated"
        ),
    ]

    static let frozen = FirmwareFrame(
        bins: 8, ambient: Array(repeating: 5, count: 16), distanceMm: Array(repeating: 1_000, count: 16),
        histogram: (0..<128).map(Int64.init), arrival: Arrival(monotonicNs: 0, unixMs: 0))

    @Test("Everything that goes wrong has its reason and its sentence", arguments: ends.indices)
    func failures(index: Int) throws {
        let (name, run, failure, says) = Self.ends[index]
        let (end, lines) = try run.run()
        #expect(end.verdict == failure, "\(name): \(end.failure?.message.text ?? "")")
        #expect(end.sentence.contains(says), "\(name): \(end.sentence)")
        #expect(ValidationEnd.ran(end).status == .failed, "\(name)")
        let text = try end.diagnostic()
        #expect(text.contains(#""completionStatus":"failed""#) && text.contains(end.sentence), "\(name)")
        #expect(lines.allSatisfy { $0.hasPrefix("SYNTHETIC ") })
        #expect(lines.filter { $0.hasPrefix("SYNTHETIC over") }.count == 1, "\(name)")
        let report = ValidationReport(result: end.result, origin: .synthetic, width: 60, terminal: Terminal.output).lines
        #expect(report.contains("failed: \(failure.rawValue)"))
        for part in ["measured", "needed", "likely cause", "what to do"] { #expect(report.contains { $0.hasPrefix(part) }) }
        #expect(report.contains { $0.contains("SYNTHETIC") })
        for line in report { #expect(line.utf8.count <= 60, "\(line)") }
    }

    @Test("The light setting is possible, and the board keeps its rate")
    func lightSetting() throws {
        try VL53L8CHConfiguration.light.validate()
        #expect(VL53L8CHConfiguration.light.rateNotice == nil)
        #expect(VL53L8CHConfiguration.light.realisticHz == 30)
    }
}
