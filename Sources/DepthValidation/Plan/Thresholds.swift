/// What a run is measured against. The first block is the specification's; the second names what it leaves open.
public enum Thresholds {
    public static let coverage = 0.75
    /// Share of the attainable rate.
    public static let frameRate = 0.9
    public static let noiseMm = 10.0
    public static let noiseShare = 0.02
    public static let wallDistanceMm = 500.0...4_000.0
    public static let steadyWallShare = 0.9
    public static let steadyResidualMm = 15.0
    public static let steadyResidualShare = 0.03
    public static let wallResidualMm = 30.0
    public static let wallResidualShare = 0.06
    public static let frozenShare = 0.05
    public static let ambientFactor = 8.0
    public static let twoPeakZoneShare = 0.1
    /// Coverage below this is no view of a wall.
    public static let trackingCoverage = 0.5
    public static let movementMps = 0.30
    public static let movementWindowNs: UInt64 = 500_000_000
    public static let firstFrameNs: UInt64 = 5_000_000_000
    public static let stallNs: UInt64 = 500_000_000
    public static let clocksPartNs: UInt64 = 250_000_000

    /// Readings far from their zone's own median, of all readings.
    public static let outlierShare = 0.05
    /// The ambient level changes by this within a second while distances jump.
    public static let ambientStepFactor = 2.0
    /// Share of zones that jump at once.
    public static let jumpZoneShare = 0.1
    public static let jumpMm = 100.0
    public static let jumpShare = 0.1
    /// A split narrower than this is within the noise that is allowed anyway.
    public static let peakSplitMm = 20.0
    public static let peakSplitShare = 0.02
    /// A zone that reads less than this share of the wall's distance looks at something else.
    public static let nearShare = 0.5

    /// Nothing fails for these; the screen asks for a change.
    static let holdStillMps = 0.05
    static let tiltDegrees = 30.0

    /// Most noise a wall at this distance may have, mm.
    public static func noiseMm(at distanceMm: Double) -> Double { max(noiseMm, noiseShare * distanceMm) }
    /// Most residual of a steady wall, mm.
    public static func steadyResidualMm(at distanceMm: Double) -> Double { max(steadyResidualMm, steadyResidualShare * distanceMm) }
    /// Most residual of anything that is tracked as a wall, mm.
    public static func wallResidualMm(at distanceMm: Double) -> Double { max(wallResidualMm, wallResidualShare * distanceMm) }
    static func jumpMm(at distanceMm: Double) -> Double { max(jumpMm, jumpShare * distanceMm) }
    static func peakSplitMm(at distanceMm: Double) -> Double { max(peakSplitMm, peakSplitShare * distanceMm) }
}
