/// The three clocks a run may read, passed in so that tests own time.
///
/// Nothing in this package reads a clock by itself; `bridge` hands the kernel's in.
public struct Clocks: Sendable {
    /// Nanoseconds that never step back, for durations. Stops during suspend (`CLOCK_MONOTONIC`).
    public var monotonicNs: @Sendable () -> UInt64
    /// Nanoseconds that run on during suspend, for expiry (`CLOCK_BOOTTIME`).
    public var bootNs: @Sendable () -> UInt64
    /// Milliseconds since 1970 UTC, only where the wire contract names the wall clock (`CLOCK_REALTIME`).
    public var unixMs: @Sendable () -> UInt64

    public init(
        monotonicNs: @escaping @Sendable () -> UInt64, bootNs: @escaping @Sendable () -> UInt64,
        unixMs: @escaping @Sendable () -> UInt64
    ) {
        self.monotonicNs = monotonicNs
        self.bootNs = bootNs
        self.unixMs = unixMs
    }
}

/// The time from `earlier` to `later` on one clock, in that clock's unit; 0 where the clock went back.
@inlinable
public func interval(from earlier: UInt64, to later: UInt64) -> UInt64 {
    later > earlier ? later - earlier : 0
}
