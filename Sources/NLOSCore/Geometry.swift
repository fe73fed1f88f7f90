/// A point or a vector in the sensor's frame, metres: x along the columns, y along the rows, z along the optical axis.
public struct Vector3: Hashable, Sendable {
    public var x, y, z: Float

    public init(x: Float, y: Float, z: Float) {
        self.x = x
        self.y = y
        self.z = z
    }

    public static let zero = Vector3(x: 0, y: 0, z: 0)

    public var isFinite: Bool { x.isFinite && y.isFinite && z.isFinite }
}

/// The sensor's place and attitude in the world at one frame.
public struct SensorPose: Hashable, Sendable {
    /// Metres.
    public let translationM: Vector3
    /// Unit quaternion x, y, z, w.
    public let quaternionXyzw: SIMD4<Float>

    /// Nil unless every number is finite and the quaternion's norm is 0.99 to 1.01.
    public init?(translationM: Vector3, quaternionXyzw: SIMD4<Float>) {
        let norm = (quaternionXyzw * quaternionXyzw).sum().squareRoot()
        guard translationM.isFinite, norm.isFinite, (0.99...1.01).contains(norm) else { return nil }
        self.translationM = translationM
        self.quaternionXyzw = quaternionXyzw
    }

    /// The world's origin, not rotated: a sensor that never moves.
    public static let fixed = SensorPose(identity: ())

    private init(identity: ()) {
        translationM = .zero
        quaternionXyzw = SIMD4(0, 0, 0, 1)
    }
}

/// Rows and columns of a sensor's zones.
public struct ZoneGrid: Hashable, Sendable, CustomStringConvertible {
    public let width: Int
    public let height: Int

    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The square grid with this many zones; nil when there is none.
    public init?(squareOf zones: Int) {
        let side = Int(Double(max(0, zones)).squareRoot().rounded())
        guard side > 0, side.multipliedReportingOverflow(by: side) == (zones, false) else { return nil }
        self.init(width: side, height: side)
    }

    public var zones: Int { width * height }
    public var description: String { "\(width)x\(height)" }
}

/// Which length a sensor calls "distance".
public enum DistanceGeometry: Sendable {
    /// Perpendicular to the sensor's plane, along the optical axis (VL53L8 family).
    case alongAxis
    /// From the sensor to the point, along the zone's own ray.
    case alongRay
}

/// A sensor's view, from which each zone's ray follows.
public struct FieldOfView: Hashable, Sendable {
    /// Full angles in radians, across the columns and across the rows.
    public let x, y: Float

    public init(degreesX: Float, degreesY: Float) {
        x = degreesX * .pi / 180
        y = degreesY * .pi / 180
    }
}
