import Glibc
import NLOSCore

extension Clocks {
    /// The kernel's clocks.
    static let system = Clocks(
        monotonicNs: { nanoseconds(CLOCK_MONOTONIC) }, bootNs: { nanoseconds(CLOCK_BOOTTIME) },
        unixMs: { nanoseconds(CLOCK_REALTIME) / 1_000_000 })
}

private func nanoseconds(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(max(0, time.tv_sec)) * 1_000_000_000 + UInt64(time.tv_nsec)
}
