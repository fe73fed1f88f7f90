/// How every zone's readings lie about the moving wall, in bins of one millimetre: 130 kB for 64 zones, however long a phase lasts.
///
/// Counting keeps the median, the deviation from it, the outliers and the peaks exact to a millimetre, which no running sum does.
struct ZoneSpread: Sendable {
    static let bins = 1_024
    /// These settle what the middle bin of a zone stands for, so that one stray first reading does not.
    static let firstReadings = 7

    let zones: Int
    private var counts: [UInt16]
    private var first: [Double]
    private var middle: [Double]
    private var readings: [Int]
    private var expectedMm: [Double]
    private var scratch: [Double]

    init(zones: Int) {
        self.zones = zones
        counts = Array(repeating: 0, count: zones * Self.bins)
        first = Array(repeating: 0, count: zones * Self.firstReadings)
        middle = Array(repeating: 0, count: zones)
        readings = Array(repeating: 0, count: zones)
        expectedMm = middle
        scratch = Array(repeating: 0, count: Self.firstReadings)
    }

    /// Forgets everything and keeps the storage.
    mutating func clear() {
        for index in counts.indices { counts[index] = 0 }
        for zone in 0..<zones { (readings[zone], expectedMm[zone]) = (0, 0) }
    }

    /// Takes how far a zone's reading is from the wall it should see; above 0 is farther away.
    mutating func add(_ offMm: Double, expectedMm expected: Double, zone: Int) {
        expectedMm[zone] += expected
        let start = zone * Self.firstReadings
        if readings[zone] < Self.firstReadings { first[start + readings[zone]] = offMm }
        readings[zone] += 1
        if readings[zone] == Self.firstReadings {
            for index in 0..<Self.firstReadings { scratch[index] = first[start + index] }
            middle[zone] = scratch.medianOfFirst(Self.firstReadings)
            for index in 0..<Self.firstReadings { count(first[start + index], zone) }
        } else if readings[zone] > Self.firstReadings {
            count(offMm, zone)
        }
    }

    private mutating func count(_ offMm: Double, _ zone: Int) {
        let half = Double(Self.bins / 2)
        let bin = Int(min(max(offMm - middle[zone], -half), half - 1).rounded(.down)) + Self.bins / 2
        let index = zone * Self.bins + bin
        if counts[index] < .max { counts[index] += 1 }
    }

    /// What a zone's readings come to; nil for fewer than ten.
    func figures(zone: Int) -> ZoneFigures? {
        guard readings[zone] >= 10 else { return nil }
        let expected = expectedMm[zone] / Double(readings[zone])
        let start = zone * Self.bins
        let peaks = Peaks(counts[start..<start + Self.bins])
        return ZoneFigures(
            readings: peaks.readings, expectedMm: expected,
            // The middle of a bin is half a millimetre above its lower edge.
            medianOffMm: middle[zone] + peaks.median - Double(Self.bins / 2) + 0.5,
            outliers: peaks.outliers(beyond: Thresholds.noiseMm(at: expected)),
            deviationMm: peaks.deviation(within: Thresholds.noiseMm(at: expected)),
            hasTwoPeaks: peaks.areTwo(apart: Thresholds.peakSplitMm(at: expected)))
    }
}

/// One zone over one phase.
struct ZoneFigures: Sendable {
    let readings: Int
    /// What the wall would have given, on average.
    let expectedMm: Double
    /// The median of readings less what the wall would have given.
    let medianOffMm: Double
    let outliers: Int
    /// Standard deviation without the outliers.
    let deviationMm: Double
    let hasTwoPeaks: Bool
}
