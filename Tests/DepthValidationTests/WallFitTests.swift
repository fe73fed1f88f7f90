import NLOSCore
import Testing

@testable import DepthValidation

/// The plane of one frame: distance, tilt, residual, outliers, and where there is none.
@Suite struct WallFitTests {
    static func fitter(_ wall: SyntheticWall) -> WallFitter {
        WallFitter(ZoneRays(SensorView(fieldOfView: wall.view, geometry: wall.geometry), grid: wall.grid)!)
    }

    static func frame(_ readings: [Int64]) -> [UInt16?] { readings.map { (10...10_000).contains($0) ? UInt16($0) : nil } }

    static func fit(_ fitter: inout WallFitter, _ readings: [Int64]) throws -> WallFit {
        let fit = fitter.fit(frame(readings))
        return try #require(fit)
    }

    static var walls: [SyntheticWall] {
        var walls: [SyntheticWall] = []
        for geometry in [DistanceGeometry.alongAxis, .alongRay] {
            for side in [4, 8] {
                for (tiltX, tiltY) in tilts {
                    for distanceMm in [300.0, 500, 1_000, 2_500, 4_500] {
                        walls.append(
                            SyntheticWall(
                                grid: ZoneGrid(width: side, height: side), geometry: geometry, distanceMm: distanceMm, tiltX: tiltX,
                                tiltY: tiltY))
                    }
                }
            }
        }
        return walls
    }

    static let tilts: [(Double, Double)] = [
        (0, 0), (5, 0), (10, 0), (20, 0), (0, 5), (0, 10), (0, 20), (-5, 5), (-10, 10), (-20, 20),
    ]

    @Test("distance, tilt and residual of walls at 0.3 to 4.5 m, tilted by 0 to 20 degrees in both axes, in both geometries")
    func rightForEveryWall() throws {
        for wall in Self.walls {
            var fitter = Self.fitter(wall)
            var random = SplitMix64(3)
            var (distance, slopeX, slopeY, residual, frames) = (0.0, 0.0, 0.0, 0.0, 0.0)
            for _ in 0..<40 {
                let fit = try Self.fit(&fitter, wall.readings(&random))
                distance += fit.distanceMm
                slopeX += fit.slopeX
                slopeY += fit.slopeY
                residual += fit.residualMm
                frames += 1
                // One frame of 16 zones at 0.3 m: 3 mm of noise over 20 cm of wall.
                #expect(abs(fit.distanceMm - wall.distanceMm) < 5, "\(wall)")
            }
            // A single frame's tilt is never negative, so that noise adds to one of 0: the slopes are averaged, not the tilts.
            let slope = (slopeX * slopeX + slopeY * slopeY).squareRoot() / frames
            #expect(abs(arcTangent(slope) * 180 / .pi - wall.tiltDegrees) < 0.5, "\(wall)")
            #expect(abs(distance / frames - wall.distanceMm) < 1, "\(wall)")
            // Zones beyond three median deviations (two of a bell's) are left out: a little less than the noise.
            #expect((1.6...3.3).contains(residual / frames), "\(wall): \(residual / frames)")
        }
    }

    @Test("without noise the tilt is right to a tenth of a degree even at 0.3 m", arguments: [0.0, 5, 10, 20])
    func exactTilt(tilt: Double) throws {
        for geometry in [DistanceGeometry.alongAxis, .alongRay] {
            let wall = SyntheticWall(geometry: geometry, distanceMm: 300, tiltX: tilt, tiltY: -tilt, noiseMm: 0)
            var fitter = Self.fitter(wall)
            var random = SplitMix64(1)
            let fit = try Self.fit(&fitter, wall.readings(&random))
            #expect(abs(fit.tiltDegrees - wall.tiltDegrees) < 0.1 && fit.residualMm < 0.5 && fit.outliers == 0)
            #expect(fit.slopeX >= -0.01 && fit.slopeY <= 0.01)
        }
    }

    @Test("distances along the ray that are taken as along the axis make a bowl and not a tilt")
    func bowl() throws {
        let wall = SyntheticWall(geometry: .alongRay, noiseMm: 0)
        var fitter = WallFitter(ZoneRays(SensorView(fieldOfView: wall.view, geometry: .alongAxis), grid: wall.grid)!)
        var random = SplitMix64(1)
        let fit = try Self.fit(&fitter, wall.readings(&random))
        #expect(fit.tiltDegrees < 0.2 && fit.residualMm > 20)
    }

    @Test("outliers are left out and counted: 3 of 64 zones at 25 mm, at the corners where they pull most")
    func outliers() throws {
        let wall = SyntheticWall(tiltX: 5, noiseMm: 3)
        var fitter = Self.fitter(wall)
        var random = SplitMix64(5)
        for _ in 0..<50 {
            var readings = wall.readings(&random)
            for zone in [0, 7, 56] { readings[zone] = 25 }
            let fit = try Self.fit(&fitter, readings)
            #expect(abs(fit.distanceMm - 1_000) < 8 && abs(fit.tiltDegrees - 5) < 1 && fit.residualMm < 6)
            #expect(fit.zones == 64 && fit.outliers >= 3)
        }
    }

    @Test("readings that are all alike have a deviation of 0: none is called an outlier for a rounding")
    func noDeviation() throws {
        let wall = SyntheticWall(noiseMm: 0)
        var fitter = Self.fitter(wall)
        var readings = [Int64](repeating: 1_000, count: 64)
        for zone in stride(from: 0, to: 64, by: 5) { readings[zone] += 1 }
        let fit = try Self.fit(&fitter, readings)
        #expect(fit.outliers == 0 && fit.residualMm < 0.6)
        readings[20] = 900
        let other = try Self.fit(&fitter, readings)
        #expect(other.outliers == 1 && abs(other.distanceMm - 1_000) < 1 && other.tiltDegrees < 0.1)
    }

    @Test("half of the zones at another depth are no wall: the residual says so")
    func twoDepths() throws {
        let wall = SyntheticWall()
        var fitter = Self.fitter(wall)
        var random = SplitMix64(5)
        var readings = wall.readings(&random)
        for zone in 0..<64 where zone % 8 < 4 { readings[zone] = 2_000 }
        let fit = try Self.fit(&fitter, readings)
        #expect(fit.residualMm > Thresholds.wallResidualMm(at: fit.distanceMm))
    }

    @Test("0 to 100 % of the zones missing: a plane as long as four zones are left that are not on one line")
    func missing() {
        for share in stride(from: 0.0, through: 1, by: 0.05) {
            let wall = SyntheticWall(tiltY: 10, noiseMm: 0, missing: share)
            var fitter = Self.fitter(wall)
            var random = SplitMix64(UInt64(share * 100))
            for _ in 0..<20 {
                let frame = Self.frame(wall.readings(&random))
                let fit = fitter.fit(frame)
                if frame.count(where: { $0 != nil }) < 4 { #expect(fit == nil) }
                if frame.count(where: { $0 != nil }) >= 20 { #expect(fit.map { abs($0.tiltDegrees - 10) < 0.5 } == true) }
                if let fit { #expect(fit.zones == frame.count { $0 != nil } && fit.residualMm.isFinite) }
            }
        }
    }

    static let degenerate: [(name: String, zones: [Int], isPlane: Bool)] = [
        ("none", [], false), ("one", [27], false), ("three", [0, 7, 56], false), ("a row", Array(8..<16), false),
        ("a column", stride(from: 3, to: 64, by: 8).map { $0 }, false), ("a diagonal", stride(from: 0, to: 64, by: 9).map { $0 }, false),
        ("a row and one more zone", Array(8..<16) + [20], true), ("the corners", [0, 7, 56, 63], true),
        ("a corner block", [0, 1, 8, 9], true),
    ]

    @Test("zones on one line make no plane, even where noise would tilt one", arguments: degenerate)
    func degenerateZones(name: String, zones: [Int], isPlane: Bool) {
        let wall = SyntheticWall(noiseMm: 3)
        var fitter = Self.fitter(wall)
        var random = SplitMix64(9)
        let readings = wall.readings(&random)
        let frame = Self.frame((0..<64).map { zones.contains($0) ? readings[$0] : 0 })
        #expect((fitter.fit(frame) != nil) == isPlane)
    }

    @Test(
        "grids that a wall can be fitted to",
        arguments: [
            (2, 2, true), (3, 3, true), (4, 4, true), (8, 8, true), (3, 6, true), (32, 2, true), (16, 4, true), (1, 4, false),
            (64, 1, false),
            (9, 8, false), (0, 0, false), (-2, -2, false), (Int.max, 2, false), (Int.min, Int.min, false),
        ])
    func grids(width: Int, height: Int, isUsable: Bool) {
        let view = SensorView(fieldOfView: FieldOfView(degreesX: 45, degreesY: 45), geometry: .alongAxis)
        #expect((ZoneRays(view, grid: ZoneGrid(width: width, height: height)) != nil) == isUsable)
    }

    @Test("a table of directions fits its own grid only, one angle a zone")
    func tables() {
        let grid = ZoneGrid(width: 3, height: 3)
        let steps: [Float] = [-0.19, 0, 0.19]
        let angles = steps.flatMap { y in steps.map { ZoneAngle(x: $0, y: y) } }
        let view = SensorView(grid: grid, angles: angles, geometry: .alongRay)
        #expect(view.flatMap { ZoneRays($0, grid: grid) } != nil)
        #expect(view.flatMap { ZoneRays($0, grid: ZoneGrid(width: 4, height: 4)) } == nil)
        #expect(SensorView(grid: grid, angles: Array(angles.dropLast()), geometry: .alongRay) == nil)
        for bad in [Float.nan, .infinity, 1.5] {
            #expect(SensorView(grid: grid, angles: Array(angles.dropLast()) + [ZoneAngle(x: bad, y: 0)], geometry: .alongRay) == nil)
        }
    }

    @Test("any readings at all give a plane of numbers or none")
    func anything() {
        var random = SplitMix64(77)
        for round in 0..<2_000 {
            let side = [2, 3, 4, 8][round % 4]
            let wall = SyntheticWall(grid: ZoneGrid(width: side, height: side), geometry: round % 3 == 0 ? .alongRay : .alongAxis)
            var fitter = Self.fitter(wall)
            let frame: [UInt16?] = (0..<side * side).map { _ in
                [nil, 10, 10_000, UInt16.random(in: 10...10_000, using: &random), 1_000].randomElement(using: &random)!
            }
            guard let fit = fitter.fit(frame) else { continue }
            #expect(fit.distanceMm > 0 && fit.distanceMm.isFinite && fit.residualMm >= 0 && fit.residualMm.isFinite)
            #expect((0...90).contains(fit.tiltDegrees) && fit.outliers <= fit.zones - 4)
        }
    }
}
