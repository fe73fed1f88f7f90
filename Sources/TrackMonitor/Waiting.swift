import CLinux
import Glibc
import NLOSCore
import Synchronization

/// Why a session's thread woke.
struct Wake: OptionSet {
    let rawValue: UInt8
    /// Its owner wants the end.
    static let stop = Wake(rawValue: 1)
    /// Somebody has set the wall clock.
    static let clockStep = Wake(rawValue: 2)
    /// The deadline is past, by the session's clock.
    static let deadline = Wake(rawValue: 4)
    static let readable = Wake(rawValue: 8)
    static let writable = Wake(rawValue: 16)
}

/// What a session's thread sleeps on: a socket, its owner's wish, and its alarms. All in one `poll`, without a time limit of its own.
struct Waiting {
    let stop: StopRequest
    let alarms: any SessionAlarms
    let clocks: Clocks
    private var deadlineSet: UInt64?

    init(stop: StopRequest, alarms: any SessionAlarms, clocks: Clocks) {
        self.stop = stop
        self.alarms = alarms
        self.clocks = clocks
    }

    /// Sleeps until there is a reason to wake. A descriptor below 0 is left out; `deadline` is on the boot clock, nanoseconds.
    mutating func wait(_ descriptor: CInt, readable: Bool = false, writable: Bool = false, until deadline: UInt64?) -> Wake {
        if deadline != deadlineSet {
            alarms.setDeadline(bootNs: deadline)
            deadlineSet = deadline
        }
        let events = (readable ? CShort(POLLIN) : 0) | (writable ? CShort(POLLOUT) : 0)
        var wake: Wake = []
        while wake.isEmpty {
            var entries = (
                Self.entry(stop.descriptor), Self.entry(alarms.clockStep), Self.entry(deadline == nil ? -1 : alarms.deadline),
                // Without a wish there is nothing to hear: a hang-up would wake again and again.
                Self.entry(events == 0 ? -1 : descriptor, events)
            )
            _ = withUnsafeMutableBytes(of: &entries) { bytes in
                poll(bytes.assumingMemoryBound(to: pollfd.self).baseAddress, 4, -1)
            }
            if entries.0.revents != 0 {
                stop.lower()
                wake.insert(.stop)
            }
            if entries.1.revents != 0, alarms.takeClockStep() { wake.insert(.clockStep) }
            if entries.2.revents != 0, let deadline {
                // An alarm that rings early is set once more.
                if clocks.bootNs() >= deadline { wake.insert(.deadline) } else { alarms.setDeadline(bootNs: deadline) }
            }
            // Errors and hang-ups show themselves to whoever reads or writes.
            let news = entries.3.revents
            if readable, news & ~CShort(POLLOUT) != 0 { wake.insert(.readable) }
            if writable, news & ~CShort(POLLIN) != 0 { wake.insert(.writable) }
        }
        return wake
    }

    /// The same while nothing is on display yet: the owner's wish ends the session, and a step of the wall clock is no news.
    mutating func waitQuietly(
        _ descriptor: CInt, readable: Bool = false, writable: Bool = false, until deadline: UInt64
    ) throws(SessionEnd) -> Wake {
        while true {
            let wake = wait(descriptor, readable: readable, writable: writable, until: deadline).subtracting(.clockStep)
            if wake.contains(.stop) { throw .stopped }
            if !wake.isEmpty { return wake }
        }
    }

    /// So many seconds from now, on the boot clock.
    func deadline(in seconds: Double) -> UInt64 { clocks.bootNs().later(bySeconds: seconds) }

    private static func entry(_ descriptor: CInt, _ events: CShort = CShort(POLLIN)) -> pollfd {
        pollfd(fd: descriptor, events: events, revents: 0)
    }
}

/// The owner's wish to end the session. A second one means: now, without another word to the server.
final class StopRequest: Sendable {
    private let wakeup: Wakeup
    private let requests = Atomic(0)

    init() throws(SystemCallFailure) { wakeup = try Wakeup() }

    var descriptor: CInt { wakeup.descriptor }
    /// Whether the server need not be told.
    var isUrgent: Bool { requests.load(ordering: .acquiring) > 1 }

    func raise(urgent: Bool = false) {
        requests.add(urgent ? 2 : 1, ordering: .releasing)
        wakeup.raise()
    }

    func lower() { wakeup.lower() }
}

extension UInt64 {
    /// A time in nanoseconds, so many seconds on; stays at the clock's end.
    func later(bySeconds seconds: Double) -> UInt64 {
        let nanoseconds = UInt64(exactly: (seconds * 1e9).rounded(.down)) ?? .max
        let (time, overflow) = addingReportingOverflow(nanoseconds)
        return overflow ? .max : time
    }
}
