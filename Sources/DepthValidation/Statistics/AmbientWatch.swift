internal import NLOSCore

/// Watches the light of the scene over the whole run.
///
/// The level of a frame is the median over its zones, and of five frames the median again, so that neither a bright zone nor a damaged
/// frame counts. The unit is the firmware's own, so only ratios mean something; a level under one counts as one, the least it can print.
struct AmbientWatch: Sendable {
    static let frames = 5

    private var levels: [Double]
    private var times: [UInt64]
    private var taken = 0
    private var scratch: [Double]
    /// Of the whole run.
    private var least = Double.infinity
    private var most = 0.0
    private var recent = RecentRange()
    private var previous: [UInt16]
    private var jumpedNs: UInt64?
    private var steppedNs: UInt64?
    /// What was found, once: the run ends with it.
    private(set) var change: AmbientChange?

    init(zones: Int) {
        levels = Array(repeating: 0, count: Self.frames)
        times = Array(repeating: 0, count: Self.frames)
        scratch = Array(repeating: 0, count: max(zones, Self.frames))
        previous = Array(repeating: 0, count: zones)
    }

    /// The largest factor between two levels of the run; nil without any level.
    var factor: Double? { most > 0 ? most / least : nil }

    mutating func take(_ frame: DepthFrame, at nowNs: UInt64) {
        if jumped(frame.distancesMm) { jumpedNs = nowNs }
        guard change == nil, let ambient = frame.ambient, !ambient.isEmpty, ambient.count <= scratch.count else { return }
        for zone in ambient.indices { scratch[zone] = Double(max(1, ambient[zone])) }
        levels[taken % Self.frames] = scratch.medianOfFirst(ambient.count)
        times[taken % Self.frames] = nowNs
        taken += 1
        guard taken >= Self.frames else { return }
        for index in 0..<Self.frames { scratch[index] = levels[index] }
        let level = scratch.medianOfFirst(Self.frames)
        if level > Thresholds.ambientFactor * least || level * Thresholds.ambientFactor < most {
            let rising = level > Thresholds.ambientFactor * least
            let factor = rising ? level / least : most / level
            change = AmbientChange(beganNs: beginning(rising: rising), factor: factor, withDistances: false)
        }
        least = min(least, level)
        most = max(most, level)
        let step = recent.factor(after: level, at: nowNs)
        if step > Thresholds.ambientStepFactor { steppedNs = nowNs }
        if change == nil, let jumpedNs, let steppedNs, interval(from: jumpedNs, to: nowNs) <= RecentRange.lengthNs,
            interval(from: steppedNs, to: nowNs) <= RecentRange.lengthNs
        {
            change = AmbientChange(beganNs: jumpedNs, factor: step, withDistances: true)
        }
    }

    /// The first of the last frames whose own level is past the limit.
    private func beginning(rising: Bool) -> UInt64 {
        for frame in taken - Self.frames..<taken {
            let level = levels[frame % Self.frames]
            if rising ? level > Thresholds.ambientFactor * least : level * Thresholds.ambientFactor < most {
                return times[frame % Self.frames]
            }
        }
        return times[(taken - 1) % Self.frames]
    }

    /// Whether more than a tenth of the zones read something else than a frame ago, by more than a wall can move.
    private mutating func jumped(_ distancesMm: [UInt16?]) -> Bool {
        var (both, jumps) = (0, 0)
        for zone in 0..<min(previous.count, distancesMm.count) {
            let (before, now) = (Double(previous[zone]), Double(distancesMm[zone] ?? 0))
            previous[zone] = distancesMm[zone] ?? 0
            guard before > 0, now > 0 else { continue }
            both += 1
            if abs(now - before) > Thresholds.jumpMm(at: before) { jumps += 1 }
        }
        return Double(jumps) > Thresholds.jumpZoneShare * Double(both)
    }
}

/// The light of the scene changed too much for the distances to be trusted.
struct AmbientChange: Equatable, Sendable {
    let beganNs: UInt64
    let factor: Double
    /// A smaller change of light with which distances jumped.
    let withDistances: Bool
}

/// The least and the most of the last one to two seconds.
private struct RecentRange: Sendable {
    static let lengthNs: UInt64 = 1_000_000_000

    private var beganNs: UInt64?
    private var now = (least: Double.infinity, most: 0.0)
    private var before = (least: Double.infinity, most: 0.0)

    /// Takes a level in; returns the factor between the least and the most.
    mutating func factor(after level: Double, at nowNs: UInt64) -> Double {
        if interval(from: beganNs ?? 0, to: nowNs) >= Self.lengthNs || beganNs == nil {
            before = now
            now = (.infinity, 0)
            beganNs = nowNs
        }
        now = (min(now.least, level), max(now.most, level))
        return max(now.most, before.most) / min(now.least, before.least)
    }
}
