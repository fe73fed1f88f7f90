import NLOSCore
import TrackMonitor

/// All that a person at the monitor is to know now: the connection, what may be shown and why there is nothing, what was counted.
///
/// A value that events change. It holds no clock: whoever draws it says what time it is.
struct MonitorView {
    enum Link {
        case connecting
        /// The server has accepted the token.
        case authenticated(AuthenticatedSession)
        case lost(Disconnection)
        /// The next attempt begins at this time on the monotonic clock.
        case waiting(Disconnection, untilNs: UInt64)
    }

    /// Why nothing is shown.
    enum Emptiness: Equatable {
        case waiting
        case rejected(Rejection)
        case cleared(ClearReason)
    }

    let endpoint: MonitorEndpoint
    private(set) var link = Link.connecting
    private var emptiness = Emptiness.waiting
    /// When this connection's last message came, on the monotonic clock: the server's word, or a frame, accepted or not.
    private(set) var lastMessageNs: UInt64?
    private(set) var frames: UInt64 = 0
    private(set) var rejected: [String: UInt64] = [:]
    /// Frames that newer ones pushed aside, of connections that are over.
    private(set) var framesDropped: UInt64 = 0
    /// The last thing worth saying that is no event of its own.
    private(set) var notice: Message?
    var local: PairedReport?
    private var frame: DisplayableFrame?

    init(endpoint: MonitorEndpoint) { self.endpoint = endpoint }

    /// What may be shown at this time on the boot clock. The session clears it in time; a picture that is drawn late must not show it
    /// all the same.
    func frame(atBootNs now: UInt64) -> DisplayableFrame? {
        frame.flatMap { now < $0.expiresAtBootNs ? $0 : nil }
    }

    /// Why nothing may be shown at this time on the boot clock.
    func emptiness(atBootNs now: UInt64) -> Emptiness { frame == nil ? emptiness : .cleared(.expired) }

    var rejectedInAll: UInt64 { rejected.values.reduce(0, +) }

    mutating func take(_ event: MonitorEvent, nowNs: UInt64) {
        switch event {
        case .connecting:
            (link, emptiness, frame, lastMessageNs, notice) = (.connecting, .waiting, nil, nil, nil)
        case .authenticated(let session):
            (link, lastMessageNs) = (.authenticated(session), nowNs)
        case .frame(let new):
            // Whatever was to be said of the stream, it is well again.
            (frame, lastMessageNs, notice) = (new, nowNs, nil)
            frames += 1
        case .rejected(let rejection):
            (frame, emptiness, lastMessageNs) = (nil, .rejected(rejection), nowNs)
            rejected[rejection.name, default: 0] += 1
        case .cleared(let reason):
            frame = nil
            // Which rule was broken says more.
            if reason != .rejected { emptiness = .cleared(reason) }
        case .notice(let message): notice = message
        case .disconnected(let end):
            (link, frame) = (.lost(end), nil)
            framesDropped += end.framesDropped
        }
    }

    /// The stream is lost, and tried again at this time on the monotonic clock.
    mutating func wait(untilNs deadline: UInt64) {
        if case .lost(let end) = link { link = .waiting(end, untilNs: deadline) }
    }
}
