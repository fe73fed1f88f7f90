/// What a run is measured against. The first block is the specification's; the second names what it leaves open.
public enum Thresholds {
    /// Least share of zones with a distance, the mean over a phase's frames; and least share of zones that can be the wall's.
    public static let coverage = 0.75
    /// Least frames a second of a phase, as a share of the attainable rate.
    public static let frameRate = 0.9
    /// Most temporal noise in the calibration: the larger of this many mm and this share of the wall's distance (`noiseMm(at:)`).
    public static let noiseMm = 10.0
    public static let noiseShare = 0.02
    /// Where the wall may be in the calibration: the median of the frames' fits, along the optical axis, mm.
    public static let wallDistanceMm = 500.0...4_000.0
    /// Least share of the wall scan's frames that show a steady wall.
    public static let steadyWallShare = 0.9
    /// Most residual of a frame's fit that is a steady wall: the larger of so many mm and this share of its distance.
    public static let steadyResidualMm = 15.0
    public static let steadyResidualShare = 0.03
    /// Most residual of a frame's fit that is tracked as a wall at all, likewise.
    public static let wallResidualMm = 30.0
    public static let wallResidualShare = 0.06
    /// Most frames that repeat the one before exactly, as a share of all frames of the run.
    public static let frozenShare = 0.05
    /// Most that the ambient level may change in a run, highest by lowest: the median over zones, then over five frames.
    public static let ambientFactor = 8.0
    /// Most zones whose distances fall into two groups, as a share of those with enough readings in the phase.
    public static let twoPeakZoneShare = 0.1
    /// Least coverage of one frame that is tracked; below it is no view of a wall.
    public static let trackingCoverage = 0.5
    /// Most movement toward or away from the wall that is tracked as normal, m/s.
    public static let movementMps = 0.30
    /// The time over which movement is measured, nanoseconds.
    public static let movementWindowNs: UInt64 = 500_000_000
    /// Longest wait for the first frame once the sensor is open and has been told all that it is told, nanoseconds.
    public static let firstFrameNs: UInt64 = 5_000_000_000
    /// Longest time between two frames, nanoseconds; for a sensor that is slow by nature `stallNs(atHz:)`.
    public static let stallNs: UInt64 = 500_000_000
    /// Most that the boot clock and the monotonic clock may part in a run, nanoseconds; more is a suspended host.
    public static let clocksPartNs: UInt64 = 250_000_000

    /// Most readings of the calibration far from their zone's own median, as a share of all of them.
    public static let outlierShare = 0.05
    /// A level that changes by more than this factor within two seconds is a step: bad when distances jump with it.
    public static let ambientStepFactor = 2.0
    /// Zones that jump from one frame to the next, as a share of those with a distance in both: more of them jump together.
    public static let jumpZoneShare = 0.1
    /// A zone jumps by more than the larger of so many mm and this share of its distance.
    public static let jumpMm = 100.0
    public static let jumpShare = 0.1
    /// Two groups of distances lie apart by the larger of so many mm and this share of the wall's distance; less is within the noise that
    /// is allowed anyway.
    public static let peakSplitMm = 20.0
    public static let peakSplitShare = 0.02
    /// A zone whose median is under this share of the wall's distance looks at something else.
    public static let nearShare = 0.5

    /// Most movement (m/s) in the calibration and most tilt of the wall (degrees) before the screen asks for a change. Nothing fails for them.
    static let holdStillMps = 0.05
    static let tiltDegrees = 30.0

    /// Longest time between two frames of a sensor with this attainable rate: two and a half of its periods where that is more than
    /// the limit for all, and never so much that a phase could outlast its tolerance.
    public static func stallNs(atHz rate: Double) -> UInt64 { min(1_500_000_000, max(stallNs, UInt64(2.5e9 / max(rate, 0.001)))) }

    /// Most noise a wall at this distance may have, mm.
    public static func noiseMm(at distanceMm: Double) -> Double { max(noiseMm, noiseShare * distanceMm) }
    /// Most residual of a steady wall, mm.
    public static func steadyResidualMm(at distanceMm: Double) -> Double { max(steadyResidualMm, steadyResidualShare * distanceMm) }
    /// Most residual of anything that is tracked as a wall, mm.
    public static func wallResidualMm(at distanceMm: Double) -> Double { max(wallResidualMm, wallResidualShare * distanceMm) }
    static func jumpMm(at distanceMm: Double) -> Double { max(jumpMm, jumpShare * distanceMm) }
    static func peakSplitMm(at distanceMm: Double) -> Double { max(peakSplitMm, peakSplitShare * distanceMm) }
}
