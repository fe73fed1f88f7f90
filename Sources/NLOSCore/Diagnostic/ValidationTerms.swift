/// The two parts of a direct-depth validation. The raw value is the name in the diagnostic.
public enum ValidationPhase: String, CaseIterable, Sendable {
    case calibration
    case wallScan = "wall_scan"

    /// For sentences.
    public var words: String {
        switch self {
        case .calibration: "calibration"
        case .wallScan: "wall scan"
        }
    }
}

/// How well the sensor sees the wall at one moment. The raw value is the name in the diagnostic.
public enum TrackingState: String, CaseIterable, Sendable {
    case normal
    /// Fewer than half of the zones have a distance.
    case limitedLowCoverage = "limited_low_coverage"
    /// No plane through the zones, or one that they are far from.
    case limitedNoWall = "limited_no_wall"
    case limitedExcessiveMotion = "limited_excessive_motion"
    /// No frame for half a second, or none yet.
    case unavailable
}

/// How warm the sensor is, or the host where the sensor does not say; coarse only.
public enum ThermalState: String, CaseIterable, Comparable, Sendable {
    case unknown, nominal, fair, serious, critical

    /// By severity; what is not known is below everything.
    public static func < (left: Self, right: Self) -> Bool { left.severity < right.severity }

    private var severity: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
