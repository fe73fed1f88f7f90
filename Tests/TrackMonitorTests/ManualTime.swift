import CLinux
import Glibc
import NLOSCore
import Synchronization

@testable import TrackMonitor

/// Clocks and alarms that a test moves, together or apart.
final class ManualTime: Sendable {
    private struct State {
        var monotonicNs: UInt64 = 1_000_000_000
        var bootNs: UInt64 = 5_000_000_000
        /// On top of `wall`.
        var unixMs: Int64 = 1_800_000_000_000
        var alarms: [Weak] = []
    }
    private struct Weak { weak var alarms: ManualAlarms? }

    private let state = Mutex(State())
    private let wall: @Sendable () -> UInt64

    init() { wall = { 0 } }

    /// Clocks that only the test moves, but for the wall clock: that one is the real one, and what the test adds to it. For servers
    /// that live in real time.
    init(onTopOfWallClock real: @escaping @Sendable () -> UInt64) {
        wall = real
        state.withLock { $0.unixMs = 0 }
    }

    var clocks: Clocks {
        Clocks(
            monotonicNs: { self.state.withLock { $0.monotonicNs } }, bootNs: { self.state.withLock { $0.bootNs } },
            unixMs: { self.state.withLock { UInt64(Int64(self.wall()) + $0.unixMs) } })
    }

    var bootNs: UInt64 { clocks.bootNs() }
    var unixMs: UInt64 { clocks.unixMs() }

    /// Time passes, for all clocks.
    func pass(seconds: Double) { move(monotonic: seconds, boot: seconds, wall: seconds) }

    /// The machine sleeps: its monotonic clock stands still.
    func suspend(seconds: Double) { move(monotonic: 0, boot: seconds, wall: seconds) }

    /// Somebody sets the wall clock, forward or back.
    func step(seconds: Double) {
        move(monotonic: 0, boot: 0, wall: seconds)
        everyAlarm { $0.clockWasSet() }
    }

    func makeAlarms() -> ManualAlarms {
        let alarms = ManualAlarms { self.bootNs }
        state.withLock { $0.alarms.append(Weak(alarms: alarms)) }
        return alarms
    }

    private func move(monotonic: Double, boot: Double, wall: Double) {
        state.withLock { state in
            state.monotonicNs += UInt64(monotonic * 1e9)
            state.bootNs += UInt64(boot * 1e9)
            state.unixMs += Int64(wall * 1e3)
        }
        everyAlarm { $0.timePassed() }
    }

    private func everyAlarm(_ body: (ManualAlarms) -> Void) {
        for alarms in state.withLock({ $0.alarms.compactMap(\.alarms) }) { body(alarms) }
    }
}

/// Alarms that ring by `ManualTime`.
final class ManualAlarms: SessionAlarms, Sendable {
    private let due = try! Wakeup()
    private let wasStepped = try! Wakeup()
    private let wanted = Mutex<UInt64?>(nil)
    private let wasSet = Mutex(false)
    private let now: @Sendable () -> UInt64

    init(_ now: @escaping @Sendable () -> UInt64) { self.now = now }

    var deadline: CInt { due.descriptor }
    var clockStep: CInt { wasStepped.descriptor }
    /// What the session waits for at the moment.
    var wantedBootNs: UInt64? { wanted.withLock { $0 } }

    func setDeadline(bootNs: UInt64?) {
        wanted.withLock { $0 = bootNs }
        due.lower()
        timePassed()
    }

    func takeClockStep() -> Bool {
        wasStepped.lower()
        return wasSet.withLock { wasSet in
            defer { wasSet = false }
            return wasSet
        }
    }

    fileprivate func timePassed() {
        if let wanted = wantedBootNs, now() >= wanted { due.raise() }
    }

    fileprivate func clockWasSet() {
        wasSet.withLock { $0 = true }
        wasStepped.raise()
    }
}
