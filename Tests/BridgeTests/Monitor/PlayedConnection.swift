import CLinux
import Foundation
import NLOSCore
import TrackMonitor

@testable import bridge

/// A connection whose events a test lays down, one turn of the loop after the other.
final class PlayedConnection: MonitorConnection {
    let readiness: CInt
    private var events: [MonitorEvent]
    /// What comes after `stop`.
    private let parting: [MonitorEvent]
    private(set) var stops = 0

    init(
        _ events: [MonitorEvent],
        parting: [MonitorEvent] = [.disconnected(Disconnection(reason: .closedByUser, detail: Message(text: "ended here")))]
    ) {
        readiness = eventfd(events.isEmpty ? 0 : 1, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
        self.events = events
        self.parting = parting
    }

    deinit { close(readiness) }

    func next() -> MonitorEvent? {
        guard events.isEmpty else { return events.removeFirst() }
        var count: UInt64 = 0
        _ = read(readiness, &count, 8)
        return nil
    }

    func stop() {
        stops += 1
        events += parting
        var one: UInt64 = 1
        _ = write(readiness, &one, 8)
    }
}

/// Clocks that agree, and move only when they are told to.
final class SteppedClocks: @unchecked Sendable {
    // Touched by one thread: the loop that the test runs.
    var ns: UInt64 = 10_000_000_000

    var clocks: Clocks {
        Clocks(
            monotonicNs: { self.ns }, bootNs: { self.ns - 10_000_000_000 + MonitorFixtures.bootNs },
            unixMs: { (self.ns - 10_000_000_000) / 1_000_000 + MonitorFixtures.unixMs })
    }

    func advance(ms: UInt64) { ns += ms * 1_000_000 }
}

/// A file that stands in for standard output, and the lines in it.
final class LineFile {
    private let path = FileManager.default.temporaryDirectory.appending(path: "monitor-\(UUID().uuidString)").path()

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func sink() throws -> LineSink { try .file(path, replacing: false) }

    var lines: [String] {
        get throws { try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init) }
    }
}
