public import NLOSCore

/// What a run has to know about its sensor.
public struct ValidationSetup: Sendable {
    public let view: SensorView
    /// The rate that counts, frames a second: the least of what was asked, the sensor's limit for the grid and what the line can carry.
    public let attainableHz: Double
    public let plan: PhasePlan

    /// Nil unless the rate is finite and above zero.
    public init?(view: SensorView, attainableHz: Double, plan: PhasePlan = .standard) {
        guard attainableHz.isFinite, attainableHz > 0 else { return nil }
        self.view = view
        self.attainableHz = attainableHz
        self.plan = plan
    }

    /// Longest time between two frames, nanoseconds.
    var stallNs: UInt64 { Thresholds.stallNs(atHz: attainableHz) }
}

/// Where a sensor's zones look and which length it calls distance.
public struct SensorView: Sendable {
    enum Layout: Sendable {
        case even(FieldOfView)
        case table(grid: ZoneGrid, angles: [ZoneAngle])
    }
    let layout: Layout
    /// Stated in the result.
    public let geometry: DistanceGeometry

    /// Zones of equal angle over the whole view.
    public init(fieldOfView: FieldOfView, geometry: DistanceGeometry) {
        layout = .even(fieldOfView)
        self.geometry = geometry
    }

    /// Zones with directions of their own, row-major; nil unless there is one for each zone of the grid, finite and within 80 degrees.
    public init?(grid: ZoneGrid, angles: [ZoneAngle], geometry: DistanceGeometry) {
        let most = Float.pi * 80 / 180
        guard ZoneRays.supports(grid), angles.count == grid.zones, angles.allSatisfy({ abs($0.x) <= most && abs($0.y) <= most })
        else { return nil }
        layout = .table(grid: grid, angles: angles)
        self.geometry = geometry
    }
}

/// Where one zone looks: radians off the optical axis, across the columns and across the rows.
public struct ZoneAngle: Hashable, Sendable {
    public let x, y: Float

    public init(x: Float, y: Float) {
        self.x = x
        self.y = y
    }
}
