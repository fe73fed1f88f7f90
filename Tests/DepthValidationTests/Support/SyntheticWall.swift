import Glibc
import NLOSCore

/// A flat wall in front of a sensor, and what can be wrong with it.
struct SyntheticWall {
    var grid = ZoneGrid(width: 8, height: 8)
    var geometry = DistanceGeometry.alongAxis
    var view = FieldOfView(degreesX: 45, degreesY: 45)
    /// Along the optical axis, mm.
    var distanceMm = 1_000.0
    /// Of the wall's normal, degrees, about the vertical and about the horizontal.
    var tiltX = 0.0
    var tiltY = 0.0
    var noiseMm = 3.0
    /// Share of zones without a distance, at random each time.
    var missing = 0.0

    /// One frame of readings, row-major, whole millimetres; 0 where there is none.
    func readings(_ random: inout SplitMix64) -> [Int64] {
        (0..<grid.zones).map { zone in
            if missing > 0, random.unit() < missing { return 0 }
            return max(0, Int64((exact(zone: zone) + noiseMm * random.bell()).rounded()))
        }
    }

    /// Without noise, from trigonometry and not from the code under test.
    func exact(zone: Int) -> Double {
        let yaw = ((Double(zone % grid.width) + 0.5) / Double(grid.width) - 0.5) * Double(view.x)
        let pitch = ((Double(zone / grid.width) + 0.5) / Double(grid.height) - 0.5) * Double(view.y)
        let (slopeX, slopeY) = slopes
        switch geometry {
        case .alongAxis: return distanceMm / (1 - slopeX * tan(yaw) - slopeY * tan(pitch))
        case .alongRay:
            let ray = (x: cos(pitch) * sin(yaw), y: sin(pitch), z: cos(pitch) * cos(yaw))
            return distanceMm / (ray.z - slopeX * ray.x - slopeY * ray.y)
        }
    }

    private var slopes: (Double, Double) { (tan(tiltX * .pi / 180), tan(tiltY * .pi / 180)) }

    /// Between the axis and the wall's normal, degrees.
    var tiltDegrees: Double { atan((slopes.0 * slopes.0 + slopes.1 * slopes.1).squareRoot()) * 180 / .pi }
}

/// Random numbers that are the same in every run.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// 0 ..< 1.
    mutating func unit() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

    /// A bell of deviation 1: twelve evens, less their mean.
    mutating func bell() -> Double { (0..<12).reduce(-6.0) { sum, _ in sum + unit() } }
}
