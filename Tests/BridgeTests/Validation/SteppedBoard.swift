import CLinux
import Glibc
import NLOSCore
import Synchronization
import TransientSensor

/// The clocks of a host that a test suspends, and whose wall clock it sets.
final class HostClocks: Sendable {
    private struct Times {
        var monotonicNs: UInt64 = 7_000_000_000_000
        var suspendedNs: UInt64 = 0
        var wallMs: Int64 = 1_796_022_000_000
    }

    private let times = Mutex(Times())

    var clocks: Clocks {
        Clocks(
            monotonicNs: { self.times.withLock(\.monotonicNs) },
            bootNs: { self.times.withLock { $0.monotonicNs + $0.suspendedNs } },
            unixMs: { self.times.withLock { UInt64($0.wallMs) + ($0.monotonicNs + $0.suspendedNs) / 1_000_000 } })
    }

    func advance(milliseconds: UInt64) { times.withLock { $0.monotonicNs += milliseconds * 1_000_000 } }
    func suspend(milliseconds: UInt64) { times.withLock { $0.suspendedNs += milliseconds * 1_000_000 } }
    func setWallClock(byMs: Int64) { times.withLock { $0.wallMs += byMs } }
}

/// A simulated board on a host's own clocks, which go on by 10 ms at each look: time passes for it as for a board on a cable, as
/// fast as it is drained.
final class SteppedBoard: ByteSource {
    /// What befalls the host at a look, after so many seconds.
    struct Event {
        let seconds: Double
        var suspendedMs: UInt64 = 0
        var setWallClockByMs: Int64 = 0
        /// Time in which nobody looks.
        var lateMs: UInt64 = 0
        /// What the board fails with from then on.
        var error: SensorError?
    }

    let host = HostClocks()
    private let board: SimulatedSource
    private let wake: CInt
    private var events: [Event]
    private var looks = 0

    init(_ events: [Event], scene: SimulatedScene = .matteWall) throws {
        self.events = events
        board = try SimulatedSource(scene: scene, clocks: host.clocks)
        wake = eventfd(1, CInt(EFD_CLOEXEC))
    }

    deinit { Glibc.close(wake) }

    var origin: FrameSource { board.origin }
    var path: String { board.path }
    /// There is always something to look at.
    var readiness: CInt { wake }
    var bytesLost: UInt64 { board.bytesLost }

    func drain(_ body: (UnsafeRawBufferPointer, Arrival) -> Void) throws(SensorError) -> Drained {
        looks += 1
        host.advance(milliseconds: 10)
        while let event = events.first, event.seconds <= Double(looks) / 100 {
            events.removeFirst()
            host.suspend(milliseconds: event.suspendedMs)
            host.setWallClock(byMs: event.setWallClockByMs)
            host.advance(milliseconds: event.lateMs)
            if let error = event.error { throw error }
        }
        return try board.drain(body)
    }

    func send(_ bytes: [UInt8]) throws(SensorError) { try board.send(bytes) }
    func close() { board.close() }
}
