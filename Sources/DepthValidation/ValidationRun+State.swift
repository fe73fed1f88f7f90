internal import NLOSCore

/// What the screen shows while the run goes on.
extension ValidationRun {
    /// For the screen. Costs more than a frame does: ask as often as you draw.
    public var state: LiveState {
        let tracking = currentTracking
        let fps = instruments?.recent.framesPerSecond(at: nowNs)
        let passed = Double(interval(from: phaseBeganNs, to: nowNs)) / 1e9
        let planned = setup.plan.seconds(of: phase ?? .calibration)
        return LiveState(
            stage: result != nil ? .over : phase.map(LiveState.Stage.phase) ?? .waiting,
            secondsLeft: phase == nil ? planned : max(0, planned - passed), progress: phase == nil ? 0 : min(1, passed / planned),
            framesPerSecond: fps, attainableHz: setup.attainableHz, coverage: lastSight?.coverage ?? 0, wall: lastSight?.wall,
            stabilityMm: instruments?.noiseMm, stabilityLimitMm: (lastSight?.wall).map { Thresholds.noiseMm(at: $0.distanceMm) },
            movementMps: lastSight?.movementMps, tracking: tracking, thermal: thermal, grid: instruments?.grid,
            distancesMm: lastDistancesMm, advice: advice(tracking, framesPerSecond: fps), isShortened: setup.plan.isShortened)
    }

    private var currentTracking: TrackingState {
        guard let lastSight, interval(from: lastFrameNs, to: nowNs) <= setup.stallNs else { return .unavailable }
        return lastSight.tracking
    }

    /// What hurts most, first.
    private func advice(_ tracking: TrackingState, framesPerSecond fps: Double?) -> Advice {
        guard let phase, let sight = lastSight else { return .waiting }
        switch tracking {
        case .unavailable: return .silent
        case .limitedLowCoverage: return .lowCoverage(sight.coverage)
        case .limitedNoWall: return .noWall
        case .limitedExcessiveMotion, .normal: break
        }
        guard let wall = sight.wall else { return .noWall }
        if wall.distanceMm < Thresholds.wallDistanceMm.lowerBound { return .tooNear }
        if wall.distanceMm > Thresholds.wallDistanceMm.upperBound { return .tooFar }
        let movement = sight.movementMps ?? 0
        if tracking == .limitedExcessiveMotion { return .tooFast(movement) }
        if sight.coverage < Thresholds.coverage { return .lowCoverage(sight.coverage) }
        if phase == .calibration, movement > Thresholds.holdStillMps { return .holdStill(movement) }
        if wall.tiltDegrees > Thresholds.tiltDegrees { return .tilted(wall.tiltDegrees) }
        if losses.frozenShare > Thresholds.frozenShare { return .frozen }
        if let fps, fps < Thresholds.frameRate * setup.attainableHz { return .slow(fps, setup.attainableHz) }
        if thermal >= .serious { return .hot }
        return .phase(phase)
    }
}
