import CLinux
import Glibc
public import NLOSCore

/// A simulated board as a source of bytes: everything it sends went through the firmware's text, and is synthetic for ever.
public final class SimulatedSource: ByteSource {
    /// How the board's time runs.
    public enum Pace: Sendable {
        /// As the clock that was passed in.
        case realTime
        /// As fast as it is drained; arrivals carry the board's own time.
        case unlimited
    }

    public let origin = FrameSource.synthetic
    public let path: String
    public var readiness: CInt { timer }
    public let bytesLost: UInt64 = 0
    public var keepsOwnTime: Bool { pace == .unlimited }

    private var board: SimulatedBoard
    private let clocks: Clocks
    private let pace: Pace
    private let started: Arrival
    /// The board's time when it is not the clock's.
    private var virtualNs: UInt64
    private var timer: CInt

    /// Most bytes one `drain` hands over, give or take one burst.
    private static let drainBytes = 65_536

    /// Starts the board, streaming its default configuration like one that has been plugged in for a while.
    public init(
        _ profile: SensorProfile = .nucleoVL53L8CH, scene: SimulatedScene, faults: FaultSwitches = FaultSwitches(),
        options: EmulationOptions = EmulationOptions(), seed: UInt64 = 1, joining: Joining = .midStream, pace: Pace = .realTime,
        clocks: Clocks
    ) throws(SensorError) {
        path = "sim:\(scene.name)"
        timer = timerfd_create(CLOCK_MONOTONIC, CInt(TFD_NONBLOCK | TFD_CLOEXEC))
        guard timer >= 0 else { throw .system(path: path, operation: "timerfd_create", errno: errno) }
        self.clocks = clocks
        self.pace = pace
        started = .now(clocks)
        virtualNs = started.monotonicNs
        board = SimulatedBoard(
            profile, scene: scene, faults: faults, options: options, seed: seed, startNs: started.monotonicNs, joining: joining)
        wakeWhenDue()
    }

    deinit { close() }

    public func drain(_ body: (UnsafeRawBufferPointer, Arrival) -> Void) throws(SensorError) -> Drained {
        guard timer >= 0, !board.isUnplugged else { throw .unplugged(path: path) }
        var handed = 0
        while handed < Self.drainBytes, let due = board.nextEventNs, pace == .unlimited || due <= clocks.monotonicNs() {
            virtualNs = max(virtualNs, due)
            let arrival = arrival
            board.advance(toNs: due) {
                handed += $0.count
                body($0, arrival)
            }
        }
        wakeWhenDue()
        return handed < Self.drainBytes && !board.isUnplugged ? .idle : .more
    }

    public func send(_ bytes: [UInt8]) throws(SensorError) {
        guard timer >= 0, !board.isUnplugged else { throw .unplugged(path: path) }
        board.receive(bytes, atNs: pace == .unlimited ? virtualNs : clocks.monotonicNs())
        wakeWhenDue()
    }

    public func close() {
        guard timer >= 0 else { return }
        Glibc.close(timer)
        timer = -1
    }

    /// What a board says arrives when it says it, however late this process gets to take it: a busy machine is no slow sensor.
    private var arrival: Arrival {
        if pace == .unlimited {
            let passed = interval(from: started.monotonicNs, to: virtualNs)
            return Arrival(monotonicNs: virtualNs, unixMs: started.unixMs + passed / 1_000_000)
        }
        let late = interval(from: virtualNs, to: clocks.monotonicNs())
        return Arrival(monotonicNs: virtualNs, unixMs: interval(from: late / 1_000_000, to: clocks.unixMs()))
    }

    /// Arms the timer; arming it again also takes back an expiry that `poll` would still see.
    private func wakeWhenDue() {
        var wait: UInt64 = 0  // 0 disarms
        if board.isUnplugged {
            wait = 1
        } else if let due = board.nextEventNs {
            wait = pace == .unlimited ? 1 : max(1, interval(from: clocks.monotonicNs(), to: due))
        }
        var timing = itimerspec()
        timing.it_value = timespec(tv_sec: Int(wait / 1_000_000_000), tv_nsec: Int(wait % 1_000_000_000))
        timerfd_settime(timer, 0, &timing, nil)
    }
}
