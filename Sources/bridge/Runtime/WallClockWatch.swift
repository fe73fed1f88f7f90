/// Notices that the wall clock was set: by how much it left a clock that nobody can set.
struct WallClockWatch {
    /// Less is slewing, rounding and the time between two looks, milliseconds.
    private static let stepMs = 250.0

    private var offsetMs: Double?

    /// Seconds by which the wall clock was set since the last look, below 0 for back; nil when it was not. Both are read at one moment.
    mutating func step(unixMs: UInt64, steadyNs: UInt64) -> Double? {
        let offset = Double(unixMs) - Double(steadyNs / 1_000_000)
        defer { offsetMs = offset }
        guard let offsetMs, abs(offset - offsetMs) > Self.stepMs else { return nil }
        return (offset - offsetMs) / 1000
    }
}
