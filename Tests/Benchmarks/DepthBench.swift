import CAllocations
import DepthValidation
import NLOSCore

/// `bench depth`: what one frame costs the validation, wall fit and all aggregates, and what a phase's end costs once.
func benchmarkDepth(_: [String]) {
    for (side, hz) in [(8, 60.0), (4, 60.0)] {
        let grid = ZoneGrid(width: side, height: side)
        let frames = walls(grid, hz: hz, seconds: 14)
        var times: [UInt64] = []
        var allocations = 0
        var phaseEnd: UInt64 = 0
        var worst: UInt64 = 0
        var state: UInt64 = 0
        for _ in 0..<15 {
            var run = ValidationRun(setup: setup(hz: hz), openedNs: 0, bootNs: 0)
            // The first frame makes the storage.
            run.take(frames[0])
            let before = nlos_allocations()
            let spent = nanoseconds { for index in 1..<frames.count { run.take(frames[index]) } }
            allocations = Int(nlos_allocations() - before)
            times.append(spent / UInt64(frames.count - 1))
            guard run.result == nil else { fatalError("the wall is a wall: \(String(describing: run.result?.outcome))") }
            worst = max(worst, slowest(of: frames, hz: hz))
            state = max(state, nanoseconds { for _ in 0..<10 { keep(run.state) } } / 10)
            let last = frames[frames.count - 1].monotonicNs
            phaseEnd = max(phaseEnd, nanosecondsOfPhaseEnd(&run, frames: frames, from: last))
        }
        times.sort()
        print(
            "depth validation, \(side)x\(side) zones, one frame with everything: \(decimal(times[times.count / 2])) us (target 20), "
                + "\(allocations) allocations in \(frames.count - 1) frames (target 0)")
        print(
            "depth validation, \(side)x\(side) zones, slowest frame; end of a phase; state for a screen: \(decimal(worst)) us; \(decimal(phaseEnd)) us; \(decimal(state)) us"
        )
    }
}

private func setup(hz: Double) -> ValidationSetup {
    ValidationSetup(view: SensorView(fieldOfView: FieldOfView(degreesX: 45, degreesY: 45), geometry: .alongAxis), attainableHz: hz)!
}

/// The slowest of the frames, each timed by itself.
private func slowest(of frames: [DepthFrame], hz: Double) -> UInt64 {
    var run = ValidationRun(setup: setup(hz: hz), openedNs: 0, bootNs: 0)
    run.take(frames[0])
    return frames.dropFirst().reduce(0) { worst, frame in max(worst, nanoseconds { run.take(frame) }) }
}

/// Frames at 10 Hz over the calibration's last second; the dearest of them closes the phase.
private func nanosecondsOfPhaseEnd(_ run: inout ValidationRun, frames: [DepthFrame], from lastNs: UInt64) -> UInt64 {
    (1...14).reduce(0) { worst, step in
        max(worst, nanoseconds { run.tick(monotonicNs: lastNs + UInt64(step) * 100_000_000, bootNs: lastNs + UInt64(step) * 100_000_000) })
    }
}

/// A tilted wall with three millimetres of noise, some zones missing and a stray reading now and then.
private func walls(_ grid: ZoneGrid, hz: Double, seconds: Double) -> [DepthFrame] {
    var state: UInt64 = 1
    func random(_ below: Int64) -> Int64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int64(state >> 33) % below
    }
    return (0..<Int(seconds * hz)).map { index in
        let readings = (0..<grid.zones).map { zone -> Int64 in
            if random(20) == 0 { return 0 }
            if random(100) == 0 { return 25 }
            let column = Int64(zone % grid.width)
            let row = Int64(zone / grid.width)
            return 1_200 + 11 * column - 5 * row + (0..<4).reduce(-6) { sum, _ in sum + random(4) }
        }
        return DepthFrame(
            monotonicNs: UInt64(Double(index) * 1e9 / hz), sequence: UInt64(index), grid: grid, reportedMm: readings,
            ambient: readings.map { _ in 2_400 + random(200) })!
    }
}

private func decimal(_ nanoseconds: UInt64) -> String { figure(Double(nanoseconds) / 1_000, decimals: 2) }
