import DepthValidation
import NLOSCore
import Testing

/// Every row of the result table, and both sides of every threshold.
@Suite struct ResultTableTests {
    static let small = SyntheticWall(grid: ZoneGrid(width: 4, height: 4), tiltX: 4, tiltY: -2)

    @Test("a still wall, seen steadily for 45 s, completes; nothing that comes later changes that")
    func completes() throws {
        var drive = Drive()
        drive.play(Self.small, ambient: 2_400)
        let result = try #require(drive.run.result)
        guard case .completed = result.outcome else { return #expect(Bool(false), "\(result.outcome)") }
        #expect(result.outcome.completionStatus == "completed" && result.outcome.publicReason == nil && !result.isShortened)
        #expect(result.phases.map(\.phase) == [.calibration, .wallScan])
        let calibration = try #require(result.phase(.calibration))
        #expect(calibration.frameCount == 225 && abs(calibration.averageFPS - 15) < 0.01 && calibration.averageDepthCoverage == 1)
        let noise = try #require(calibration.depthNoiseMillimeters)
        #expect(noise < 4 && calibration.steadyWallShare == nil)
        #expect(calibration.plannedDurationSeconds == 15 && abs(calibration.observedDurationSeconds - 15) < 0.1)
        let scan = try #require(result.phase(.wallScan))
        #expect(scan.frameCount == 450 && scan.steadyWallShare == 1 && scan.depthNoiseMillimeters == nil)
        #expect(scan.finalTrackingState == .normal && scan.averageMovementMetersPerSecond < 0.02)
        #expect(result.rows.allSatisfy { $0.isMet != false } && result.rows.contains { $0.isMet == true })
        #expect(drive.run.state.stage == .over)
        drive.run.end(.unplugged)
        drive.suspendedNs = 9_000_000_000
        drive.wait(milliseconds: 9_000)
        drive.send([0], grid: ZoneGrid(width: 1, height: 1))
        #expect(drive.run.result == result)
    }

    // MARK: No frames, stalls, ends

    @Test("no frame within 5 s of opening", arguments: [(4_999, false), (5_000, false), (5_001, true)])
    func noFrames(milliseconds: Double, fails: Bool) {
        var drive = Drive()
        drive.wait(milliseconds: milliseconds)
        #expect(drive.run.result == nil)
        drive.play(Self.small, seconds: 0.1)
        #expect(drive.failure == (fails ? .noFrames : nil))
    }

    @Test("silence alone is noticed by the tick, and a run without a frame has no phase")
    func silence() throws {
        var drive = Drive()
        drive.wait(milliseconds: 5_000)
        #expect(drive.run.result == nil && drive.run.state.stage == .waiting)
        drive.wait(milliseconds: 100)
        #expect(drive.failure == .noFrames)
        #expect(try #require(drive.run.result).phases.isEmpty)
    }

    @Test("gaps of 499 and 500 ms pass, 501 ms is a stall, in both phases", arguments: [(499, false), (500, false), (501, true)])
    func gaps(milliseconds: Double, stalls: Bool) throws {
        for at in [5.0, 30] {
            var drive = Drive()
            drive.play(Self.small, seconds: at)
            // `play` leaves the clock at its last frame.
            drive.wait(milliseconds: milliseconds)
            drive.play(Self.small, seconds: 1)
            #expect(drive.failure == (stalls ? .stalled : nil), "\(at) s")
            if stalls {
                let result = try #require(drive.run.result)
                #expect(result.phases.count == (at < 15 ? 1 : 2))
                let last = try #require(result.phases.last)
                #expect(last.finalTrackingState == .unavailable && last.frameCount > 60 && last.averageDepthCoverage == 1)
                #expect(result.rows.filter { $0.phase == last.phase }.allSatisfy { $0.isMet == nil })
            }
        }
    }

    @Test(
        "a sensor that is slow by nature has two and a half of its periods, and never more than a phase's tolerance",
        arguments: [(60.0, 500_000_000), (5, 500_000_000), (4, 625_000_000), (2, 1_250_000_000), (1, 1_500_000_000), (0, 1_500_000_000)])
    func gapOfASlowSensor(hz: Double, limitNs: UInt64) { #expect(Thresholds.stallNs(atHz: hz) == limitNs) }

    @Test("a stall is noticed by a tick when no frame comes any more")
    func stallByTick() {
        var drive = Drive()
        drive.play(Self.small, seconds: 3)
        drive.wait(milliseconds: 500)
        #expect(drive.run.result == nil && drive.run.state.tracking == .normal)
        drive.wait(milliseconds: 110)
        #expect(drive.failure == .stalled)
    }

    static let ends: [(end: RunEnd, before: ValidationFailure?, after: ValidationFailure?)] = [
        (.unplugged, .sensorDisconnected, .sensorDisconnected), (.cancelled, nil, nil), (.inputEnded, .noFrames, .stalled),
        (.deviceFailed, .noFrames, .stalled),
    ]

    @Test("unplug, Ctrl-C, the end of a recording and a device error, before the first frame and in both phases", arguments: ends.indices)
    func endings(index: Int) throws {
        let (end, before, after) = Self.ends[index]
        for seconds in [0.0, 4, 30] {
            var drive = Drive()
            drive.play(Self.small, seconds: seconds)
            drive.run.end(end)
            let result = try #require(drive.run.result)
            #expect(drive.failure == (seconds == 0 ? before : after))
            #expect(result.outcome.completionStatus == (end == .cancelled ? "cancelled" : "failed"))
            #expect(result.phases.count == (seconds == 0 ? 0 : seconds < 15 ? 1 : 2))
        }
    }

    @Test("the clocks part by more than 250 ms: suspended", arguments: [(250, false), (251, true), (3_600_000, true)])
    func suspend(milliseconds: UInt64, isInterrupted: Bool) {
        for seconds in [0.0, 3, 20] {
            var drive = Drive()
            drive.play(Self.small, seconds: seconds)
            drive.suspendedNs = milliseconds * 1_000_000
            drive.tick()
            #expect(drive.failure == (isInterrupted ? .interrupted : nil))
        }
    }

    @Test("a boot clock that falls behind the monotonic one has parted too")
    func bootBehind() {
        var drive = Drive()
        drive.play(Self.small, seconds: 3)
        drive.run.tick(monotonicNs: drive.nowNs, bootNs: drive.nowNs + Drive.bootOffsetNs - 251_000_000)
        #expect(drive.failure == .interrupted)
    }

    // MARK: Checks

    @Test(
        "mean coverage under 75 %: 12 of 16 zones pass, 11 do not",
        arguments: [(12, nil), (11, .lowCoverage)] as [(Int, ValidationFailure?)])
    func coverage(zones: Int, failure: ValidationFailure?) throws {
        for from in [0.0, 16] {
            var drive = Drive()
            drive.play(Self.small) { readings, time, _ in
                if time >= from { for zone in zones..<16 { readings[zone] = 0 } }
            }
            #expect(drive.failure == failure)
            let phases = try #require(drive.run.result).phases.count
            #expect(phases == (failure != nil && from == 0 ? 1 : 2))
        }
    }

    @Test("a rate under 90 % of the attainable one, in calibration and in the wall scan")
    func rate() throws {
        for (hz, failure) in [(13.5, nil), (13.3, .lowFrameRate), (7.5, .lowFrameRate)] as [(Double, ValidationFailure?)] {
            var drive = Drive(attainableHz: 15)
            drive.play(Self.small, hz: hz)
            #expect(drive.failure == failure, "\(hz)")
        }
        var drive = Drive(attainableHz: 15)
        drive.play(Self.small, seconds: 16)
        drive.play(Self.small, hz: 7.5)
        #expect(drive.failure == .lowFrameRate)
        #expect(try #require(drive.run.result).phases.count == 2)
    }

    @Test(
        "noise over max(10 mm, 2 %)",
        arguments: [
            (1_000, 8, nil), (1_000, 23, .unstableDepth), (500, 8.5, nil), (500, 11.5, .unstableDepth), (3_000, 52, nil),
            (3_000, 68, .unstableDepth),
        ]
            as [(Double, Double, ValidationFailure?)])
    func noise(distance: Double, noise: Double, failure: ValidationFailure?) throws {
        var drive = Drive()
        var wall = SyntheticWall(grid: ZoneGrid(width: 4, height: 4))
        (wall.distanceMm, wall.noiseMm) = (distance, noise)
        drive.play(wall, seconds: 15.2)
        #expect(drive.failure == failure)
        if failure != nil { #expect(try #require(drive.verdict).measured.hasPrefix("noise ")) }
    }

    @Test(
        "the wall outside 0.5 to 4 m",
        arguments: [(499, false), (500, true), (501, true), (3_999, true), (4_000, true), (4_001, false), (100, false), (9_000, false)])
    func distance(millimetres: Double, isWithin: Bool) throws {
        var drive = Drive()
        var wall = SyntheticWall(grid: ZoneGrid(width: 4, height: 4), noiseMm: 0)
        wall.distanceMm = millimetres
        // One zone that flickers by a millimetre keeps each zone's numbers from standing still.
        drive.play(wall, seconds: 15.2) { readings, _, index in readings[index % 16] += index % 2 == 0 ? 1 : -1 }
        #expect(drive.failure == (isWithin ? nil : .wallOutOfRange))
    }

    @Test(
        "a steady wall in 90 % of the frames of the wall scan", arguments: [(11, nil), (9, .noSteadyWall)] as [(Int, ValidationFailure?)])
    func steadyWall(every: Int, failure: ValidationFailure?) {
        var drive = Drive()
        drive.play { time, index, drive in
            // Anything within 150 mm of the wall: a residual over max(15 mm, 3 %), and no second peak in any zone.
            var wall = Self.small
            if time > 15.1, index % every == 0 { wall.noiseMm = 90 }
            drive.send(wall.readings(&drive.random), grid: wall.grid)
        }
        #expect(drive.failure == failure)
    }

    @Test(
        "more than 5 % of the frames repeat the one before",
        arguments: [(20, nil), (19, .frozenFrames), (2, .frozenFrames)] as [(Int, ValidationFailure?)])
    func frozen(every: Int, failure: ValidationFailure?) throws {
        var drive = Drive(attainableHz: 15)
        drive.play(hz: 30) { _, index, drive in
            let readings = Self.small.readings(&drive.random)
            drive.send(readings, grid: Self.small.grid, repeats: index % every == every - 1)
        }
        #expect(drive.failure == failure)
        let result = try #require(drive.run.result)
        #expect(result.notes.contains { $0.contains("repeated the one before byte for byte") })
        // They are no frames: 450 in 15 s, less the repeats.
        let frames = try #require(result.phase(.calibration)).frameCount
        #expect(abs(frames - 450 * (every - 1) / every) <= 1)
    }

    @Test(
        "repeats that the sensor itself tells of by a frame's number count like those that are seen",
        arguments: [(20, nil), (19, .frozenFrames)] as [(Int, ValidationFailure?)])
    func frozenByNumber(every: Int, failure: ValidationFailure?) {
        var drive = Drive(attainableHz: 15)
        drive.play(hz: 30) { _, index, drive in
            if index % every == every - 1 { return drive.run.noteRepeat() }
            drive.send(Self.small.readings(&drive.random), grid: Self.small.grid)
        }
        #expect(drive.failure == failure)
    }

    @Test("a stream that freezes for good: named as frozen while repeats are many, as a stall while they are few")
    func freezes() throws {
        for (seconds, failure) in [(1.0, .frozenFrames), (40, .stalled)] as [(Double, ValidationFailure)] {
            var drive = Drive()
            drive.play(Self.small, seconds: seconds)
            drive.play { _, _, drive in
                drive.send([Int64](repeating: 1_000, count: 16), grid: Self.small.grid, repeats: true)
            }
            #expect(drive.failure == failure)
            if failure == .stalled { #expect(try #require(drive.verdict).measured.contains("repeats of an old frame")) }
        }
    }

    @Test(
        "the ambient level changes by more than 8 times", arguments: [(7.5, nil), (8.5, .ambientLight)] as [(Double, ValidationFailure?)])
    func ambient(factor: Double, failure: ValidationFailure?) throws {
        for at in [5.0, 20] {
            var drive = Drive()
            drive.play { time, _, drive in
                let level = Int64(time < at ? 2_400 : 2_400 * factor)
                drive.send(
                    Self.small.readings(&drive.random), grid: Self.small.grid, ambient: [Int64](repeating: level, count: 16))
            }
            #expect(drive.failure == failure)
            if failure != nil { #expect(try #require(drive.verdict).measured.contains("from \(Int(at)).0 s on")) }
        }
    }

    @Test(
        "two groups of distances in more than 10 % of the zones", arguments: [(6, nil), (7, .unstableDepth)] as [(Int, ValidationFailure?)])
    func twoPeaks(zones: Int, failure: ValidationFailure?) throws {
        for from in [0.0, 15.5] {
            var drive = Drive()
            let wall = SyntheticWall(noiseMm: 3)
            drive.play(wall, seconds: from == 0 ? 15.2 : 60) { readings, time, index in
                guard time >= from, index % 2 == 0 else { return }
                for zone in 0..<zones { readings[zone * 9 % 64] -= 60 }
            }
            #expect(drive.failure == failure)
            if failure != nil { #expect(try #require(drive.verdict).measured.hasPrefix("two peaks")) }
        }
    }

    @Test("no zone ever had a distance")
    func noDepth() throws {
        var drive = Drive()
        drive.play { _, _, drive in drive.send([Int64](repeating: 0, count: 16), grid: Self.small.grid) }
        #expect(drive.failure == .noDepth)
        #expect(try #require(drive.run.result).phase(.calibration)?.frameCount == 225)
    }

    // MARK: Precedence

    @Test("of several checks that are not met, what makes the others meaningless is named")
    func precedence() {
        func failure(_ readings: [Int64], hz: Double, repeats: Bool) -> ValidationFailure? {
            var drive = Drive()
            drive.play(hz: hz) { _, index, drive in
                drive.send(readings, grid: Self.small.grid, repeats: repeats && index % 3 == 2)
            }
            return drive.failure
        }
        let nothing = [Int64](repeating: 0, count: 16)
        let little = [Int64](repeating: 100, count: 8) + [Int64](repeating: 0, count: 8)
        #expect(failure(nothing, hz: 8, repeats: true) == .noDepth)
        #expect(failure(little, hz: 8, repeats: true) == .frozenFrames)
        #expect(failure(little, hz: 8, repeats: false) == .lowCoverage)
    }
}
