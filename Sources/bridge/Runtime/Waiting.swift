import CLinux
import Glibc
import NLOSCore

/// Sleeps until one of the descriptors has news or the deadline comes.
struct Waiting {
    private var entries: [pollfd] = []

    mutating func begin() { entries.removeAll(keepingCapacity: true) }

    /// Adds a descriptor and returns its place for `ready`. With no events only errors and hang-ups wake.
    @discardableResult
    mutating func add(_ descriptor: CInt, readable: Bool = false, writable: Bool = false) -> Int {
        let events = (readable ? Int16(POLLIN) : 0) | (writable ? Int16(POLLOUT) : 0)
        entries.append(pollfd(fd: descriptor, events: events, revents: 0))
        return entries.count - 1
    }

    /// Waits; a `deadlineNs` of nil waits for ever, one in the past only looks.
    mutating func wait(untilNs deadlineNs: UInt64?, _ clocks: Clocks) {
        guard let deadlineNs else {
            ppoll(&entries, nfds_t(entries.count), nil, nil)
            return
        }
        let left = interval(from: clocks.monotonicNs(), to: deadlineNs)
        var time = timespec(tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000))
        ppoll(&entries, nfds_t(entries.count), &time, nil)
    }

    func ready(_ place: Int) -> Bool { entries[place].revents != 0 }
    /// The peer is gone: a pipe without a reader, a terminal that hung up.
    func broken(_ place: Int) -> Bool { entries[place].revents & Int16(POLLERR | POLLNVAL) != 0 }
}
