/// The table at the end and the notes under it.
extension ValidationRun {
    var rows: [SummaryRow] { closed.flatMap(rows(of:)) + runRows }

    private func rows(of done: ClosedPhase) -> [SummaryRow] {
        let (summary, tally, zones) = (done.summary, done.tally, done.zones)
        var rows: [SummaryRow] = []
        func row(_ figure: String, _ measured: String, _ needed: String?, _ isMet: Bool?) {
            rows.append(
                SummaryRow(
                    phase: done.phase, figure: figure, measured: measured, needed: needed,
                    isMet: done.isWhole && needed != nil ? isMet : nil))
        }
        row("duration", "\(figure(summary.observedDurationSeconds, decimals: 1)) s", "\(figure(summary.plannedDurationSeconds)) s", true)
        row("coverage", percent(tally.meanCoverage), ">= \(percent(Thresholds.coverage))", tally.meanCoverage >= Thresholds.coverage)
        row(
            "coverage of the wall", percent(zones.plausibleCoverage), ">= \(percent(Thresholds.coverage))",
            zones.plausibleCoverage >= Thresholds.coverage)
        row(
            "frames a second", figure(summary.averageFPS, decimals: 1),
            ">= \(figure(setup.attainableHz * Thresholds.frameRate, decimals: 1))",
            summary.averageFPS >= setup.attainableHz * Thresholds.frameRate)
        row("longest gap", "\(figure(Double(tally.longestGapNs) / 1e6)) ms", "<= \(figure(Double(setup.stallNs) / 1e6)) ms", true)
        row(
            "zones with two peaks", percent(zones.twoPeakShare), "<= \(percent(Thresholds.twoPeakZoneShare))",
            zones.twoPeakShare <= Thresholds.twoPeakZoneShare)
        let distance = tally.wallDistanceMm
        switch done.phase {
        case .calibration:
            row(
                "outliers", "\(figure(zones.outlierShare * 100, decimals: 1)) %", "<= \(percent(Thresholds.outlierShare))",
                zones.outlierShare <= Thresholds.outlierShare)
            let limit = Thresholds.noiseMm(at: distance ?? 0)
            row(
                "noise", zones.noiseMm.map { "\(figure($0, decimals: 1)) mm" } ?? "-", "<= \(figure(limit, decimals: 1)) mm",
                zones.noiseMm.map { $0 <= limit } ?? false)
            row(
                "wall distance", distance.map { "\(figure($0 / 1000, decimals: 2)) m" } ?? "no wall", "0.50 to 4.00 m",
                distance.map(Thresholds.wallDistanceMm.contains) ?? false)
        case .wallScan:
            row(
                "frames of a flat wall", percent(tally.steadyWallShare), ">= \(percent(Thresholds.steadyWallShare))",
                tally.steadyWallShare >= Thresholds.steadyWallShare)
            row("wall distance", distance.map { "\(figure($0 / 1000, decimals: 2)) m" } ?? "no wall", nil, nil)
        }
        row("tilt", tally.meanTiltDegrees.map { "\(figure($0, decimals: 1)) degrees" } ?? "-", nil, nil)
        row("movement", "\(figure(tally.meanMovementMps, decimals: 2)) m/s", nil, nil)
        return rows
    }

    private var runRows: [SummaryRow] {
        guard losses.frames > 0 else { return [] }
        let factor = instruments?.ambient.factor
        return [
            SummaryRow(
                phase: nil, figure: "repeated frames", measured: percent(losses.frozenShare),
                needed: "<= \(percent(Thresholds.frozenShare))",
                isMet: losses.frozenShare <= Thresholds.frozenShare),
            SummaryRow(
                phase: nil, figure: "ambient light", measured: factor.map { "x \(figure($0, decimals: 1))" } ?? "not reported",
                needed: factor.map { _ in "<= x \(figure(Thresholds.ambientFactor))" },
                isMet: factor.map { _ in instruments?.ambient.change == nil }),
        ]
    }

    var notes: [String] {
        var notes: [String] = []
        if losses.frames > 0, !losses.vouched {
            notes.append(
                "validity unknown: the stream does not say which zones saw a target; that zones have distances, keep them, vary and lie "
                    + "on one wall stands in for it")
        }
        if losses.frames > 0 {
            notes.append(
                setup.view.geometry == .alongAxis
                    ? "distances are taken as perpendicular to the sensor's plane" : "distances are taken as along each zone's ray")
            notes.append("movement is toward or away from the wall: sliding along a plain wall cannot be seen by a depth sensor")
        }
        for done in closed {
            if let bowl = bowl(done.zones) { notes.append("\(done.phase.words): \(bowl)") }
            if done.zones.outlierShare > 0.01 {
                notes.append(
                    "\(done.phase.words): \(figure(done.zones.outlierShare * 100, decimals: 1)) % of the readings are far from their "
                        + "zone's median; they are not part of the noise")
            }
            if done.zones.nearZones > 0 {
                notes.append("\(done.phase.words): \(done.zones.nearZones) zones read less than half of the wall's distance")
            }
        }
        if losses.repeats > 0 { notes.append("\(losses.repeats) frames repeated the one before byte for byte and do not count") }
        if losses.otherGrid > 0 { notes.append("\(losses.otherGrid) frames had another grid and do not count") }
        if losses.backwards > 0 { notes.append("\(losses.backwards) frames had a stamp before the last one's") }
        if losses.clockSteps > 0 {
            let times = losses.clockSteps == 1 ? "" : "\(losses.clockSteps) times, the last time "
            notes.append(
                "the wall clock was set \(times)by \(figure(losses.lastClockStepSeconds, decimals: 1)) s during the run; "
                    + "durations and rates do not depend on it")
        }
        return notes
    }

    /// Half of what a wrong geometry would do is no chance.
    private func bowl(_ zones: ZoneReport) -> String? {
        guard let share = zones.cornerShare, abs(share) > zones.fullBowlShare / 2 else { return nil }
        let shape = share > 0 ? "bowl-shaped" : "dome-shaped"
        let cause =
            share > 0 && setup.view.geometry == .alongAxis
            ? "as distances along the ray would"
            : share < 0 && setup.view.geometry == .alongRay ? "as distances along the axis would" : "as a bent surface would"
        return "the wall is \(shape): the corners read \(figure(abs(share) * 100, decimals: 1)) % "
            + "\(share > 0 ? "farther" : "nearer") than a flat wall's, \(cause)"
    }
}
