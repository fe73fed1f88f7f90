import DepthValidation
import NLOSCore
import Testing

/// What a run may be set up with, and what a shortened one can come to.
@Suite struct PlanTests {
    @Test("a shortened run that meets every check is never completed")
    func shortened() throws {
        var drive = Drive(plan: try #require(.shortened(calibrationSeconds: 2, wallScanSeconds: 4)))
        drive.play(ResultTableTests.small)
        let result = try #require(drive.run.result)
        #expect(result.outcome == .shortenedRunPassed && result.isShortened && result.outcome.completionStatus == "cancelled")
        #expect(result.outcome.publicReason?.text.contains("hortened") == true)
        #expect(result.phases.map(\.plannedDurationSeconds) == [2, 4])
        #expect(drive.seconds < 6.2)
        var bad = Drive(plan: try #require(.shortened(calibrationSeconds: 2, wallScanSeconds: 4)))
        bad.play(ResultTableTests.small, hz: 7.5)
        #expect(bad.failure == .lowFrameRate)
    }

    @Test(
        "a shortened plan is shorter, in both phases",
        arguments: [
            (1, 1, true), (14.9, 29.9, true), (15, 29, false), (14, 30, false), (15, 30, false), (0.9, 5, false), (5, 0, false),
            (-1, 5, false),
            (.nan, 5, false), (5, .infinity, false),
        ] as [(Double, Double, Bool)])
    func plans(calibration: Double, wallScan: Double, isPlan: Bool) {
        let plan = PhasePlan.shortened(calibrationSeconds: calibration, wallScanSeconds: wallScan)
        #expect((plan != nil) == isPlan && plan != .standard && plan?.isShortened ?? true)
    }

    @Test("a rate that is no rate makes no setup", arguments: [0, -1, Double.nan, .infinity])
    func rates(hz: Double) {
        let view = SensorView(fieldOfView: FieldOfView(degreesX: 45, degreesY: 45), geometry: .alongAxis)
        #expect(ValidationSetup(view: view, attainableHz: hz) == nil)
    }
}
