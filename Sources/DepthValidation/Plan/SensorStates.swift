/// What the sensor sees at one moment. The raw value is the name in the diagnostic.
public enum TrackingState: String, CaseIterable, Sendable {
    case normal
    case limitedLowCoverage = "limited_low_coverage"
    case limitedNoWall = "limited_no_wall"
    case limitedExcessiveMotion = "limited_excessive_motion"
    /// No frame for 500 ms.
    case unavailable
}

/// How hot the sensor or the host is, coarse. Passed in; `unknown` until somebody says.
public enum ThermalState: String, CaseIterable, Comparable, Sendable {
    case unknown
    case nominal
    case fair
    case serious
    case critical

    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
