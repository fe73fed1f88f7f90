/// When a screen is drawn next: at once after a quiet time, and never more often than anybody can read.
struct RedrawPace {
    /// Nanoseconds from one picture to the next, at least.
    var intervalNs: UInt64 = 100_000_000
    private var lastNs: UInt64?
    private var wanted = true

    /// Something that is shown has changed.
    mutating func want() { wanted = true }

    /// When to draw, on the monotonic clock; nil while nothing has changed.
    var deadlineNs: UInt64? { wanted ? lastNs.map { $0 + intervalNs } ?? 0 : nil }

    /// Whether to draw now.
    mutating func isDue(nowNs: UInt64) -> Bool {
        guard let deadlineNs, nowNs >= deadlineNs else { return false }
        (wanted, lastNs) = (false, nowNs)
        return true
    }
}
