internal import NLOSCore

/// The last frames with their walls, and what the wall has been doing: the wall's own motion, which is no noise of the sensor.
struct RecentFrames: Sendable {
    /// Two seconds at 60 Hz, half a second at 240 Hz.
    static let capacity = 128
    /// The wall at one moment is told from this much before and after it, and from two frames on each side where those last longer.
    static let halfWindowNs: UInt64 = 250_000_000
    static let halfWindowFrames = 2

    private let zones: Int
    private var times: [UInt64]
    private var walls: [Plane?]
    /// 0: none.
    private var readings: [UInt16]
    private var pushed = 0
    /// The next frame whose readings have not been compared with the wall.
    private var settled = 0

    init(zones: Int) {
        self.zones = zones
        times = Array(repeating: 0, count: Self.capacity)
        walls = Array(repeating: nil, count: Self.capacity)
        readings = Array(repeating: 0, count: Self.capacity * zones)
    }

    /// Takes a frame in; those that now have enough of a future are compared with the wall as it moved.
    mutating func push(_ timeNs: UInt64, _ distancesMm: [UInt16?], _ wall: Plane?, rays: ZoneRays, into spread: inout ZoneSpread) {
        if pushed - settled == Self.capacity { settleNext(rays, &spread) }
        let slot = pushed % Self.capacity
        times[slot] = timeNs
        walls[slot] = wall
        for zone in 0..<zones { readings[slot * zones + zone] = distancesMm[zone] ?? 0 }
        pushed += 1
        while pushed - settled > Self.halfWindowFrames, interval(from: time(settled), to: timeNs) >= Self.halfWindowNs {
            settleNext(rays, &spread)
        }
    }

    /// Compares what is left, with as much of a future as there is.
    mutating func settleAll(rays: ZoneRays, into spread: inout ZoneSpread) {
        while settled < pushed { settleNext(rays, &spread) }
    }

    /// The rate at which the wall comes nearer or goes away, m/s, over the last half second; nil while that cannot be told.
    var movementMps: Double? {
        guard pushed > 0 else { return nil }
        let now = time(pushed - 1)
        var trend = Trend()
        for frame in indices.reversed() {
            guard interval(from: time(frame), to: now) <= Thresholds.movementWindowNs else { break }
            if let wall = wall(frame) { trend.add(-seconds(from: time(frame), to: now), wall) }
        }
        // Two frames next to each other tell more of their noise than of the movement.
        return trend.span >= 0.2 ? trend.distanceSlope.map { abs($0) / 1000 } : nil
    }

    /// Frames a second within the last second; nil with fewer than two of different time.
    func framesPerSecond(at nowNs: UInt64) -> Double? {
        let recent = indices.lazy.filter { interval(from: time($0), to: nowNs) <= 1_000_000_000 }
        guard let first = recent.first, first < pushed - 1 else { return nil }
        let seconds = seconds(from: time(first), to: time(pushed - 1))
        return seconds > 0 ? Double(pushed - 1 - first) / seconds : nil
    }

    private var indices: Range<Int> { max(0, pushed - Self.capacity)..<pushed }
    private func time(_ frame: Int) -> UInt64 { times[frame % Self.capacity] }
    private func wall(_ frame: Int) -> Plane? { walls[frame % Self.capacity] }

    private mutating func settleNext(_ rays: ZoneRays, _ spread: inout ZoneSpread) {
        defer { settled += 1 }
        guard let wall = movingWall(at: settled) else { return }
        let slot = settled % Self.capacity * zones
        for zone in 0..<zones where readings[slot + zone] > 0 {
            let expected = rays.reading(zone: zone, of: wall)
            guard expected > 0 else { continue }
            spread.add(Double(readings[slot + zone]) - expected, expectedMm: expected, zone: zone)
        }
    }

    /// The wall at a frame's time, from the line through its neighbours: moves with the hand, not with a single frame's noise.
    private func movingWall(at centre: Int) -> Plane? {
        let now = time(centre)
        var trend = Trend()
        for frame in (indices.lowerBound...centre).reversed() {
            guard isNear(frame, centre) else { break }
            if let wall = wall(frame) { trend.add(-seconds(from: time(frame), to: now), wall) }
        }
        for frame in (centre + 1)..<max(pushed, centre + 1) {
            guard isNear(frame, centre) else { break }
            if let wall = wall(frame) { trend.add(seconds(from: now, to: time(frame)), wall) }
        }
        return trend.wallAtZero
    }

    private func isNear(_ frame: Int, _ centre: Int) -> Bool {
        abs(frame - centre) <= Self.halfWindowFrames
            || max(interval(from: time(frame), to: time(centre)), interval(from: time(centre), to: time(frame))) <= Self.halfWindowNs
    }

    private func seconds(from earlier: UInt64, to later: UInt64) -> Double { Double(interval(from: earlier, to: later)) / 1e9 }
}

/// The straight line through walls over time.
private struct Trend {
    private var count = 0.0
    private var (first, last) = (0.0, 0.0)
    private var (times, squares) = (0.0, 0.0)
    private var sum = SIMD4<Double>()
    private var product = SIMD4<Double>()

    mutating func add(_ seconds: Double, _ wall: Plane) {
        let values = SIMD4(wall.distanceMm, wall.slopeX, wall.slopeY, 0)
        first = count == 0 ? seconds : min(first, seconds)
        last = count == 0 ? seconds : max(last, seconds)
        count += 1
        times += seconds
        squares += seconds * seconds
        sum += values
        product += values * seconds
    }

    var span: Double { last - first }
    private var determinant: Double { count * squares - times * times }

    /// Millimetres a second; nil when all is at one time.
    var distanceSlope: Double? {
        span > 0 && determinant > 0 ? (count * product[0] - times * sum[0]) / determinant : nil
    }

    var wallAtZero: Plane? {
        guard count > 0 else { return nil }
        let values = span > 0 && determinant > 0 ? (sum * squares - product * times) / determinant : sum / count
        return Plane(distanceMm: values[0], slopeX: values[1], slopeY: values[2])
    }
}
