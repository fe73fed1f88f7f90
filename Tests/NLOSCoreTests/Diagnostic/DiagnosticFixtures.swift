import NLOSCore

/// Diagnostics for tests: a completed one, and what a test wants to be different.
struct DiagnosticFixture {
    var source: FrameSource? = .live
    var model = SafeLabel("VL53L8CH")
    var calibration = PhaseReport.test(.depthNoiseMm(3.21), planned: 15, observed: 15.02)
    var wallScan = PhaseReport.test(.steadyWallShare(0.9876), planned: 30, observed: 30.01)
    var outcome: VisibleDepthDiagnostic.Outcome?
    var permission = VisibleDepthDiagnostic.Permission.granted

    var diagnostic: VisibleDepthDiagnostic {
        VisibleDepthDiagnostic(
            session: RunIdentifier(), createdAtUnixMs: 1_796_022_000_999, sensorModel: model, source: source,
            system: SystemDescription(name: "debian", version: "12", kernelRelease: "6.1.0-42-amd64"), bridgeVersion: "0.1.0",
            capabilities: .init(histogram: .compactNormalized), permission: permission,
            consent: .init(localValidation: true, diagnosticExport: true),
            outcome: outcome ?? .completed(calibration: calibration, wallScan: wallScan) ?? .cancelled([]))
    }

    /// What the encoder makes of it, as text.
    var text: String {
        get throws { String(decoding: try diagnostic.encoded(), as: UTF8.self) }
    }
}

extension PhaseReport {
    static func test(
        _ measure: Measure, planned: Double, observed: Double, frames: Int = 450, fps: Double = 29.97, coverage: Double = 0.98765,
        movement: Double = 0.0123456, tracking: TrackingState = .normal, thermal: ThermalState = .nominal
    ) -> PhaseReport {
        PhaseReport(
            measure: measure, plannedSeconds: planned, observedSeconds: observed, frames: frames, framesPerSecond: fps, coverage: coverage,
            movementMetersPerSecond: movement, finalTracking: tracking, peakThermal: thermal)
    }
}

/// What the check says of a text; nil when it accepts it.
func refusal(of text: String) -> DiagnosticRefusal? {
    do throws(DiagnosticRefusal) {
        try DiagnosticCheck.check(Array(text.utf8))
        return nil
    } catch {
        return error
    }
}
