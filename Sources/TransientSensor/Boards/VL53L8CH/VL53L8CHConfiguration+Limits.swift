internal import NLOSCore

/// Why a configuration is not sent: what was asked, the limit, and the nearest configurations that are possible.
public struct ConfigurationRefusal: Error, Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        case rate(hz: Int, allowed: ClosedRange<Int>, zones: Int)
        case integration(ms: Int, allowed: ClosedRange<Int>)
        /// Integration and period, both in milliseconds.
        case integrationOverPeriod(ms: Int, periodMs: Double, rateHz: Int, continuous: Bool)
        case bins(Int, allowed: ClosedRange<Int>)
        case subsample(Int, allowed: ClosedRange<Int>)
        case startBin(Int, allowed: ClosedRange<Int>)
        /// The last physical bin that would be needed, and how many there are.
        case range(startBin: Int, bins: Int, subsample: Int, end: Int, physicalBins: Int)
        case memory(zones: Int, bins: Int, bytes: Int, limit: Int)
        /// Bytes a second.
        case line(frameBytes: Int, rateHz: Int, needed: Int, limit: Int)
    }

    public let reason: Reason
    /// Possible configurations next to the asked one, the nearest first; never empty for a configuration with one thing wrong.
    public let nearest: [VL53L8CHConfiguration]
}

extension VL53L8CHConfiguration {
    static let integrationsMs = 2...1_000
    static let binCounts = TransientZones.binCounts
    static let subsamples = 1...16
    static let physicalBins = 128

    /// Checks every limit, in the order of `ConfigurationRefusal.Reason`; the first breach is thrown.
    ///
    /// Integration is checked in continuous mode too, where the sensor does not use it: a number that cannot be meant is refused.
    public func validate() throws(ConfigurationRefusal) {
        guard let reason = breach else { return }
        throw ConfigurationRefusal(reason: reason, nearest: nearest(to: reason))
    }

    /// The first limit that this breaks. No check leans on an earlier one: any integers are safe.
    private var breach: ConfigurationRefusal.Reason? {
        guard grid.ratesHz.contains(rateHz) else { return .rate(hz: rateHz, allowed: grid.ratesHz, zones: grid.zones) }
        guard Self.integrationsMs.contains(integrationMs) else { return .integration(ms: integrationMs, allowed: Self.integrationsMs) }
        guard integrationMs * rateHz <= 1_000 else {
            return .integrationOverPeriod(
                ms: integrationMs, periodMs: 1_000 / Double(rateHz), rateHz: rateHz, continuous: mode == .continuous)
        }
        guard Self.binCounts.contains(bins) else { return .bins(bins, allowed: Self.binCounts) }
        guard Self.subsamples.contains(subsample) else { return .subsample(subsample, allowed: Self.subsamples) }
        guard (0..<Self.physicalBins).contains(startBin) else { return .startBin(startBin, allowed: 0...(Self.physicalBins - 1)) }
        guard sensorBytes <= Self.sensorMemory else {
            return .memory(zones: grid.zones, bins: bins, bytes: sensorBytes, limit: Self.sensorMemory)
        }
        let end = startBin + bins * subsample
        guard end <= Self.physicalBins else {
            return .range(startBin: startBin, bins: bins, subsample: subsample, end: end, physicalBins: Self.physicalBins)
        }
        guard frameBytes * Double(rateHz) <= Self.lineBytesPerSecond else {
            return .line(
                frameBytes: Int(frameBytes.rounded()), rateHz: rateHz, needed: Int((frameBytes * Double(rateHz)).rounded(.up)),
                limit: Int(Self.lineBytesPerSecond))
        }
        return nil
    }

    /// Most bins that the sensor's memory holds for these zones.
    static func mostBins(zones: Int) -> Int {
        binCounts.last { sensorBytes(zones: zones, bins: $0) <= sensorMemory } ?? binCounts.lowerBound
    }

    /// Mends one thing at a time, the one that was named first, and keeps what then passes every check.
    private func nearest(to reason: ConfigurationRefusal.Reason) -> [VL53L8CHConfiguration] {
        var tries: [VL53L8CHConfiguration] = []
        func with(_ change: (inout VL53L8CHConfiguration) -> Void) {
            var other = self
            change(&other)
            tries.append(other)
        }
        let mostBins = Self.mostBins(zones: grid.zones)
        switch reason {
        case .rate:
            with { $0.rateHz = rateHz.clamped(to: grid.ratesHz) }
            with {
                $0.grid = .zones4x4
                $0.rateHz = rateHz.clamped(to: Grid.zones4x4.ratesHz)
            }
        case .integration: with { $0.integrationMs = integrationMs.clamped(to: Self.integrationsMs) }
        case .integrationOverPeriod:
            with { $0.integrationMs = 1_000 / rateHz }
            with { $0.rateHz = 1_000 / integrationMs }
        case .bins: with { $0.bins = bins.clamped(to: Self.binCounts.lowerBound...mostBins) }
        case .subsample: with { $0.subsample = subsample.clamped(to: Self.subsamples) }
        case .startBin: with { $0.startBin = startBin.clamped(to: 0...(Self.physicalBins - 1)) }
        case .memory:
            with { $0.bins = mostBins }
            with { $0.grid = .zones4x4 }
        case .range:
            with { $0.startBin = Self.physicalBins - bins * subsample }
            with { $0.bins = (Self.physicalBins - startBin) / subsample }
            with { $0.subsample = (Self.physicalBins - startBin) / bins }
        case .line:
            with { $0.rateHz = Int(lineHz) }
            with { slower in
                slower.bins = (Self.binCounts.lowerBound...bins).last { slower.with(bins: $0).lineHz >= Double(rateHz) } ?? bins
            }
        }
        return tries.compactMap(\.mended).reduce(into: []) { kept, next in if !kept.contains(next) { kept.append(next) } }
    }

    private func with(bins: Int) -> VL53L8CHConfiguration {
        var other = self
        other.bins = bins
        return other
    }

    /// This one if it is possible; else with what mending one setting left over mended too; nil if that does not help.
    private var mended: VL53L8CHConfiguration? {
        var other = self
        other.rateHz = rateHz.clamped(to: grid.ratesHz)
        other.integrationMs = min(integrationMs.clamped(to: Self.integrationsMs), 1_000 / other.rateHz)
        other.bins = bins.clamped(to: Self.binCounts.lowerBound...Self.mostBins(zones: grid.zones))
        other.subsample = subsample.clamped(to: Self.subsamples)
        other.startBin = startBin.clamped(to: 0...(Self.physicalBins - 1))
        if other.startBin + other.bins * other.subsample > Self.physicalBins {
            other.startBin = max(0, Self.physicalBins - other.bins * other.subsample)
        }
        if other.startBin + other.bins * other.subsample > Self.physicalBins {
            other.subsample = max(1, (Self.physicalBins - other.startBin) / other.bins)
        }
        other.rateHz = min(other.rateHz, max(1, Int(other.lineHz)))
        return other.breach == nil ? other : nil
    }
}

extension Int {
    fileprivate func clamped(to range: ClosedRange<Int>) -> Int { Swift.min(Swift.max(self, range.lowerBound), range.upperBound) }
}
