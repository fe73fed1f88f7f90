/// Fits the wall of one frame after the other in storage that is made once.
struct WallFitter: Sendable {
    /// Readings are whole millimetres: nothing smaller can be called a deviation.
    static let leastDeviationMm = 1.0
    static let rejectionDeviations = 3.0
    static let leastPoints = 4

    private let rays: ZoneRays
    private var x: [Double]
    private var y: [Double]
    private var z: [Double]
    /// Which zone each point is of.
    private var zone: [Int]
    private var residual: [Double]
    private var scratch: [Double]

    init(_ rays: ZoneRays) {
        self.rays = rays
        x = Array(repeating: 0, count: rays.zones)
        (y, z, residual, scratch) = (x, x, x, x)
        zone = Array(repeating: 0, count: rays.zones)
    }

    /// The plane through the valid zones; nil when there are fewer than four, all on one line, or no plane in front of the sensor.
    mutating func fit(_ distancesMm: [UInt16?]) -> WallFit? {
        let zones = collect(distancesMm)
        guard zones >= Self.leastPoints, var plane = plane(through: zones) else { return nil }
        var kept = reject(zones, from: plane)
        if kept < zones {
            if kept >= Self.leastPoints, let second = self.plane(through: kept) {
                plane = second
            } else {
                // What is left makes no plane: then nothing tells which points are the strays.
                kept = zones
            }
        }
        let tangent = (plane.slopeX * plane.slopeX + plane.slopeY * plane.slopeY).squareRoot()
        let squares = (0..<kept).reduce(0.0) { $0 + square(offPlane($1, plane)) }
        let fit = WallFit(
            distanceMm: plane.distanceMm, slopeX: plane.slopeX, slopeY: plane.slopeY, tiltDegrees: arcTangent(tangent) * 180 / .pi,
            residualMm: (squares / Double(kept)).squareRoot(), zones: zones, outliers: zones - kept)
        return fit.isPlausible ? fit : nil
    }

    private mutating func collect(_ distancesMm: [UInt16?]) -> Int {
        var points = 0
        for index in 0..<min(rays.zones, distancesMm.count) {
            guard let reported = distancesMm[index] else { continue }
            let distance = Double(reported)
            x[points] = distance * rays.x[index]
            y[points] = distance * rays.y[index]
            z[points] = distance * rays.z[index]
            zone[points] = index
            points += 1
        }
        return points
    }

    /// Least squares of depth over place, through the first `count` points.
    private func plane(through count: Int) -> Plane? {
        var (meanX, meanY, meanZ, meanSlopeX, meanSlopeY) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for point in 0..<count {
            meanX += x[point]
            meanY += y[point]
            meanZ += z[point]
            meanSlopeX += rays.slopeX[zone[point]]
            meanSlopeY += rays.slopeY[zone[point]]
        }
        let share = 1 / Double(count)
        (meanX, meanY, meanZ) = (meanX * share, meanY * share, meanZ * share)
        (meanSlopeX, meanSlopeY) = (meanSlopeX * share, meanSlopeY * share)
        var (place, look) = (Spread(), Spread())
        var (depthX, depthY) = (0.0, 0.0)
        for point in 0..<count {
            let (dx, dy, dz) = (x[point] - meanX, y[point] - meanY, z[point] - meanZ)
            place.add(dx, dy)
            look.add(rays.slopeX[zone[point]] - meanSlopeX, rays.slopeY[zone[point]] - meanSlopeY)
            depthX += dx * dz
            depthY += dy * dz
        }
        // Zones on one line see points on one line but for their noise, so it is the zones that are asked; and points on one line
        // as seen along the axis are a wall that the axis lies in.
        guard !look.isLine(within: 1e-3), !place.isLine(within: 1e-9) else { return nil }
        let slopeX = (depthX * place.yy - depthY * place.xy) / place.determinant
        let slopeY = (depthY * place.xx - depthX * place.xy) / place.determinant
        return Plane(distanceMm: meanZ - slopeX * meanX - slopeY * meanY, slopeX: slopeX, slopeY: slopeY)
    }

    /// Moves the points that are more than three median absolute deviations off behind the others; returns how many stay.
    private mutating func reject(_ count: Int, from plane: Plane) -> Int {
        for point in 0..<count {
            residual[point] = offPlane(point, plane)
            scratch[point] = residual[point]
        }
        let middle = scratch.medianOfFirst(count)
        for point in 0..<count { scratch[point] = abs(residual[point] - middle) }
        let limit = Self.rejectionDeviations * max(Self.leastDeviationMm, scratch.medianOfFirst(count))
        var kept = 0
        for point in 0..<count where abs(residual[point] - middle) <= limit {
            swapPoints(kept, point)
            kept += 1
        }
        return kept
    }

    private mutating func swapPoints(_ one: Int, _ other: Int) {
        x.swapAt(one, other)
        y.swapAt(one, other)
        z.swapAt(one, other)
        zone.swapAt(one, other)
        residual.swapAt(one, other)
    }

    /// Perpendicular to the plane, mm; above 0 behind it.
    private func offPlane(_ point: Int, _ plane: Plane) -> Double {
        let normal = (1 + plane.slopeX * plane.slopeX + plane.slopeY * plane.slopeY).squareRoot()
        return (z[point] - plane.distanceMm - plane.slopeX * x[point] - plane.slopeY * y[point]) / normal
    }

    private func square(_ value: Double) -> Double { value * value }
}

/// How points lie about their mean.
private struct Spread {
    var (xx, yy, xy) = (0.0, 0.0, 0.0)

    mutating func add(_ dx: Double, _ dy: Double) {
        xx += dx * dx
        yy += dy * dy
        xy += dx * dy
    }

    var determinant: Double { xx * yy - xy * xy }

    /// The narrow side is less than this share of the wide one (of their squares).
    func isLine(within share: Double) -> Bool { !(determinant > share * (xx + yy) * (xx + yy)) }
}

extension WallFit {
    /// In front of the sensor and made of numbers.
    fileprivate var isPlausible: Bool {
        distanceMm > 0 && distanceMm.isFinite && slopeX.isFinite && slopeY.isFinite && residualMm.isFinite
    }

    var plane: Plane { Plane(distanceMm: distanceMm, slopeX: slopeX, slopeY: slopeY) }
}
