import DepthValidation
import NLOSCore
import Testing

/// Phases last as long as they should, whatever frames and clock do; and any input gives one verdict.
@Suite struct PhaseLengthTests {
    static let grid = ZoneGrid(width: 4, height: 4)

    @Test("under a jittering clock calibration lasts 14.5 to 16.5 s and the wall scan 29.5 to 32 s", arguments: 0..<12)
    func lengths(seed: UInt64) throws {
        var drive = Drive(attainableHz: 2.5)
        drive.random = SplitMix64(seed)
        let wall = SyntheticWall(grid: Self.grid)
        var stamps: [Phase: UInt64] = [:]
        var overNs: UInt64 = 0
        while drive.run.result == nil {
            drive.wait(milliseconds: drive.random.unit() * (seed % 2 == 0 ? 400 : 120))
            if drive.run.result == nil { drive.send(wall.readings(&drive.random), grid: wall.grid) }
            if case .phase(let phase) = drive.run.state.stage, stamps[phase] == nil { stamps[phase] = drive.nowNs }
            overNs = drive.nowNs
        }
        let result = try #require(drive.run.result)
        #expect(result.outcome.completionStatus == "completed", "\(result.outcome)")
        let observed = result.phases.map(\.observedDurationSeconds)
        #expect((14.5...16.5).contains(observed[0]) && (29.5...32).contains(observed[1]))
        let scan = try #require(stamps[.wallScan])
        let began = try #require(stamps[.calibration])
        #expect((14.5...16.5).contains(Double(scan - began) / 1e9) && (29.5...32).contains(Double(overNs - scan) / 1e9))
    }

    @Test("the run's clock starts at the first valid frame: a slow start of the sensor does not count")
    func slowStart() throws {
        var drive = Drive()
        drive.wait(milliseconds: 4_900)
        drive.play(SyntheticWall(grid: Self.grid))
        #expect(drive.outcome?.completionStatus == "completed")
        #expect((49.8...50.1).contains(drive.seconds))
    }

    @Test("any frames, ticks and ends give one verdict, which stays, and nothing that is no number", arguments: 0..<60)
    func anything(seed: UInt64) throws {
        var random = SplitMix64(seed)
        var drive = Drive(
            attainableHz: [0.001, 15, 1e9][Int(seed % 3)],
            plan: seed % 2 == 0 ? .standard : .shortened(calibrationSeconds: 1, wallScanSeconds: 1)!)
        let habits = (0..<4).map { _ in random.unit() }
        var first: ValidationResult?
        for step in 0..<1_500 {
            let side = habits[0] < 0.3 ? Int.random(in: -2...9, using: &random) : [2, 3, 4, 8][Int(habits[0] * 4)]
            let grid = ZoneGrid(width: side, height: max(side, 0))
            let zones = max(0, grid.zones)
            func values(_ odd: Double) -> [Int64] {
                (0..<zones).map { _ in
                    random.unit() < odd
                        ? [.min, -1, 0, 9, 10, 10_000, 10_001, .max].randomElement(using: &random)! : Int64(1_000 + 4 * random.bell())
                }
            }
            let jitter = UInt64(random.unit() * 2e8)
            let stamp =
                random.unit() < 0.02 * habits[1] ? [0, .max, drive.nowNs / 2].randomElement(using: &random)! : drive.nowNs &+ jitter
            if let frame = DepthFrame(
                monotonicNs: stamp, sequence: UInt64(step), grid: grid, reportedMm: values(habits[1]),
                ambient: habits[2] < 0.5 ? values(habits[3]) : nil, repeatsPrevious: random.unit() < 0.2 * habits[2])
            {
                drive.run.take(frame)
            }
            drive.run.take(thermal: ThermalState.allCases.randomElement(using: &random)!)
            if random.unit() < 0.001 { drive.run.tick(monotonicNs: .max, bootNs: 0) }
            drive.wait(milliseconds: random.unit() * 150 * (1 + habits[3]))
            if step % 50 == 0 { Self.expectNumbers(drive.run.state) }
            if let first { #expect(drive.run.result == first) } else { first = drive.run.result }
        }
        drive.run.end([.cancelled, .unplugged, .inputEnded, .deviceFailed].randomElement(using: &random)!)
        let result = try #require(drive.run.result)
        if let first { #expect(result == first) }
        if seed % 2 == 1 { #expect(result.outcome.completionStatus != "completed") }
        #expect(result.phases.count <= 2 && result.phases.map(\.phase) == Array(Phase.allCases.prefix(result.phases.count)))
        for phase in result.phases {
            let figures = [
                phase.plannedDurationSeconds, phase.observedDurationSeconds, phase.averageFPS, phase.averageDepthCoverage,
                phase.averageMovementMetersPerSecond, phase.depthNoiseMillimeters ?? 0, phase.steadyWallShare ?? 0,
            ]
            #expect(figures.allSatisfy { $0.isFinite && $0 >= 0 } && phase.averageFPS <= 240 && phase.averageDepthCoverage <= 1)
        }
        let texts = result.rows.map(\.measured) + result.notes + [result.outcome.publicReason?.text ?? ""]
        #expect(texts.allSatisfy { !$0.contains("nan") && !$0.contains("inf ") && !$0.contains("?") })
        Self.expectNumbers(drive.run.state)
    }

    static func expectNumbers(_ state: LiveState) {
        let figures = [
            state.secondsLeft, state.progress, state.framesPerSecond ?? 0, state.coverage, state.wall?.distanceMm ?? 0,
            state.wall?.tiltDegrees ?? 0, state.wall?.residualMm ?? 0, state.stabilityMm ?? 0, state.stabilityLimitMm ?? 0,
            state.movementMps ?? 0,
        ]
        #expect(figures.allSatisfy { $0.isFinite && $0 >= 0 } && state.progress <= 1 && state.coverage <= 1)
        #expect(!state.advice.text.isEmpty)
    }
}
