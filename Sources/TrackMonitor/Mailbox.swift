import NLOSCore
import Synchronization

/// What a session has said and its owner has not yet taken. It never grows: newest frame wins, and a storm of rejections is summed up.
///
/// `cleared` and `disconnected` are never lost, and once `cleared` is in, no frame from before it comes out any more.
final class Mailbox: Sendable {
    /// More than any owner that looks is behind: a fifth of a second at 300 frames a second.
    static let mostFrames = 64
    static let mostOthers = 64

    fileprivate struct State {
        var waiting: [MonitorEvent] = []
        var frames = 0
        var framesDropped: UInt64 = 0
        var rejectionsUnreported: UInt64 = 0
        var isOver = false
    }

    /// Raised while something waits; lowered under the same lock, so that it never says anything else.
    private let news: Wakeup
    private let state = Mutex(State())

    init() throws(SystemCallFailure) { news = try Wakeup() }

    var readiness: CInt { news.descriptor }

    /// Adds an event. After `disconnected` nothing is added.
    func post(_ event: MonitorEvent) {
        state.withLock { state in
            guard !state.isOver else { return }
            let wasEmpty = state.waiting.isEmpty
            switch event {
            case .frame:
                if state.frames == Self.mostFrames { state.dropOldestFrame() }
                state.frames += 1
                state.waiting.append(event)
            case .cleared:
                state.dropFrames()
                state.addOther(event)
            case .disconnected(let end):
                state.isOver = true
                state.waiting.append(.disconnected(end.counting(framesDropped: state.framesDropped)))
            case .connecting, .authenticated, .rejected, .notice:
                state.addOther(event)
            }
            if wasEmpty { news.raise() }
        }
    }

    /// The event that waits longest; nil when none does.
    func next() -> MonitorEvent? {
        state.withLock { state in
            guard !state.waiting.isEmpty else { return nil }
            if state.rejectionsUnreported > 0 {
                defer { state.rejectionsUnreported = 0 }
                return .notice(
                    Message(
                        text: "\(state.rejectionsUnreported) more messages were rejected, faster than they could be told one by one",
                        next: "look at what the server sends: 'nlos-bridge check' names the fault of a saved message"))
            }
            let event = state.waiting.removeFirst()
            if case .frame = event { state.frames -= 1 }
            if state.waiting.isEmpty { news.lower() }
            return event
        }
    }
}

extension Mailbox.State {
    fileprivate mutating func dropOldestFrame() {
        guard let oldest = waiting.firstIndex(where: \.isFrame) else { return }
        waiting.remove(at: oldest)
        frames -= 1
        framesDropped += 1
    }

    /// What is not on display any more must not get there late.
    fileprivate mutating func dropFrames() {
        guard frames > 0 else { return }
        waiting.removeAll(where: \.isFrame)
        framesDropped += UInt64(frames)
        frames = 0
    }

    /// Adds an event that is not a frame, and makes room when the owner is far behind.
    fileprivate mutating func addOther(_ event: MonitorEvent) {
        waiting.append(event)
        guard waiting.count - frames > Mailbox.mostOthers else { return }
        if let rejection = waiting.firstIndex(where: \.isRejection) {
            waiting.remove(at: rejection)
            rejectionsUnreported += 1
        } else if let notice = waiting.firstIndex(where: \.isNotice) {
            waiting.remove(at: notice)
        }
        // All frames before the newest `cleared` are gone, so one such event says what several would.
        if case .cleared = event, let earlier = waiting.firstIndex(where: \.isCleared), earlier < waiting.count - 1 {
            waiting.remove(at: earlier)
        }
    }
}

extension MonitorEvent {
    fileprivate var isFrame: Bool { if case .frame = self { true } else { false } }
    fileprivate var isRejection: Bool { if case .rejected = self { true } else { false } }
    fileprivate var isNotice: Bool { if case .notice = self { true } else { false } }
    fileprivate var isCleared: Bool { if case .cleared = self { true } else { false } }
}

extension Disconnection {
    fileprivate func counting(framesDropped: UInt64) -> Disconnection {
        Disconnection(reason: reason, detail: detail, closeCode: closeCode, framesDropped: framesDropped, mayPass: mayPass)
    }
}
