import NLOSCore

/// How many messages a second are shown; the others are counted.
struct Flood {
    private static let most = 20
    private static let secondNs: UInt64 = 1_000_000_000

    private var begunNs: UInt64 = 0
    private var shown = 0
    /// Messages that were not shown and have not been told of.
    var held: UInt64 = 0

    /// Whether one more may be shown now.
    mutating func admits(nowNs: UInt64) -> Bool {
        if interval(from: begunNs, to: nowNs) >= Self.secondNs {
            begunNs = nowNs
            shown = 0
        }
        guard shown < Self.most else {
            held += 1
            return false
        }
        shown += 1
        return true
    }
}
