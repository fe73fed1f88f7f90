internal import NLOSCore

/// A phase that is over, or was cut short.
struct ClosedPhase: Sendable {
    let phase: Phase
    let summary: PhaseSummary
    let tally: PhaseTally
    let zones: ZoneReport
    /// False for a phase that was cut short: too little to judge it by.
    let isWhole: Bool
}

/// The ends of phases, the checks, and the one result.
extension ValidationRun {
    /// The phase has lasted as long as planned.
    mutating func close(_ phase: Phase, at atNs: UInt64) {
        guard let done = summarise(phase, at: atNs, isWhole: true) else { return }
        if let finding = firstFinding(in: done) { return conclude(.failed(finding.verdict)) }
        switch phase {
        case .calibration:
            self.phase = .wallScan
            phaseBeganNs = atNs
            instruments?.see(thermal)
        case .wallScan:
            conclude(Completion(of: setup.plan).map(ValidationOutcome.completed) ?? .shortenedRunPassed)
        }
    }

    mutating func fail(_ finding: Finding) { conclude(.failed(finding.verdict)) }

    /// Ends the run; nil when the user did.
    mutating func conclude(_ outcome: ValidationOutcome?) {
        guard result == nil else { return }
        if let phase, closed.last?.phase != phase { _ = summarise(phase, at: nowNs, isWhole: false) }
        result = ValidationResult(
            outcome: outcome ?? .cancelled, phases: closed.map(\.summary), rows: rows, notes: notes, isShortened: setup.plan.isShortened)
    }

    private mutating func summarise(_ phase: Phase, at atNs: UInt64, isWhole: Bool) -> ClosedPhase? {
        guard let (tally, zones) = instruments?.closePhase(vouched: losses.vouched) else { return nil }
        let seconds = Double(interval(from: phaseBeganNs, to: atNs)) / 1e9
        let done = ClosedPhase(
            phase: phase,
            summary: PhaseSummary(
                phase: phase, plannedDurationSeconds: setup.plan.seconds(of: phase), observedDurationSeconds: seconds,
                frameCount: tally.frames, averageFPS: seconds > 0 ? Double(tally.frames) / seconds : 0,
                averageDepthCoverage: tally.meanCoverage, averageMovementMetersPerSecond: tally.meanMovementMps,
                depthNoiseMillimeters: zones.noiseMm ?? 0, steadyWallShare: tally.steadyWallShare, finalTrackingState: tally.lastTracking,
                peakThermalState: tally.peakThermal),
            tally: tally, zones: zones, isWhole: isWhole)
        closed.append(done)
        return done
    }

    /// The checks in order: what makes the others meaningless comes first, then the table's own order. The first that is not met is the
    /// verdict; the table at the end shows all.
    private func firstFinding(in done: ClosedPhase) -> Finding? {
        let (tally, zones, phase) = (done.tally, done.zones, done.phase)
        if phase == .calibration, !tally.sawDepth { return .noDepth(statusMissing: losses.statusNeverFilledIn) }
        if losses.frozenShare > Thresholds.frozenShare { return .frozen(share: losses.frozenShare) }
        if tally.meanCoverage < Thresholds.coverage { return .lowCoverage(tally.meanCoverage, phase) }
        if zones.plausibleCoverage < Thresholds.coverage {
            return .implausible(coverage: zones.plausibleCoverage, near: zones.nearZones, stuck: zones.stuckZones)
        }
        if done.summary.averageFPS < Thresholds.frameRate * setup.attainableHz {
            return .lowFrameRate(done.summary.averageFPS, attainable: setup.attainableHz, phase)
        }
        if zones.twoPeakShare > Thresholds.twoPeakZoneShare { return .twoPeaks(zoneShare: zones.twoPeakShare) }
        switch phase {
        case .calibration: return calibrationFinding(tally, zones)
        case .wallScan: return tally.steadyWallShare < Thresholds.steadyWallShare ? .noSteadyWall(share: tally.steadyWallShare) : nil
        }
    }

    private func calibrationFinding(_ tally: PhaseTally, _ zones: ZoneReport) -> Finding? {
        if zones.outlierShare > Thresholds.outlierShare { return .outliers(share: zones.outlierShare) }
        guard let distance = tally.wallDistanceMm, let noise = zones.noiseMm else { return .wallOutOfRange(mm: nil) }
        let limit = Thresholds.noiseMm(at: distance)
        if noise > limit { return .noise(mm: noise, limitMm: limit) }
        return Thresholds.wallDistanceMm.contains(distance) ? nil : .wallOutOfRange(mm: distance)
    }
}
