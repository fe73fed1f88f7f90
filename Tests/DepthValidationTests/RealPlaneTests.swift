import NLOSCore
import Testing

@testable import DepthValidation

/// The wall fit on a real TMF8820 in front of a real plane: the figures of the table in `docs/depth-validation.md`.
@Suite(.enabled(if: Recordings.folder != nil, Comment(rawValue: Recordings.absence)))
struct RealPlaneTests {
    static let grid = ZoneGrid(width: 3, height: 3)

    struct Band {
        var errors: [Double] = []
        var tilts: [Double] = []
        var residuals: [Double] = []

        var meanError: Double { errors.reduce(0, +) / Double(errors.count) }
        var spread: Double {
            let mean = meanError
            return (errors.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(errors.count)).squareRoot()
        }
        var meanTilt: Double { tilts.reduce(0, +) / Double(tilts.count) }
        var meanResidual: Double { residuals.reduce(0, +) / Double(residuals.count) }
    }

    /// Fits every record of all nine zones within the range. `offsets` are taken off each zone's distance first.
    static func band(_ geometry: DistanceGeometry, _ range: Range<Double>, offsets: [Double] = Array(repeating: 0, count: 9)) throws -> Band
    {
        let view = try #require(try SensorView(grid: grid, angles: Recordings.zoneAngles(), geometry: geometry))
        var fitter = WallFitter(try #require(ZoneRays(view, grid: grid)))
        var band = Band()
        for plane in try Recordings.planes() where range.contains(plane.metres * 1_000) {
            guard let frame = try plane.frame(grid), frame.coverage == 1 else { continue }
            let corrected: [UInt16?] = frame.distancesMm.enumerated().map { zone, reading in
                reading.map { UInt16((Double($0) - offsets[zone]).rounded()) }
            }
            guard let fit = fitter.fit(corrected) else { continue }
            band.errors.append(fit.distanceMm - plane.metres * 1_000)
            band.tilts.append(fit.tiltDegrees - plane.tiltDegrees)
            band.residuals.append(fit.residualMm)
        }
        return band
    }

    static let bands: [Range<Double>] = [20..<100, 100..<200, 200..<300, 300..<401]

    @Test("how far distance and tilt are off, in both geometries")
    func table() throws {
        for range in Self.bands {
            for geometry in [DistanceGeometry.alongAxis, .alongRay] {
                let band = try Self.band(geometry, range)
                print(
                    "\(range) mm \(geometry): \(band.errors.count) records, distance off by \(figure(band.meanError, decimals: 1)) +/- "
                        + "\(figure(band.spread, decimals: 1)) mm, tilt by \(figure(band.meanTilt, decimals: 1)) degrees, "
                        + "residual \(figure(band.meanResidual, decimals: 1)) mm")
                #expect(band.errors.count > 20)
            }
        }
        // Along the ray the error is one constant, the sensor's own offset; along the axis it drifts with the distance.
        let ray = try Self.bands.map { try Self.band(.alongRay, $0).meanError }
        let axis = try Self.bands.map { try Self.band(.alongAxis, $0).meanError }
        #expect(ray.dropFirst().allSatisfy { (-21 ... -18.5).contains($0) })
        #expect(abs(ray[3] - ray[1]) < 1 && axis[3] - axis[1] > 4)
    }

    /// What a zone reads for each millimetre that the plane is farther away, less any constant: 1 in every zone along the axis.
    static func growth() throws -> [Double] {
        var sums = Array(repeating: (n: 0.0, t: 0.0, d: 0.0, tt: 0.0, td: 0.0), count: 9)
        for plane in try Recordings.planes() where plane.metres > 0.1 {
            let t = plane.metres * 1_000
            for (zone, depth) in plane.distances[0].depths.enumerated() {
                let d = Double(depth)
                sums[zone] = (
                    sums[zone].n + 1, sums[zone].t + t, sums[zone].d + d, sums[zone].tt + t * t, sums[zone].td + t * d
                )
            }
        }
        return sums.map { ($0.n * $0.td - $0.t * $0.d) / ($0.n * $0.tt - $0.t * $0.t) }
    }

    @Test("its distances are along the ray: off-axis zones grow faster than the middle one")
    func alongTheRay() throws {
        let growth = try Self.growth()
        let corners = [0, 2, 6, 8].map { growth[$0] / growth[4] }
        let edges = [1, 3, 5, 7].map { growth[$0] / growth[4] }
        print("growth by zone, middle zone = 1: corners \(corners), edges \(edges)")
        // Along the ray: 1.036 in the corners and 1.018 at the edges; along the axis: 1.
        #expect(corners.allSatisfy { (1.018...1.036).contains($0) } && edges.allSatisfy { (1.004...1.025).contains($0) })
    }

    @Test("what tilt is off is each zone's own constant offset: with offsets from half of the records the other half is right")
    func offsets() throws {
        let angles = try Recordings.zoneAngles()
        let view = try #require(SensorView(grid: Self.grid, angles: angles, geometry: .alongRay))
        let rays = try #require(ZoneRays(view, grid: Self.grid))
        var offsets = Array(repeating: 0.0, count: 9)
        let near = try Recordings.planes().filter { (0.1..<0.25).contains($0.metres) }
        for plane in near {
            for zone in 0..<9 {
                let exact = plane.metres * 1_000 / rays.z[zone]
                offsets[zone] += (Double(plane.distances[0].depths[zone]) - exact) / Double(near.count)
            }
        }
        let before = try Self.band(.alongRay, 250..<401)
        let after = try Self.band(.alongRay, 250..<401, offsets: offsets)
        print(
            "250..<401 mm with offsets from 100..<250 mm: distance off by \(figure(after.meanError, decimals: 1)) +/- "
                + "\(figure(after.spread, decimals: 1)) mm, tilt by \(figure(after.meanTilt, decimals: 1)) degrees (before: "
                + "\(figure(before.meanTilt, decimals: 1))), residual \(figure(after.meanResidual, decimals: 1)) mm")
        #expect(abs(after.meanError) < 2 && after.meanTilt < 1.5 && before.meanTilt > 4)
    }
}

/// A real VL53L8CX whose scene is a few centimetres away, with repeated frames.
@Suite(.enabled(if: Recordings.folder != nil, Comment(rawValue: Recordings.absence)))
struct NearSceneTests {
    static func drive() -> Drive { Drive(attainableHz: 15) }

    @Test("as recorded: repeats are counted, and it is never completed")
    func asRecorded() throws {
        let frames = try Recordings.nearFrames()
        var drive = Self.drive()
        var repeats = 0
        for (index, frame) in frames.enumerated() {
            drive.wait(untilNs: Drive.openedNs + (frame.stampUs - frames[0].stampUs) * 1_000)
            let isRepeat = index > 0 && frame.repeats(frames[index - 1])
            repeats += isRepeat ? 1 : 0
            drive.send(try #require(frame.depth(atNs: drive.nowNs, repeats: isRepeat)))
        }
        #expect(frames.count == 45 && repeats == 7)
        drive.run.end(.inputEnded)
        let result = try #require(drive.run.result)
        // The board lost eight frames in a row: 531 ms.
        #expect(drive.failure == .stalled)
        #expect(result.notes.contains { $0.contains("repeated the one before") })
    }

    @Test("played over and over without gaps: frozen frames; without the repeats: no wall")
    func overAndOver() throws {
        let frames = try Recordings.nearFrames()
        for (withRepeats, failure) in [(true, .frozenFrames), (false, .lowCoverage)] as [(Bool, ValidationFailure)] {
            var drive = Self.drive()
            let played = frames.indices.filter { withRepeats || $0 == 0 || !frames[$0].repeats(frames[$0 - 1]) }
            drive.play(hz: 18) { _, index, drive in
                let place = played[index % played.count]
                let isRepeat = place > 0 && frames[place].repeats(frames[place - 1])
                if let frame = frames[place].depth(atNs: drive.nowNs, repeats: isRepeat) { drive.send(frame) }
            }
            #expect(drive.failure == failure)
            if let wall = drive.run.state.wall { #expect(wall.distanceMm < 100) }
            #expect(drive.run.state.tracking == .unavailable || drive.run.state.wall?.distanceMm ?? 0 < 100)
        }
    }
}
