/// What a phase's zones come to together.
struct ZoneReport: Sendable {
    /// Median over zones of their standard deviation about the moving wall, mm; nil when no zone could be measured.
    let noiseMm: Double?
    /// Of all readings.
    let outlierShare: Double
    /// Of the measured zones.
    let twoPeakShare: Double
    /// Coverage by the zones that plausibly see the wall.
    let plausibleCoverage: Double
    /// Zones that read less than half of the wall's distance, as through a cover glass.
    let nearZones: Int
    /// Zones that never changed by a millimetre, in a stream that does not say whether they saw anything.
    let stuckZones: Int
    /// How much farther than a flat wall the corners read, as a share of the distance; nil when it cannot be told.
    let cornerShare: Double?
    /// The same for distances that are given along the ray and taken as along the axis, and its negative the other way round.
    let fullBowlShare: Double

    init(_ tally: PhaseTally, _ spread: ZoneSpread, rays: ZoneRays, vouched: Bool) {
        let figures = (0..<rays.zones).map(spread.figures(zone:))
        let measured = figures.compactMap(\.self)
        var deviations = measured.map(\.deviationMm)
        let readings = measured.reduce(0) { $0 + $1.readings }
        noiseMm = deviations.isEmpty ? nil : deviations.medianOfFirst(deviations.count)
        outlierShare = readings > 0 ? Double(measured.reduce(0) { $0 + $1.outliers }) / Double(readings) : 0
        twoPeakShare = measured.isEmpty ? 0 : Double(measured.count { $0.hasTwoPeaks }) / Double(measured.count)
        let near = figures.map { $0?.isNear ?? false }
        let stuck = (0..<rays.zones).map { !vouched && tally.isStuck($0) }
        nearZones = near.count { $0 }
        stuckZones = stuck.count { $0 }
        plausibleCoverage = tally.coverage { !near[$0] && !stuck[$0] }
        (cornerShare, fullBowlShare) = Self.bowl(figures, rays)
    }

    /// The part of the zones' lasting deviations that grows with the square of the angle off the axis.
    private static func bowl(_ figures: [ZoneFigures?], _ rays: ZoneRays) -> (share: Double?, full: Double) {
        let squares = (0..<rays.zones).map { rays.slopeX[$0] * rays.slopeX[$0] + rays.slopeY[$0] * rays.slopeY[$0] }
        let widest = squares.max() ?? 0
        let full = (1 + widest).squareRoot() - 1
        let used = figures.indices.filter { figures[$0].map { $0.expectedMm > 0 && !$0.isNear } ?? false }
        guard used.count >= 8 else { return (nil, full) }
        let mean = used.reduce(0) { $0 + squares[$1] } / Double(used.count)
        var (product, norm) = (0.0, 0.0)
        for zone in used {
            guard let figure = figures[zone] else { continue }
            product += figure.medianOffMm / figure.expectedMm * (squares[zone] - mean)
            norm += (squares[zone] - mean) * (squares[zone] - mean)
        }
        return (norm > 0 ? product / norm * widest : nil, full)
    }
}

extension ZoneFigures {
    var isNear: Bool { expectedMm + medianOffMm < Thresholds.nearShare * expectedMm }
}
