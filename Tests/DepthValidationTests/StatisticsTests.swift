import NLOSCore
import Testing

@testable import DepthValidation

/// Noise about the moving wall, peaks and outliers, movement, light.
@Suite struct StatisticsTests {
    static let view = SensorView(fieldOfView: FieldOfView(degreesX: 45, degreesY: 45), geometry: .alongAxis)
    static let grid = ZoneGrid(width: 4, height: 4)
    static let rays = ZoneRays(view, grid: grid)!

    /// Plays 15 s of a wall into the noise measurement.
    static func spread(
        hz: Double = 15, _ wall: (_ time: Double) -> SyntheticWall, change: (inout [Int64], Int, inout SplitMix64) -> Void = { _, _, _ in }
    ) -> (recent: RecentFrames, figures: [ZoneFigures], worstMps: Double) {
        var fitter = WallFitter(rays)
        var recent = RecentFrames(zones: 16)
        var spread = ZoneSpread(zones: 16)
        var random = SplitMix64(4)
        var worst = 0.0
        for index in 0..<Int(15 * hz) {
            let time = Double(index) / hz
            var readings = wall(time).readings(&random)
            change(&readings, index, &random)
            let frame = WallFitTests.frame(readings)
            recent.push(5_000_000_000 + UInt64(time * 1e9), frame, fitter.fit(frame)?.plane, rays: rays, into: &spread)
            if let mps = recent.movementMps { worst = max(worst, mps) }
        }
        recent.settleAll(rays: rays, into: &spread)
        return (recent, (0..<16).compactMap(spread.figures(zone:)), worst)
    }

    static func noise(_ figures: [ZoneFigures]) -> Double {
        var deviations = figures.map(\.deviationMm)
        return deviations.medianOfFirst(deviations.count)
    }

    @Test("the noise of a still wall is the noise that was put in", arguments: [0.0, 2, 5, 10, 20])
    func stillNoise(put: Double) {
        let (_, figures, _) = Self.spread { _ in SyntheticWall(grid: Self.grid, tiltX: 5, noiseMm: put) }
        #expect(figures.count == 16)
        #expect(abs(Self.noise(figures) - put) < 0.5 + 0.1 * put)
        #expect(figures.allSatisfy { !$0.hasTwoPeaks && $0.outliers == 0 && abs($0.medianOffMm) < 1 + put / 2 })
    }

    @Test("the wall's own motion is no noise: 15 cm/s, a hand's sway, a turn of the wrist", arguments: [5.0, 15, 60])
    func movingNoise(hz: Double) {
        let moving: [(Double) -> SyntheticWall] = [
            { SyntheticWall(grid: Self.grid, distanceMm: 800 + 150 * $0, noiseMm: 3) },
            { SyntheticWall(grid: Self.grid, distanceMm: 1_000 + 20 * wave($0 / 3), noiseMm: 3) },
            { SyntheticWall(grid: Self.grid, tiltX: 10 * wave($0 / 5), tiltY: 5, noiseMm: 3) },
        ]
        for (index, wall) in moving.enumerated() {
            let noise = Self.noise(Self.spread(hz: hz, wall).figures)
            #expect((2...5).contains(noise), "\(index): \(noise) mm")
        }
    }

    @Test("noise that all zones share is noise, and no motion of the wall")
    func sharedNoise() {
        let (_, figures, _) = Self.spread { _ in
            SyntheticWall(grid: Self.grid, noiseMm: 0)
        } change: { readings, _, random in
            let shared = Int64((12 * random.bell()).rounded())
            for zone in readings.indices { readings[zone] += shared }
        }
        #expect((9...14).contains(Self.noise(figures)))
    }

    @Test("3 % at 25 mm: outliers are counted, and neither median nor noise follows them")
    func outliers() {
        let (_, figures, _) = Self.spread(hz: 30) { _ in
            SyntheticWall(grid: Self.grid, noiseMm: 5)
        } change: { readings, _, random in
            for zone in readings.indices where random.unit() < 0.03 { readings[zone] = 25 }
        }
        let share = Double(figures.reduce(0) { $0 + $1.outliers }) / Double(figures.reduce(0) { $0 + $1.readings })
        #expect((0.02...0.04).contains(share))
        #expect((4...7).contains(Self.noise(figures)))
        #expect(figures.allSatisfy { !$0.hasTwoPeaks && abs($0.medianOffMm) < 4 })
    }

    @Test("900 and 1000 mm in turn are two peaks, whether all zones flip or some")
    func twoPeaks() {
        for zones in [Array(0..<16), [5, 6]] {
            let (_, figures, _) = Self.spread { _ in
                SyntheticWall(grid: Self.grid, noiseMm: 4)
            } change: { readings, index, _ in
                if index % 2 == 0 { for zone in zones { readings[zone] -= 100 } }
            }
            #expect(figures.indices.filter { figures[$0].hasTwoPeaks } == zones)
        }
    }

    static let shapes: [(name: String, isTwo: Bool, value: @Sendable (inout SplitMix64) -> Double)] = [
        ("a bell", false, { 10 * $0.bell() }), ("even", false, { 60 * $0.unit() }), ("one value", false, { _ in 7 }),
        ("two neighbours", false, { $0.unit() < 0.5 ? 1 : 2 }),
        ("two bells 19 mm apart", false, { ($0.unit() < 0.5 ? 0 : 19) + $0.bell() }),
        ("two bells 22 mm apart", true, { ($0.unit() < 0.5 ? 0 : 22) + $0.bell() }),
        ("two bells that touch", false, { ($0.unit() < 0.5 ? 0 : 25) + 10 * $0.bell() }),
        ("12 % apart", false, { ($0.unit() < 0.12 ? 100 : 0) + 3 * $0.bell() }),
        ("18 % apart", true, { ($0.unit() < 0.18 ? 100 : 0) + 3 * $0.bell() }),
        ("a long tail", false, { rng in (0..<3).reduce(0.0) { sum, _ in sum + 30 * rng.unit() * rng.unit() * rng.unit() } }),
    ]

    @Test("what two peaks are", arguments: shapes.indices)
    func peaks(index: Int) throws {
        let shape = Self.shapes[index]
        var spread = ZoneSpread(zones: 2)
        var random = SplitMix64(8)
        for _ in 0..<900 { spread.add(shape.value(&random), expectedMm: 1_000, zone: 1) }
        #expect(spread.figures(zone: 0) == nil)
        #expect(try #require(spread.figures(zone: 1)).hasTwoPeaks == shape.isTwo, "\(shape.name)")
    }

    @Test("a stray first reading, readings far out, and a cleared store")
    func spreadEdges() throws {
        var spread = ZoneSpread(zones: 1)
        for _ in 0..<2 {
            for reading in [-900.0, 900, 2, 1, 3, 2, 2] + Array(repeating: 2, count: 93) + [.greatestFiniteMagnitude, -9_000] {
                spread.add(reading, expectedMm: 1_000, zone: 0)
            }
            let figures = try #require(spread.figures(zone: 0))
            #expect(figures.readings == 102 && figures.outliers == 4 && abs(figures.medianOffMm - 2) <= 0.6 && figures.deviationMm < 0.5)
            spread.clear()
            #expect(spread.figures(zone: 0) == nil)
        }
        for _ in 0..<9 { spread.add(1, expectedMm: 1_000, zone: 0) }
        #expect(spread.figures(zone: 0) == nil)
        for _ in 0..<200_000 { spread.add(1, expectedMm: 1_000, zone: 0) }
        #expect(try #require(spread.figures(zone: 0)).deviationMm == 0)
    }

    @Test("movement is the rate of the wall's distance over half a second", arguments: [0.0, 0.05, 0.15, 0.29, 0.31, 0.5])
    func movement(mps: Double) throws {
        let (recent, _, worst) = Self.spread(hz: 15) { SyntheticWall(grid: Self.grid, distanceMm: 500 + mps * 1_000 * $0, noiseMm: 1) }
        let last = try #require(recent.movementMps)
        #expect(abs(last - mps) < 0.01 && worst < mps + 0.02)
    }

    @Test("movement and rate need frames of different times")
    func movementOfFew() {
        var recent = RecentFrames(zones: 16)
        var spread = ZoneSpread(zones: 16)
        let frame = [UInt16?](repeating: 1_000, count: 16)
        let wall = Plane(distanceMm: 1_000, slopeX: 0, slopeY: 0)
        #expect(recent.movementMps == nil && recent.framesPerSecond(at: 0) == nil)
        for _ in 0..<300 { recent.push(9, frame, wall, rays: Self.rays, into: &spread) }
        #expect(recent.movementMps == nil && recent.framesPerSecond(at: 9) == nil)
        recent.push(100_000_009, frame, nil, rays: Self.rays, into: &spread)
        #expect(recent.movementMps == nil)
        recent.push(2_000_000_009, frame, wall, rays: Self.rays, into: &spread)
        #expect(recent.movementMps == nil && recent.framesPerSecond(at: 2_000_000_009) == nil)
        recent.settleAll(rays: Self.rays, into: &spread)
        #expect(spread.figures(zone: 0)?.deviationMm == 0)
    }

    // MARK: Light

    static func watch(_ levels: [(Double) -> Int64], seconds: Double = 45, jumpAt: Double? = nil, share: Double = 0.33) -> AmbientWatch {
        var watch = AmbientWatch(zones: 16)
        for index in 0..<Int(seconds * 15) {
            let time = Double(index) / 15
            let readings: [Int64] = (0..<16).map { zone in
                if let jumpAt, time >= jumpAt, Double(zone) < share * 16 { return 200 }
                return 1_000
            }
            let ambient = (0..<16).map { levels[$0 % levels.count](time) }
            watch.take(
                DepthFrame(monotonicNs: 0, sequence: 0, grid: grid, reportedMm: readings, ambient: ambient)!, at: UInt64(time * 1e9))
        }
        return watch
    }

    @Test(
        "a change of the level by more than 8, up or down, at once or slowly",
        arguments: [(7.9, false), (8.0, false), (8.4, true), (50, true), (0.126, false), (0.118, true), (0.02, true)])
    func ambientFactor(factor: Double, isChange: Bool) {
        let sudden = Self.watch([{ $0 < 20 ? 2_000 : Int64((2_000 * factor).rounded()) }])
        #expect((sudden.change != nil) == isChange)
        if let change = sudden.change { #expect(change.beganNs == 20_000_000_000 && !change.withDistances) }
        let slow = Self.watch([{ Int64(2_000 * (1 + (factor - 1) * min(1, $0 / 30))) }])
        #expect((slow.change != nil) == isChange)
    }

    @Test("one bright zone, one damaged frame and no ambient at all are no change")
    func ambientSpikes() {
        #expect(Self.watch([{ _ in 900_000 }, { _ in 2_000 }, { _ in 2_000 }]).change == nil)
        #expect(Self.watch([{ (20..<20.1).contains($0) ? 900_000 : 2_000 }]).change == nil)
        #expect(Self.watch([{ _ in 0 }]).change == nil && Self.watch([{ _ in -5 }]).factor == 1)
        #expect(Self.watch([{ _ in .max }]).change == nil && Self.watch([{ $0 < 20 ? .min : .max }]).change != nil)
        #expect(AmbientWatch(zones: 16).factor == nil)
    }

    @Test("a smaller change of light counts when distances jump with it, and neither of them alone")
    func ambientWithDistances() {
        let doubling: (Double) -> Int64 = { $0 < 20 ? 2_000 : 5_000 }
        let both = Self.watch([doubling], jumpAt: 20)
        #expect(both.change.map { $0.withDistances && $0.beganNs == 20_000_000_000 && $0.factor == 2.5 } == true)
        #expect(Self.watch([doubling]).change == nil)
        #expect(Self.watch([{ _ in 2_000 }], jumpAt: 20).change == nil)
        #expect(Self.watch([doubling], jumpAt: 25).change == nil)
        #expect(Self.watch([doubling], jumpAt: 20, share: 0.06).change == nil)
        #expect(Self.watch([{ $0 < 20 ? 2_000 : 3_900 }], jumpAt: 20).change == nil)
    }
}

/// Up and down once a unit of time, -1 ... 1, smooth enough for a hand.
func wave(_ turns: Double) -> Double {
    let phase = turns - turns.rounded(.down)
    return phase < 0.5 ? 1 - 32 * (phase - 0.25) * (phase - 0.25) / 2 : 32 * (phase - 0.75) * (phase - 0.75) / 2 - 1
}
