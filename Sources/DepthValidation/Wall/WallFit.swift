/// The plane that fits one frame's distances.
public struct WallFit: Equatable, Sendable {
    /// Along the optical axis, mm.
    public let distanceMm: Double
    /// Millimetres deeper per millimetre across the columns and down the rows.
    public let slopeX, slopeY: Double
    /// Between the optical axis and the wall's normal, degrees, 0 ... 90.
    public let tiltDegrees: Double
    /// Root mean square of the kept points' distances from the plane, mm.
    public let residualMm: Double
    /// Zones with a distance, and how many of them the plane was not fitted to.
    public let zones: Int
    public let outliers: Int
}
