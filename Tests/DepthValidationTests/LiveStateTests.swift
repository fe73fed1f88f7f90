import NLOSCore
import Testing

@testable import DepthValidation

/// What the screen is given while the run goes on, and the words.
@Suite struct LiveStateTests {
    static let wall = SyntheticWall(grid: ZoneGrid(width: 4, height: 4))

    static func state(after seconds: Double = 3, hz: Double = 15, thermal: ThermalState = .nominal, _ wall: (Double) -> SyntheticWall)
        -> LiveState
    {
        var drive = Drive()
        drive.run.take(thermal: thermal)
        drive.play(seconds: seconds, hz: hz) { time, _, drive in
            let now = wall(time)
            drive.send(now.readings(&drive.random), grid: now.grid)
        }
        return drive.run.state
    }

    @Test("before, within and after")
    func stages() throws {
        let before = Drive().run.state
        #expect(
            before.stage == .waiting && before.secondsLeft == 15 && before.progress == 0 && before.tracking == .unavailable
                && before.grid == nil)
        let calibration = Self.state { _ in Self.wall }
        #expect(
            calibration.stage == .phase(.calibration) && abs(calibration.secondsLeft - 12) < 0.2 && abs(calibration.progress - 0.2) < 0.02)
        let fps = try #require(calibration.framesPerSecond)
        let wall = try #require(calibration.wall)
        #expect(abs(fps - 15) < 0.1 && calibration.attainableHz == 15 && calibration.coverage == 1)
        #expect(abs(wall.distanceMm - 1_000) < 5 && calibration.tracking == .normal && calibration.thermal == .nominal)
        let stability = try #require(calibration.stabilityMm)
        let limit = try #require(calibration.stabilityLimitMm)
        #expect((1...5).contains(stability) && abs(limit - 20) < 0.2)
        #expect(
            calibration.grid == Self.wall.grid && calibration.distancesMm.count == 16 && !calibration.advice.isWarning
                && !calibration.isShortened)
        let scan = Self.state(after: 25) { _ in Self.wall }
        #expect(scan.stage == .phase(.wallScan) && abs(scan.secondsLeft - 20) < 0.2 && !scan.advice.isWarning)
        #expect(scan.advice.text.contains("5 to 15 cm"))
    }

    static let advices: [(said: String, wall: @Sendable (Double) -> SyntheticWall)] = [
        ("move back to about a metre", { _ in with { $0.distanceMm = 300 } }),
        ("move closer", { _ in with { $0.distanceMm = 4_500 } }),
        (
            "too fast: 0.41 m/s",
            { time in
                with {
                    $0.distanceMm = 600 + 410 * time
                    $0.noiseMm = 0
                }
            }
        ),
        (
            "hold still: moving at 0.10 m/s",
            { time in
                with {
                    $0.distanceMm = 600 + 100 * time
                    $0.noiseMm = 0
                }
            }
        ),
        (
            "face the wall: tilted by 40 degrees",
            { _ in
                with {
                    $0.tiltX = 40
                    $0.noiseMm = 0
                }
            }
        ),
        ("no zone has a distance", { _ in with { $0.missing = 1 } }),
        ("of the zones see something", { _ in with { $0.missing = 0.7 } }),
        ("not one flat wall", { _ in with { $0.noiseMm = 250 } }),
    ]

    static func with(_ change: (inout SyntheticWall) -> Void) -> SyntheticWall {
        var wall = wall
        change(&wall)
        return wall
    }

    @Test("the advice says what to change", arguments: advices.indices)
    func advice(index: Int) {
        let state = Self.state(Self.advices[index].wall)
        #expect(state.advice.text.contains(Self.advices[index].said) && state.advice.isWarning, "\(state.advice.text)")
    }

    @Test("heat, a low rate, old frames and silence are said too")
    func otherAdvice() {
        #expect(Self.state(thermal: .serious) { _ in Self.wall }.advice.text.contains("hot"))
        #expect(!Self.state(thermal: .fair) { _ in Self.wall }.advice.isWarning)
        #expect(Self.state(hz: 7.5) { _ in Self.wall }.advice.text.contains("only 7.5 of 15.0 frames a second"))
        var drive = Drive()
        drive.play(seconds: 2, hz: 30) { _, index, drive in
            drive.send(Self.wall.readings(&drive.random), grid: Self.wall.grid, repeats: index % 2 == 1)
        }
        #expect(drive.run.state.advice.text.contains("old frames"))
        #expect(Drive().run.state.advice.text.contains("waiting"))
    }

    static let tracking: [(coverage: Double, residual: Double?, mps: Double?, state: TrackingState)] = [
        (0.5, 29, 0.3, .normal), (0.49, 0, 0, .limitedLowCoverage), (0.5, nil, 0, .limitedNoWall), (1, 30, nil, .normal),
        (1, 30.1, nil, .limitedNoWall), (1, 30.1, 9, .limitedNoWall), (1, 1, 0.301, .limitedExcessiveMotion),
        (0, nil, 9, .limitedLowCoverage),
    ]

    @Test("the tracking state of a frame, on both sides of each limit", arguments: tracking.indices)
    func trackingStates(index: Int) {
        let row = Self.tracking[index]
        // At 500 mm the residual's limit is 30 mm.
        let wall = row.residual.map {
            WallFit(distanceMm: 500, slopeX: 0, slopeY: 0, tiltDegrees: 0, residualMm: $0, zones: 16, outliers: 0)
        }
        #expect(Sight(coverage: row.coverage, wall: wall, movementMps: row.mps).tracking == row.state)
    }

    @Test("limits grow with the distance")
    func limits() {
        #expect([500, 1_000].map { Thresholds.wallResidualMm(at: $0) } == [30, 60])
        #expect([500, 1_000].map { Thresholds.steadyResidualMm(at: $0) } == [15, 30])
        #expect([500, 1_000].map { Thresholds.noiseMm(at: $0) } == [10, 20])
    }

    @Test("the hottest state of a phase is kept, and the next phase starts with the present one")
    func thermal() throws {
        var drive = Drive()
        drive.play(Self.wall, seconds: 1)
        drive.run.take(thermal: .serious)
        drive.run.take(thermal: .fair)
        drive.play(Self.wall)
        let phases = try #require(drive.run.result).phases
        #expect(phases.map(\.peakThermalState) == [.serious, .fair])
        #expect(ThermalState.allCases.sorted() == [.unknown, .nominal, .fair, .serious, .critical])
    }

    @Test("aggregates clamp")
    func clamps() {
        let wild = PhaseSummary(
            phase: .calibration, plannedDurationSeconds: .nan, observedDurationSeconds: -1, frameCount: -4, averageFPS: 241,
            averageDepthCoverage: 1.1, averageMovementMetersPerSecond: 21, depthNoiseMillimeters: .infinity, steadyWallShare: 1,
            finalTrackingState: .normal, peakThermalState: .unknown)
        #expect(wild.plannedDurationSeconds == 0 && wild.observedDurationSeconds == 0 && wild.frameCount == 0 && wild.averageFPS == 240)
        #expect(wild.averageDepthCoverage == 1 && wild.averageMovementMetersPerSecond == 20 && wild.depthNoiseMillimeters == 0)
        #expect(wild.steadyWallShare == nil)
        let none = PhaseSummary(
            phase: .wallScan, plannedDurationSeconds: 30, observedDurationSeconds: 30, frameCount: 1, averageFPS: -.infinity,
            averageDepthCoverage: -1, averageMovementMetersPerSecond: .nan, depthNoiseMillimeters: 1, steadyWallShare: 2,
            finalTrackingState: .normal, peakThermalState: .unknown)
        #expect(none.averageFPS == 0 && none.averageDepthCoverage == 0 && none.averageMovementMetersPerSecond == 0)
        #expect(none.depthNoiseMillimeters == nil && none.steadyWallShare == 1)
    }

    static let findings: [Finding] = [
        .noFrames(seconds: 5.1, unusable: 0), .noFrames(seconds: 5.1, unusable: 3),
        .stalled(silentMs: 501, limitMs: 500, repeats: 0, cause: .silence),
        .stalled(silentMs: nil, limitMs: 500, repeats: 2, cause: .inputEnded),
        .stalled(silentMs: nil, limitMs: 500, repeats: 0, cause: .deviceFailed), .disconnected,
        .interrupted(partMs: 251), .noDepth(statusMissing: false), .noDepth(statusMissing: true), .lowCoverage(0.5, .wallScan),
        .implausible(coverage: 0.5, near: 3, stuck: 4), .lowFrameRate(7.5, attainable: 15, .calibration), .frozen(share: 0.2),
        .twoPeaks(zoneShare: 0.3), .outliers(share: 0.08), .noise(mm: 33.3, limitMm: 20), .wallOutOfRange(mm: 321),
        .wallOutOfRange(mm: 4_567),
        .wallOutOfRange(mm: nil), .noSteadyWall(share: 0.4), .ambient(atSeconds: 20, factor: 50, withDistances: false),
        .ambient(atSeconds: 20, factor: 2.5, withDistances: true),
    ]

    @Test("every failure says what was measured, what was needed, why and what to do; in public it names no distance")
    func sentences() {
        #expect(Set(Self.findings.map(\.failure)) == Set(ValidationFailure.allCases))
        for finding in Self.findings {
            let verdict = finding.verdict
            for text in [verdict.measured, verdict.needed, verdict.likelyCause, verdict.whatToDo] {
                #expect(text.count > 5 && text.utf8.allSatisfy { (0x20...0x7e).contains($0) }, "\(text)")
            }
            let reason = verdict.publicReason.text
            #expect(
                (20...240).contains(reason.utf8.count) && reason.hasSuffix(".") && reason.utf8.allSatisfy { (0x20...0x7e).contains($0) })
            for measured in ["321", "0.32", "4.57", "4567", "33.3", "mm"] { #expect(!reason.contains(measured), "\(reason)") }
            #expect(!reason.contains("/"))
        }
    }

    @Test(
        "figures",
        arguments: [
            (0, 0, "0"), (-0.4, 0, "0"), (-1.5, 0, "-2"), (1.25, 1, "1.3"), (12.04, 2, "12.04"), (12, 2, "12.00"), (0.999, 2, "1.00"),
            (-0.01, 1, "0.0"), (.nan, 1, "?"), (.infinity, 0, "?"), (1e300, 2, "?"),
        ] as [(Double, Int, String)])
    func figures(value: Double, decimals: Int, text: String) {
        #expect(figure(value, decimals: decimals) == text)
    }
}
