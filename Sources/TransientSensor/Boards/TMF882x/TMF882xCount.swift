/// The device's own count and clock: what was lost, and when a frame was measured.
///
/// No checksum guards their digits. What the clock does not bear out is believed only when the next result goes on from there.
struct TMF882xCount: Sendable {
    private struct Reading: Equatable {
        let number: UInt8
        let tick: UInt32

        /// Less than half a turn back is no wrap.
        func isBehind(_ other: Reading) -> Bool { (1..<0x8000_0000).contains(other.tick &- tick) }
        func ticks(since other: Reading) -> UInt64 { UInt64(tick &- other.tick) }
        /// Results; the same number again is a whole turn.
        func results(since other: Reading) -> Int { number == other.number ? 256 : Int(number &- other.number) }
    }

    /// One that the next result will bear out or not.
    private struct Doubt {
        let reading: Reading
        let mayBeAnew: Bool
        /// What `unreadable` was before it.
        let unreadable: Int
    }

    private var last: Reading?
    private var doubt: Doubt?
    /// Added to the tick since it wrapped.
    private var wrapped: UInt64 = 0
    /// Results since `last` whose numbers were damaged or are in doubt.
    private var unreadable = 0
    /// Ticks from one result to the next, the fewest that were seen.
    private var fewestTicks: UInt64?
    /// Where none were seen: 5 ms, less than any public setting takes.
    private static let untoldTicks: UInt64 = 25_000

    enum Step: Equatable {
        case first
        /// So many frames never came.
        case next(missing: UInt64)
        /// The result before, once more.
        case repeated
        /// The first result of a new count, or damaged digits.
        case perhapsAnew
        /// Damaged digits, as far as can be seen.
        case unlikely
        /// The board had begun to count anew with the result before this one.
        case anew(missing: UInt64)
    }

    /// Microseconds of the device's clock; nil where it is in doubt.
    var deviceUs: UInt64? { doubt == nil ? last.map { (wrapped + UInt64($0.tick)) / 5 } : nil }
    /// What the number of the last unreadable result must have been.
    var unreadableNumber: UInt8 { (last?.number ?? 0) &+ UInt8(truncatingIfNeeded: unreadable) }

    mutating func resultWasUnreadable() { unreadable += 1 }

    mutating func take(_ number: UInt8, tick: UInt32, resultsPerFrame: Int) -> Step {
        let now = Reading(number: number, tick: tick)
        guard let before = last else {
            last = now
            unreadable = 0
            return .first
        }
        if now == before || now == doubt?.reading { return .repeated }
        if bearsOut(now, after: before, unreadable) || goesOnOverDoubt(now, after: before) {
            let missing = Self.missing(from: before, to: now, unreadable, resultsPerFrame)
            accept(now, after: before)
            return .next(missing: missing)
        }
        if let doubt, bearsOut(now, after: doubt.reading, unreadable - doubt.unreadable - 1) {
            return confirm(doubt, now, before, resultsPerFrame)
        }
        let mayBeAnew = now.isBehind(before) && now.results(since: before) != unreadable + 1
        doubt = Doubt(reading: now, mayBeAnew: mayBeAnew, unreadable: unreadable)
        resultWasUnreadable()
        return mayBeAnew ? .perhapsAnew : .unlikely
    }

    /// The doubtful result was right: this one goes on from there.
    private mutating func confirm(_ doubt: Doubt, _ now: Reading, _ before: Reading, _ resultsPerFrame: Int) -> Step {
        let missing = Self.missing(from: doubt.reading, to: now, unreadable - doubt.unreadable - 1, resultsPerFrame)
        if doubt.mayBeAnew {
            self = TMF882xCount()
            accept(now, after: doubt.reading)
            return .anew(missing: missing)
        }
        let missingBefore = Self.missing(from: before, to: doubt.reading, doubt.unreadable, resultsPerFrame)
        if !doubt.reading.isBehind(before), doubt.reading.tick < before.tick { wrapped += 1 << 32 }
        accept(now, after: doubt.reading)
        return .next(missing: missingBefore + missing)
    }

    private mutating func accept(_ now: Reading, after before: Reading) {
        if now.tick < before.tick { wrapped += 1 << 32 }
        fewestTicks = min(fewestTicks ?? .max, now.ticks(since: before) / UInt64(now.results(since: before)))
        last = now
        doubt = nil
        unreadable = 0
    }

    /// Whether the clock leaves room for so many results, a fifth of which may have come early.
    private func bearsOut(_ now: Reading, after before: Reading, _ unreadable: Int) -> Bool {
        let results = now.results(since: before)
        guard !now.isBehind(before), results > unreadable + 1 else { return !now.isBehind(before) }
        return UInt64(results) * (fewestTicks ?? Self.untoldTicks) * 4 <= now.ticks(since: before) * 5
    }

    /// The doubtful result lies on the way to this one.
    private func goesOnOverDoubt(_ now: Reading, after before: Reading) -> Bool {
        guard let reading = doubt?.reading, !reading.isBehind(before), !now.isBehind(reading), !now.isBehind(before) else { return false }
        return reading.results(since: before) + now.results(since: reading) == now.results(since: before)
    }

    /// Frames that lie between, less those whose numbers were unreadable.
    private static func missing(from before: Reading, to now: Reading, _ unreadable: Int, _ resultsPerFrame: Int) -> UInt64 {
        if resultsPerFrame == 1 { return UInt64(max(0, now.results(since: before) - 1 - unreadable)) }
        // 256 of the one are 64 of the other: both turn at the same place.
        let perFrame = UInt8(resultsPerFrame)
        return UInt64(max(1, (now.number / perFrame &- before.number / perFrame) & (.max / perFrame)) - 1)
    }
}
