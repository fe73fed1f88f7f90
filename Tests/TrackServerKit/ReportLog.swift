import CLinux
import Foundation

/// What the server has said so far, read on a thread of its own.
final class ReportLog: Sendable {
    private let condition = NSCondition()
    // Read and written only while `condition` is locked.
    nonisolated(unsafe) private var reports: [Report] = []
    nonisolated(unsafe) private var trouble: String?

    init(readingFrom descriptor: CInt) {
        Thread.detachNewThread { [self] in
            var rest = Data()
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                rest.append(contentsOf: buffer[..<count])
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    take(rest[..<end])
                    rest = Data(rest[(end + 1)...])
                }
            }
            close(descriptor)
            fail("it ended")
        }
    }

    var all: [Report] { condition.withLock { reports } }

    /// Waits until `find` finds something in all that was said.
    func wait<Found>(seconds: Double = 20, for find: ([Report]) -> Found?) throws -> Found {
        let limit = Date(timeIntervalSinceNow: seconds)
        return try condition.withLock {
            while true {
                if let found = find(reports) { return found }
                if let trouble { throw Silent(why: trouble) }
                if !condition.wait(until: limit) { throw Silent(why: "nothing that fits in \(seconds) s") }
            }
        }
    }

    private func take(_ line: Data) {
        do {
            let report = try JSONDecoder().decode(Report.self, from: line)
            condition.withLock {
                reports.append(report)
                condition.broadcast()
            }
        } catch {
            fail("not a report: \(String(decoding: line, as: UTF8.self)): \(error)")
        }
    }

    private func fail(_ why: String) {
        condition.withLock {
            trouble = trouble ?? why
            condition.broadcast()
        }
    }

    struct Silent: Error, CustomStringConvertible {
        let why: String
        var description: String { "the track server: \(why)" }
    }
}
