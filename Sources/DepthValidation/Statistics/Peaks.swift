/// Robust figures of readings that were counted into bins of one millimetre.
struct Peaks {
    /// Makes a median absolute deviation a standard deviation, for a bell.
    static let bell = 1.4826
    static let outlierDeviations = 5.0
    /// The smaller group has this share of the readings at least.
    static let leastShare = 0.15
    /// Groups are two when they are this many of their own deviations apart: cutting one bell in two gives 2.7, an even spread 3.5.
    static let leastGap = 4.0

    private let counts: ArraySlice<UInt16>
    private let bins: Range<Int>
    let readings: Int
    /// In bins from the first.
    let median: Double
    /// Median absolute deviation, bins.
    let medianDeviation: Double

    /// At least one bin, from the first that is not empty to the last.
    init(_ counts: ArraySlice<UInt16>) {
        self.counts = counts
        bins = 0..<counts.count
        readings = counts.reduce(0) { $0 + Int($1) }
        var below = 0
        var bin = 0
        while bin < bins.upperBound - 1, 2 * (below + Int(counts[counts.startIndex + bin])) < readings {
            below += Int(counts[counts.startIndex + bin])
            bin += 1
        }
        median = Double(bin)
        // Outwards from the median, both sides at once, until half of the readings are in.
        var (within, reach) = (Int(counts[counts.startIndex + bin]), 0)
        while 2 * within < readings {
            reach += 1
            for side in [bin - reach, bin + reach] where bins.contains(side) { within += Int(counts[counts.startIndex + side]) }
        }
        medianDeviation = Double(reach)
    }

    private func count(_ bin: Int) -> Int { Int(counts[counts.startIndex + bin]) }

    private func limit(_ leastMm: Double) -> Double { max(leastMm, Self.outlierDeviations * Self.bell * medianDeviation) }

    /// Readings farther from the median than five robust deviations, and than `leastMm`.
    func outliers(beyond leastMm: Double) -> Int {
        bins.reduce(0) { $0 + (abs(Double($1) - median) > limit(leastMm) ? count($1) : 0) }
    }

    /// Standard deviation of the readings that are no outliers, mm.
    func deviation(within leastMm: Double) -> Double {
        Group(bins.lazy.filter { abs(Double($0) - median) <= limit(leastMm) }.map { ($0, count($0)) }).deviation
    }

    /// Whether the readings fall into two groups, with next to nothing between them, whose means are this far apart at least.
    func areTwo(apart leastMm: Double) -> Bool {
        let all = Group(bins.lazy.map { ($0, count($0)) })
        var low = Group()
        var best: (low: Group, between: Double)?
        for bin in bins {
            low.add(bin, count(bin))
            let high = all.without(low)
            guard min(low.readings, high.readings) >= Self.leastShare * all.readings else { continue }
            let between = low.readings * high.readings * (high.mean - low.mean) * (high.mean - low.mean)
            if between > best?.between ?? 0 { best = (low, between) }
        }
        guard let low = best?.low else { return false }
        let high = all.without(low)
        let own = ((low.variance + high.variance) / 2).squareRoot()
        return high.mean - low.mean >= leastMm && high.mean - low.mean > Self.leastGap * own
    }
}

/// Sums over bins.
private struct Group {
    var (readings, sum, squares) = (0.0, 0.0, 0.0)

    init() {}

    init(_ bins: some Sequence<(Int, Int)>) { for (bin, count) in bins { add(bin, count) } }

    mutating func add(_ bin: Int, _ count: Int) {
        readings += Double(count)
        sum += Double(bin) * Double(count)
        squares += Double(bin) * Double(bin) * Double(count)
    }

    func without(_ other: Group) -> Group {
        var rest = self
        rest.readings -= other.readings
        rest.sum -= other.sum
        rest.squares -= other.squares
        return rest
    }

    var mean: Double { readings > 0 ? sum / readings : 0 }
    var variance: Double { readings > 0 ? max(0, squares / readings - mean * mean) : 0 }
    var deviation: Double { variance.squareRoot() }
}
