import CAllocations
import Glibc

/// What one measurement came to.
struct Measurement {
    /// Median of the rounds, in units of 10^6 bytes a second.
    let megabytesPerSecond: Double
    /// Calls of malloc, calloc, realloc and aligned variants by this process, for each repetition.
    let allocationsPerRepetition: Double
}

/// Runs `body` in rounds of about `milliseconds` and takes the median round; `bytes` is what one call of it works through.
///
/// The calls that find out how many repetitions make a round also warm buffers and caches.
func measure(bytes: Int, rounds: Int = 9, milliseconds: Int = 60, _ body: () -> Void) -> Measurement {
    let once = nanoseconds { for _ in 0..<10 { body() } } / 10
    let repetitions = max(1, milliseconds * 1_000_000 / max(1, Int(once)))
    let before = nlos_allocations()
    let times = (0..<rounds).map { _ in nanoseconds { for _ in 0..<repetitions { body() } } }.sorted()
    // The list of times is in it too: a handful among thousands of repetitions, which the rounding below drops.
    let allocations = Double(nlos_allocations() - before)
    let seconds = Double(times[rounds / 2]) / 1e9
    return Measurement(
        megabytesPerSecond: Double(bytes * repetitions) / 1e6 / seconds,
        allocationsPerRepetition: (allocations / Double(rounds * repetitions) * 100).rounded() / 100)
}

/// Time of the calling thread, so that a busy neighbour counts as little as it can.
func nanoseconds(_ body: () -> Void) -> UInt64 {
    let start = threadTime()
    body()
    return threadTime() - start
}

private func threadTime() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Keeps a result from being optimised away.
@inline(never)
func keep<Value: ~Copyable>(_ value: borrowing Value) {}
