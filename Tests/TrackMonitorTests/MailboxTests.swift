import Glibc
import NLOSCore
import Testing

@testable import TrackMonitor

struct MailboxTests {
    /// Frames with the numbers 0 and up.
    static func frames(_ count: Int) throws -> [MonitorEvent] {
        let time = ManualTime()
        let log = EventLog()
        var stream = TrackStream(name: "", limits: MonitorLimits(), clocks: time.clocks) { log.note($0) }
        try StreamMessages.authenticated(expires: time.unixMs + 1_000).withUnsafeBytes { try stream.text($0) }
        for sequence in 0..<count {
            try StreamMessages.frame(sequence, captured: time.unixMs).withUnsafeBytes { try stream.text($0) }
        }
        return Array(log.events.dropFirst())
    }

    private func drain(_ mailbox: Mailbox) -> [MonitorEvent] {
        var events: [MonitorEvent] = []
        while let event = mailbox.next() { events.append(event) }
        return events
    }

    private func isReady(_ mailbox: Mailbox) -> Bool {
        var entry = pollfd(fd: mailbox.readiness, events: CShort(POLLIN), revents: 0)
        return poll(&entry, 1, 0) == 1
    }

    private let end = MonitorEvent.disconnected(Disconnection(reason: .network, detail: Message(text: "over")))

    @Test("Readable exactly while something waits") func readiness() throws {
        let mailbox = try Mailbox()
        #expect(!isReady(mailbox))
        mailbox.post(.cleared(.expired))
        mailbox.post(.cleared(.expired))
        #expect(isReady(mailbox))
        #expect(mailbox.next() != nil)
        #expect(isReady(mailbox))
        #expect(mailbox.next() != nil)
        #expect(!isReady(mailbox))
        #expect(mailbox.next() == nil)
    }

    @Test("Of more frames than there is room for the newest come out, and the others are counted") func newestWins() throws {
        let mailbox = try Mailbox()
        for frame in try Self.frames(Mailbox.mostFrames + 3) { mailbox.post(frame) }
        mailbox.post(end)
        let events = drain(mailbox)
        #expect(events.dropLast().map(\.words) == (3..<Mailbox.mostFrames + 3).map { "frame \($0)" })
        guard case .disconnected(let end) = events.last else { throw Missing("no end") }
        #expect(end.framesDropped == 3)
    }

    @Test("An owner that keeps up loses nothing") func promptOwner() throws {
        let mailbox = try Mailbox()
        var seen = 0
        for frame in try Self.frames(1_000) {
            mailbox.post(frame)
            seen += drain(mailbox).count
        }
        mailbox.post(end)
        guard case .disconnected(let end) = mailbox.next() else { throw Missing("no end") }
        #expect(seen == 1_000)
        #expect(end.framesDropped == 0)
    }

    @Test("What was cleared before the owner looked never comes out, and is counted") func clearedFrames() throws {
        let mailbox = try Mailbox()
        let frames = try Self.frames(4)
        for frame in frames[..<3] { mailbox.post(frame) }
        mailbox.post(.rejected(.malformed))
        mailbox.post(.cleared(.rejected))
        mailbox.post(frames[3])
        mailbox.post(end)
        let events = drain(mailbox)
        #expect(events.map(\.words) == ["rejected malformed", "cleared rejected", "frame 3", "disconnected network"])
        guard case .disconnected(let end) = events.last else { throw Missing("no end") }
        #expect(end.framesDropped == 3)
    }

    @Test("A storm of rejections stays small, is summed up, and loses neither the clearing nor the end") func storm() throws {
        let mailbox = try Mailbox()
        let frame = try Self.frames(1)[0]
        for _ in 0..<10_000 {
            mailbox.post(frame)
            mailbox.post(.rejected(.malformed))
            mailbox.post(.cleared(.rejected))
        }
        mailbox.post(end)
        let events = drain(mailbox)
        #expect(events.count <= Mailbox.mostOthers + 3)
        guard case .notice(let sum) = events.first else { throw Missing("no sum") }
        let told = events.filter { $0.words == "rejected malformed" }.count
        #expect(sum.text.hasPrefix("\(10_000 - told) more messages"))
        #expect(events.suffix(2).map(\.words) == ["cleared rejected", "disconnected network"])
    }

    @Test("Clearing without rejections stays small as well") func clearingStorm() throws {
        let mailbox = try Mailbox()
        for _ in 0..<10_000 { mailbox.post(.cleared(.clockStep)) }
        for _ in 0..<10_000 { mailbox.post(.notice(Message(text: "again"))) }
        let events = drain(mailbox)
        #expect(events.count <= 2 * Mailbox.mostOthers)
        #expect(events.contains { $0.words == "cleared clock_step" })
    }

    @Test("Nothing comes after the end") func afterTheEnd() throws {
        let mailbox = try Mailbox()
        mailbox.post(end)
        mailbox.post(.cleared(.error))
        mailbox.post(end)
        #expect(drain(mailbox).map(\.words) == ["disconnected network"])
    }
}

/// What a test needs in order to go on.
struct Missing: Error {
    let what: String
    init(_ what: String) { self.what = what }
}
