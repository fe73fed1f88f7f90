internal import NLOSCore

/// The direction of every zone, made once for a grid: what a zone reads, times its direction, is the point that it sees.
struct ZoneRays: Sendable {
    static let mostZones = 64

    /// z is along the optical axis. Of length 1 where distances are along the ray; with z = 1 where they are along the axis.
    let x, y, z: [Double]
    /// Columns and rows of the ray's slope, x / z and y / z.
    let slopeX, slopeY: [Double]

    var zones: Int { x.count }

    /// A plane needs zones that are not on one line.
    static func supports(_ grid: ZoneGrid) -> Bool {
        (2...mostZones / 2).contains(grid.width) && (2...mostZones / 2).contains(grid.height) && grid.zones <= mostZones
    }

    /// Nil for a grid that no plane can be fitted to, or that is not the view's own.
    init?(_ view: SensorView, grid: ZoneGrid) {
        guard Self.supports(grid), let angles = view.angles(of: grid) else { return nil }
        let tangents = angles.map { (x: tangent(Double($0.x)), y: tangent(Double($0.y))) }
        switch view.geometry {
        case .alongAxis:
            x = tangents.map(\.x)
            y = tangents.map(\.y)
            z = tangents.map { _ in 1 }
        case .alongRay:
            // (cos y sin x, sin y, cos y cos x), as in the wire contract.
            let cosines = tangents.map { (x: 1 / (1 + $0.x * $0.x).squareRoot(), y: 1 / (1 + $0.y * $0.y).squareRoot()) }
            x = zip(tangents, cosines).map { $1.y * $1.x * $0.x }
            y = zip(tangents, cosines).map { $1.y * $0.y }
            z = cosines.map { $0.y * $0.x }
        }
        slopeX = zip(x, z).map { $0 / $1 }
        slopeY = zip(y, z).map { $0 / $1 }
    }

    /// What a zone reads of a wall: millimetres, or something not above 0 when its ray never meets that wall.
    func reading(zone: Int, of wall: Plane) -> Double {
        let closing = z[zone] - wall.slopeX * x[zone] - wall.slopeY * y[zone]
        return closing > 1e-6 ? wall.distanceMm / closing : 0
    }
}

extension SensorView {
    fileprivate func angles(of grid: ZoneGrid) -> [ZoneAngle]? {
        switch layout {
        case .table(grid, let angles): angles
        case .table: nil
        case .even(let view):
            (0..<grid.zones).map { zone in
                ZoneAngle(
                    x: ((Float(zone % grid.width) + 0.5) / Float(grid.width) - 0.5) * view.x,
                    y: ((Float(zone / grid.width) + 0.5) / Float(grid.height) - 0.5) * view.y)
            }
        }
    }
}

/// z = distance + slopeX * x + slopeY * y, millimetres.
struct Plane: Equatable, Sendable {
    var distanceMm: Double
    var slopeX: Double
    var slopeY: Double
}
