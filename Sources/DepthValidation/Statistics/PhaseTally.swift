internal import NLOSCore

/// The running sums of one phase. Nothing in it grows with the number of frames.
struct PhaseTally: Sendable {
    static let mostWallMm = Int(DepthFrame.validDistanceMm.upperBound)

    private(set) var frames = 0
    private(set) var repeats = 0
    private(set) var longestGapNs: UInt64 = 0
    private(set) var walls = 0
    private(set) var steadyWalls = 0
    private(set) var lastTracking: TrackingState = .unavailable
    private(set) var peakThermal: ThermalState = .unknown
    private var coverage = 0.0
    private var movement = 0.0
    private var movements = 0
    private var tilt = 0.0
    private var outliers = 0
    private var fitted = 0
    /// Frames by the wall's distance, in whole millimetres.
    private var wallsAt: [UInt32]
    /// For every zone: readings, the last one, and whether they were ever different.
    private var readings: [Int]
    private var last: [UInt16]
    private var varied: [Bool]

    init(zones: Int) {
        wallsAt = Array(repeating: 0, count: Self.mostWallMm + 1)
        readings = Array(repeating: 0, count: zones)
        last = Array(repeating: 0, count: zones)
        varied = Array(repeating: false, count: zones)
    }

    /// Forgets everything and keeps the storage.
    mutating func clear() {
        (frames, repeats, longestGapNs, walls, steadyWalls) = (0, 0, 0, 0, 0)
        (coverage, movement, movements, tilt, outliers, fitted) = (0, 0, 0, 0, 0, 0)
        (lastTracking, peakThermal) = (.unavailable, .unknown)
        for index in wallsAt.indices { wallsAt[index] = 0 }
        for zone in readings.indices { (readings[zone], last[zone], varied[zone]) = (0, 0, false) }
    }

    mutating func take(_ sight: Sight, _ distancesMm: [UInt16?], gapNs: UInt64) {
        frames += 1
        longestGapNs = max(longestGapNs, gapNs)
        coverage += sight.coverage
        lastTracking = sight.tracking
        if let mps = sight.movementMps {
            movement += mps.clamped(to: 0...20)
            movements += 1
        }
        if let wall = sight.wall {
            walls += 1
            if wall.residualMm <= Thresholds.steadyResidualMm(at: wall.distanceMm) { steadyWalls += 1 }
            tilt += wall.tiltDegrees
            outliers += wall.outliers
            fitted += wall.zones
            wallsAt[Int(wall.distanceMm.clamped(to: 0...Double(Self.mostWallMm)).rounded())] += 1
        }
        for zone in 0..<min(readings.count, distancesMm.count) {
            guard let reading = distancesMm[zone] else { continue }
            if readings[zone] > 0, reading != last[zone] { varied[zone] = true }
            readings[zone] += 1
            last[zone] = reading
        }
    }

    mutating func takeRepeat() { repeats += 1 }
    mutating func see(_ thermal: ThermalState) { peakThermal = max(peakThermal, thermal) }
    mutating func see(_ tracking: TrackingState) { lastTracking = tracking }

    var meanCoverage: Double { frames > 0 ? coverage / Double(frames) : 0 }
    var meanMovementMps: Double { movements > 0 ? movement / Double(movements) : 0 }
    var meanTiltDegrees: Double? { walls > 0 ? tilt / Double(walls) : nil }
    var steadyWallShare: Double { frames > 0 ? Double(steadyWalls) / Double(frames) : 0 }
    var sawDepth: Bool { readings.contains { $0 > 0 } }

    /// The median of the wall's distance, whole millimetres; nil when no frame showed a plane.
    var wallDistanceMm: Double? {
        var below = 0
        for (distance, count) in wallsAt.enumerated() {
            below += Int(count)
            if 2 * below >= walls, walls > 0 { return Double(distance) }
        }
        return nil
    }

    /// Of all zones and frames, those with a distance from a zone that `counts`.
    func coverage(where counts: (Int) -> Bool) -> Double {
        guard frames > 0, !readings.isEmpty else { return 0 }
        let seen = readings.indices.reduce(0) { $0 + (counts($1) ? readings[$1] : 0) }
        return Double(seen) / Double(frames * readings.count)
    }

    /// The zone gave the same number in every one of at least ten readings.
    func isStuck(_ zone: Int) -> Bool { readings[zone] >= 10 && !varied[zone] }
}

/// What one frame shows.
struct Sight: Sendable {
    var coverage: Double
    var wall: WallFit?
    var movementMps: Double?

    var tracking: TrackingState {
        guard coverage >= Thresholds.trackingCoverage else { return .limitedLowCoverage }
        guard let wall, wall.residualMm <= Thresholds.wallResidualMm(at: wall.distanceMm) else { return .limitedNoWall }
        return movementMps ?? 0 > Thresholds.movementMps ? .limitedExcessiveMotion : .normal
    }
}
