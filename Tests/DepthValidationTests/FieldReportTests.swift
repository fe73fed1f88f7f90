import DepthValidation
import NLOSCore
import Testing

/// Ways in which such checks have fooled people.
@Suite struct FieldReportTests {
    static let wall = SyntheticWall(grid: ZoneGrid(width: 4, height: 4), tiltX: 3)

    @Test("a stream without status passes with the note that validity is unknown; one with status or confidence without it")
    func validityUnknown() throws {
        for (confidence, status, isNoted) in [
            (nil, nil, true), ([Int64](repeating: 200, count: 16), nil, false), (nil, [UInt8](repeating: 5, count: 16), false),
        ]
            as [([Int64]?, [UInt8]?, Bool)]
        {
            var drive = Drive()
            drive.play { _, _, drive in
                drive.send(Self.wall.readings(&drive.random), grid: Self.wall.grid, confidence: confidence, status: status)
            }
            let result = try #require(drive.run.result)
            #expect(result.outcome.completionStatus == "completed")
            #expect(result.notes.contains { $0.hasPrefix("validity unknown") } == isNoted)
        }
    }

    @Test("steady numbers alone are no pass: without a status, zones that never vary do not count; a status vouches for them")
    func stuckZones() throws {
        for (status, failure) in [(nil, .lowCoverage), ([UInt8](repeating: 5, count: 16), nil)] as [([UInt8]?, ValidationFailure?)] {
            var drive = Drive()
            drive.play { _, _, drive in
                var readings = Self.wall.readings(&drive.random)
                for zone in 0..<5 { readings[zone] = Int64(Self.wall.exact(zone: zone)) }
                drive.send(readings, grid: Self.wall.grid, status: status)
            }
            #expect(drive.failure == failure)
            if failure != nil { #expect(try #require(drive.verdict).measured.contains("5 zones never changed")) }
        }
    }

    @Test("only the documented good codes count; a status of 0 everywhere is not filled in")
    func statusCodes() throws {
        var drive = Drive()
        let status = (0..<16).map { UInt8($0 % 2 == 0 ? 5 : 255) }
        drive.play { _, index, drive in
            drive.send((0..<16).map { _ in [40, 3_800, 12][index % 3] }, grid: Self.wall.grid, status: status)
        }
        #expect(drive.failure == .lowCoverage)
        #expect(try #require(drive.run.result).phase(.calibration)?.averageDepthCoverage == 0.5)
        var empty = Drive()
        empty.play { _, _, drive in
            drive.send(Self.wall.readings(&drive.random), grid: Self.wall.grid, status: [UInt8](repeating: 0, count: 16))
        }
        #expect(empty.failure == .noDepth)
        #expect(try #require(empty.verdict).measured.contains("not filled in"))
    }

    @Test("a wall at 1 m with 20 % zeros: median 1 m, coverage 80 %")
    func zeros() throws {
        var wall = SyntheticWall()
        wall.missing = 0.2
        var drive = Drive()
        drive.play(wall)
        let result = try #require(drive.run.result)
        #expect(result.outcome.completionStatus == "completed")
        #expect(abs(try #require(result.phase(.calibration)).averageDepthCoverage - 0.8) < 0.01)
        #expect(result.row("wall distance")?.measured == "1.00 m")
    }

    @Test("1000 mm with 3 % at 25 mm passes with a note, 8 % fails as outliers, and the mean is not used")
    func outliers() throws {
        for (share, failure) in [(0.03, nil), (0.08, .unstableDepth)] as [(Double, ValidationFailure?)] {
            var drive = Drive()
            drive.play(seconds: 60) { _, _, drive in
                var readings = SyntheticWall(noiseMm: 5).readings(&drive.random)
                for zone in readings.indices where drive.random.unit() < share { readings[zone] = 25 }
                drive.send(readings, grid: ZoneGrid(width: 8, height: 8))
            }
            #expect(drive.failure == failure)
            let result = try #require(drive.run.result)
            #expect(result.notes.contains { $0.contains("far from their zone's median") })
            #expect(try #require(result.phase(.calibration)?.depthNoiseMillimeters) < 8)
            if failure != nil { #expect(try #require(drive.verdict).measured.contains("far from their zone's median")) }
        }
    }

    @Test("900 and 1000 mm in turn are said as two peaks, not as a spread")
    func bimodal() throws {
        var drive = Drive()
        drive.play(Self.wall) { readings, _, index in
            if index % 2 == 0 { for zone in readings.indices { readings[zone] -= 100 } }
        }
        #expect(drive.failure == .unstableDepth)
        let verdict = try #require(drive.verdict)
        #expect(verdict.measured.hasPrefix("two peaks") && verdict.publicReason.text.contains("two peaks"))
    }

    @Test("sunlight from 20 s on: 50 times the light and a third of the zones at 200 mm is inconclusive, with the time")
    func sunlight() throws {
        var drive = Drive()
        drive.play { time, _, drive in
            var readings = Self.wall.readings(&drive.random)
            if time >= 20 { for zone in 0..<5 { readings[zone * 3] = 200 } }
            drive.send(
                readings, grid: Self.wall.grid, ambient: [Int64](repeating: time < 20 ? 2_400 : 120_000, count: 16))
        }
        #expect(drive.failure == .ambientLight)
        let verdict = try #require(drive.verdict)
        #expect(verdict.measured.hasPrefix("inconclusive") && verdict.measured.contains("from 20.0 s on"))
        #expect(verdict.publicReason.text.contains("20.0 s"))
    }

    @Test(
        "distances along the ray from a sensor that is said to give them along the axis are flagged as bowl-shaped, and the other way round"
    )
    func bowl() throws {
        for (real, said, word) in [
            (.alongRay, .alongAxis, "bowl-shaped"), (.alongAxis, .alongRay, "dome-shaped"), (.alongAxis, .alongAxis, nil),
            (.alongRay, .alongRay, nil),
        ] as [(DistanceGeometry, DistanceGeometry, String?)] {
            for tilt in [0.0, 5, 10] {
                var drive = Drive(view: SensorView(fieldOfView: FieldOfView(degreesX: 45, degreesY: 45), geometry: said))
                var wall = SyntheticWall(geometry: real, tiltX: tilt, tiltY: -tilt)
                wall.noiseMm = 3
                drive.play(wall, seconds: 15.2)
                drive.run.end(.cancelled)
                let notes = try #require(drive.run.result).notes
                #expect(notes.contains { $0.contains("bowl-shaped") } == (word == "bowl-shaped"), "\(said) \(tilt)")
                #expect(notes.contains { $0.contains("dome-shaped") } == (word == "dome-shaped"), "\(said) \(tilt)")
                #expect(notes.contains { $0.hasPrefix("distances are taken as") })
            }
        }
    }

    @Test("7.5 Hz of 15: the measured rate is named")
    func halfRate() throws {
        var drive = Drive(attainableHz: 15)
        drive.play(Self.wall, hz: 7.5)
        #expect(drive.failure == .lowFrameRate)
        #expect(try #require(drive.verdict).measured.hasPrefix("7.5 frames a second"))
        #expect(abs(try #require(drive.run.result?.phase(.calibration)).averageFPS - 7.5) < 0.05)
    }

    @Test("a cover glass: constant near readings, in some zones or in all")
    func glass() throws {
        for (zones, failure) in [(4, nil), (5, .lowCoverage), (16, .wallOutOfRange)] as [(Int, ValidationFailure?)] {
            var drive = Drive()
            drive.play { _, index, drive in
                var readings = Self.wall.readings(&drive.random)
                for zone in 0..<zones { readings[15 - zone * 7 % 16] = 60 + Int64(index % 2) }
                drive.send(readings, grid: Self.wall.grid)
            }
            #expect(drive.failure == failure, "\(zones)")
            if failure == .wallOutOfRange { #expect(try #require(drive.verdict).likelyCause.contains("glass")) }
            if zones == 5 { #expect(try #require(drive.verdict).measured.contains("5 zones read less than half")) }
            if zones == 4 { #expect(try #require(drive.run.result).notes.contains { $0.contains("4 zones read less than half") }) }
        }
    }

    @Test("half of the zones at another depth: no steady wall")
    func halfAtAnotherDepth() {
        var drive = Drive()
        drive.play(Self.wall) { readings, _, _ in
            for zone in 0..<16 where zone % 4 < 2 { readings[zone] = readings[zone] * 8 / 5 }
        }
        #expect(drive.failure == .noSteadyWall)
    }

    @Test("stamps that go back or stand still neither trap nor make time run back")
    func stampsGoBack() throws {
        var drive = Drive(attainableHz: 15)
        drive.play { _, index, drive in
            let stamp = index % 5 == 3 ? drive.nowNs - 1_000_000_000 : index % 7 == 2 ? 0 : drive.nowNs
            drive.send(
                DepthFrame(
                    monotonicNs: stamp, sequence: 0, grid: Self.wall.grid, reportedMm: Self.wall.readings(&drive.random))!)
        }
        #expect(drive.outcome?.completionStatus == "completed")
        #expect(try #require(drive.run.result).notes.contains { $0.contains("stamp before") })
    }

    @Test("frames of another grid in mid-run, as after a board's restart, are counted and not used")
    func otherGrid() throws {
        var drive = Drive()
        drive.play { _, index, drive in
            drive.send(Self.wall.readings(&drive.random), grid: Self.wall.grid)
            if index % 10 == 0 { drive.send(SyntheticWall().readings(&drive.random), grid: ZoneGrid(width: 8, height: 8)) }
        }
        #expect(drive.outcome?.completionStatus == "completed")
        #expect(try #require(drive.run.result).notes.contains { $0.contains("another grid") })
        var unusable = Drive()
        unusable.play { _, _, drive in drive.send([1_000], grid: ZoneGrid(width: 1, height: 1)) }
        #expect(unusable.failure == .noFrames)
        #expect(try #require(unusable.verdict).measured.contains("no usable frame"))
    }
}
