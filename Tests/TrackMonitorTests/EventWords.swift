import NLOSCore

@testable import TrackMonitor

extension MonitorEvent {
    /// The event in a word or three, as a table can list it.
    var words: String {
        switch self {
        case .connecting: "connecting"
        case .authenticated(let session): "authenticated \(session.sessionId)"
        case .frame(let frame): "frame \(frame.sequence)"
        case .rejected(let rejection): "rejected \(rejection.name)"
        case .cleared(let reason): "cleared \(reason.rawValue)"
        case .notice: "notice"
        case .disconnected(let end): "disconnected \(end.reason.rawValue)"
        }
    }
}

/// Takes down what a stream says.
final class EventLog {
    private(set) var events: [MonitorEvent] = []

    func note(_ event: MonitorEvent) { events.append(event) }

    /// What was said since the last time.
    func take() -> [String] {
        defer { events = [] }
        return events.map(\.words)
    }
}
