import NLOSCore

/// Diagnostics for tests: a completed one, and what a test wants to be different.
struct DiagnosticFixture {
    var source: FrameSource? = .live
    var model = SafeLabel("VL53L8CH")
    var calibration = PhaseSummary.calibration()
    var wallScan = PhaseSummary.wallScan()
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

extension PhaseSummary {
    static func calibration(noise: Double? = 3.21, planned: Double = 15, observed: Double = 15.02) -> PhaseSummary {
        .test(.calibration, planned: planned, observed: observed, noise: noise)
    }

    static func wallScan(share: Double? = 0.98764, planned: Double = 30, observed: Double = 30.01) -> PhaseSummary {
        .test(.wallScan, planned: planned, observed: observed, share: share)
    }

    static func test(
        _ phase: ValidationPhase, planned: Double, observed: Double, frames: Int = 450, fps: Double = 29.97, coverage: Double = 0.98765,
        movement: Double = 0.0123456, noise: Double? = nil, share: Double? = nil
    ) -> PhaseSummary {
        PhaseSummary(
            phase: phase, plannedDurationSeconds: planned, observedDurationSeconds: observed, frameCount: frames, averageFPS: fps,
            averageDepthCoverage: coverage, averageMovementMetersPerSecond: movement, depthNoiseMillimeters: noise,
            steadyWallShare: share, finalTrackingState: .normal, peakThermalState: .nominal)
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
