public import NLOSCore

/// The two parts of a run.
public typealias Phase = ValidationPhase

/// How long each phase lasts.
///
/// Only `standard` leads to `completed`. A shortened plan, for demonstrations, ends in an outcome of its own even when every check is met.
public struct PhasePlan: Equatable, Sendable {
    /// Of holding still, at least 1.
    public let calibrationSeconds: Double
    /// Of moving slowly, at least 1.
    public let wallScanSeconds: Double
    /// For demonstrations only: no run of it is completed.
    public let isShortened: Bool

    private init(calibrationSeconds: Double, wallScanSeconds: Double, isShortened: Bool) {
        self.calibrationSeconds = calibrationSeconds
        self.wallScanSeconds = wallScanSeconds
        self.isShortened = isShortened
    }

    /// The 45 seconds that count: 15 s and 30 s.
    public static let standard = PhasePlan(calibrationSeconds: 15, wallScanSeconds: 30, isShortened: false)

    /// For demonstrations. Each phase lasts at least a second and less than in the standard plan; nil otherwise.
    public static func shortened(calibrationSeconds: Double, wallScanSeconds: Double) -> PhasePlan? {
        guard calibrationSeconds >= 1, calibrationSeconds < standard.calibrationSeconds, wallScanSeconds >= 1,
            wallScanSeconds < standard.wallScanSeconds
        else { return nil }
        return PhasePlan(calibrationSeconds: calibrationSeconds, wallScanSeconds: wallScanSeconds, isShortened: true)
    }

    /// How long the phase lasts, seconds.
    public func seconds(of phase: Phase) -> Double {
        switch phase {
        case .calibration: calibrationSeconds
        case .wallScan: wallScanSeconds
        }
    }

    func nanoseconds(of phase: Phase) -> UInt64 { UInt64(seconds(of: phase) * 1e9) }
}
