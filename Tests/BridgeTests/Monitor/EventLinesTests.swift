import CLinux
import Foundation
import Testing

@testable import bridge

/// A reader that is slow, gone, or both in turn.
@Suite struct EventLinesTests {
    private static let never = UInt64.max

    /// A pipe of one page as the reader's end and as lines that are written into it.
    private final class Reader {
        let lines: EventLines
        private var end: CInt
        /// `F_SETPIPE_SZ`, which Glibc keeps for itself.
        private static let setPipeSize: CInt = 1031

        init(limit: Int = 64 << 10) throws {
            var ends: [CInt] = [-1, -1]
            guard pipe2(&ends, O_CLOEXEC | O_NONBLOCK) == 0 else { throw POSIXError(.EMFILE) }
            _ = fcntl(ends[1], Self.setPipeSize, 4096)
            end = ends[0]
            lines = EventLines(sink: try .file("/proc/self/fd/\(ends[1])", replacing: false, limit: limit))
            close(ends[1])
        }

        deinit { leave() }

        func leave() {
            if end >= 0 { close(end) }
            end = -1
        }

        /// Everything that is there, and what comes as soon as there is room for it.
        func read(bootNs: UInt64 = 0) -> [String] {
            var text: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while case let count = Glibc.read(end, &buffer, buffer.count), count > 0 {
                text += buffer[..<count]
                lines.flush(bootNs: bootNs)
            }
            return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    private func long(_ name: String) -> [UInt8] { Array((name + String(repeating: ".", count: 3_000)).utf8) }
    private func names(_ lines: [String]) -> [String] { lines.map { String($0.prefix { $0 != "." }) } }

    @Test("a reader that keeps up gets everything") func inTime() throws {
        let reader = try Reader()
        for number in 0..<20 {
            reader.lines.frame(long("frame\(number)"), expiresAtBootNs: Self.never, bootNs: 0)
            #expect(names(reader.read()) == ["frame\(number)"])
        }
        #expect(reader.lines.takeFramesDropped() == 0)
    }

    @Test("after a pause the reader gets the newest frame, and those between are counted") func newestWins() throws {
        let reader = try Reader()
        for number in 0..<1_000 { reader.lines.frame(long("frame\(number)"), expiresAtBootNs: Self.never, bootNs: 0) }
        #expect(reader.lines.hasBacklog)
        let seen = names(reader.read())
        #expect(seen.first == "frame0")
        #expect(seen.last == "frame999")
        #expect(UInt64(1_000 - seen.count) == reader.lines.takeFramesDropped())
        #expect(seen.count <= 3)
        #expect(reader.lines.takeFramesDropped() == 0)
    }

    @Test("a frame that comes to this process when its time is over is not written, and counted") func late() throws {
        let reader = try Reader()
        reader.lines.frame(long("late"), expiresAtBootNs: 1_000, bootNs: 1_000)
        reader.lines.frame(long("in time"), expiresAtBootNs: 1_000, bootNs: 999)
        #expect(names(reader.read()) == ["in time"])
        #expect(reader.lines.takeFramesDropped() == 1)
    }

    @Test("what expired while it waited is not written") func expired() throws {
        let reader = try Reader()
        for number in 0..<3 { reader.lines.frame(long("frame\(number)"), expiresAtBootNs: 1_000, bootNs: 0) }
        #expect(names(reader.read(bootNs: 1_000)) == ["frame0", "frame1"])
        #expect(reader.lines.takeFramesDropped() == 1)
        #expect(!reader.lines.hasBacklog)
    }

    @Test("a frame that waits when the display is cleared is never written, and the clearing is") func cleared() throws {
        let reader = try Reader()
        for number in 0..<3 { reader.lines.frame(long("frame\(number)"), expiresAtBootNs: Self.never, bootNs: 0) }
        reader.lines.cleared(Array("cleared".utf8))
        #expect(names(reader.read()) == ["frame0", "frame1", "cleared"])
        #expect(reader.lines.takeFramesDropped() == 1)
    }

    @Test("a reader who never got the frame is not told that it went") func nothingToClear() throws {
        let reader = try Reader()
        reader.lines.cleared(Array("cleared".utf8))
        reader.lines.other(Array("other".utf8))
        #expect(reader.read() == ["other"])
    }

    @Test("other lines wait in a bounded backlog, and what does not fit is counted") func bounded() throws {
        let reader = try Reader(limit: 64 << 10)
        for number in 0..<100 { reader.lines.other(long("line\(number)")) }
        let seen = names(reader.read())
        #expect(seen == (0..<seen.count).map { "line\($0)" })
        #expect(seen.count >= 20)
        #expect(UInt64(100 - seen.count) == reader.lines.linesLost)
    }

    @Test("a reader that has gone is noticed and not an error of this side") func gone() throws {
        // As the program has it from its start.
        signal(SIGPIPE, SIG_IGN)
        let reader = try Reader()
        reader.leave()
        reader.lines.frame(long("frame"), expiresAtBootNs: Self.never, bootNs: 0)
        guard case .closed? = reader.lines.end else {
            Issue.record("not closed")
            return
        }
        reader.lines.flush(bootNs: 0)
    }
}
