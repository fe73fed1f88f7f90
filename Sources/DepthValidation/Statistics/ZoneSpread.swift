/// How every zone's readings lie about the moving wall, in bins of one millimetre: 130 kB for 64 zones, however long a phase lasts.
///
/// Counting keeps the median, the deviation from it, the outliers and the peaks exact to a millimetre, which no running sum does.
struct ZoneSpread: Sendable {
    static let bins = 1_024
    /// These settle what the middle bin of a zone stands for, so that one stray first reading does not.
    static let firstReadings = 7
    static let leastReadings = 10

    let zones: Int
    private var counts: [UInt16]
    /// The first and the last bin of each zone that is not empty.
    private var lowest: [Int]
    private var highest: [Int]
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
        expectedMm = Array(repeating: 0, count: zones)
        lowest = Array(repeating: Self.bins, count: zones)
        highest = Array(repeating: -1, count: zones)
        scratch = Array(repeating: 0, count: Self.firstReadings)
    }

    /// Forgets everything and keeps the storage.
    mutating func clear() {
        for index in counts.indices { counts[index] = 0 }
        for zone in 0..<zones { (readings[zone], expectedMm[zone], lowest[zone], highest[zone]) = (0, 0, Self.bins, -1) }
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
        lowest[zone] = min(lowest[zone], bin)
        highest[zone] = max(highest[zone], bin)
    }

    /// What a zone's readings come to; nil for fewer than ten.
    func figures(zone: Int) -> ZoneFigures? {
        guard readings[zone] >= Self.leastReadings else { return nil }
        let expected = expectedMm[zone] / Double(readings[zone])
        let peaks = peaks(zone)
        return ZoneFigures(
            readings: peaks.readings, expectedMm: expected,
            // The middle of a bin is half a millimetre above its lower edge.
            medianOffMm: middle[zone] + Double(lowest[zone]) + peaks.median - Double(Self.bins / 2) + 0.5,
            outliers: peaks.outliers(beyond: Thresholds.noiseMm(at: expected)),
            deviationMm: peaks.deviation(within: Thresholds.noiseMm(at: expected)),
            hasTwoPeaks: peaks.areTwo(apart: Thresholds.peakSplitMm(at: expected)))
    }

    /// The zone's standard deviation alone, mm: a screen asks for it again and again.
    func deviationMm(zone: Int) -> Double? {
        guard readings[zone] >= Self.leastReadings else { return nil }
        return peaks(zone).deviation(within: Thresholds.noiseMm(at: expectedMm[zone] / Double(readings[zone])))
    }

    private func peaks(_ zone: Int) -> Peaks { Peaks(counts[zone * Self.bins + lowest[zone]...zone * Self.bins + highest[zone]]) }
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
