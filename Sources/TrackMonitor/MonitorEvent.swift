public import NLOSCore

/// What a monitor session tells its owner, in the order it happened.
public enum MonitorEvent: Sendable {
    /// The connection is being made.
    case connecting(MonitorEndpoint)
    case authenticated(AuthenticatedSession)
    /// The frame replaces whatever was on display.
    case frame(DisplayableFrame)
    /// A message that may not be shown. `cleared` follows if something was on display.
    case rejected(Rejection)
    /// Something was on display and may not be any more.
    case cleared(ClearReason)
    /// Worth saying, and no event of its own: clocks that disagree, a stream that stays silent.
    case notice(Message)
    /// The connection is over; nothing follows.
    case disconnected(Disconnection)
}

/// Why the display is empty. The raw value is the name in JSON.
public enum ClearReason: String, CaseIterable, Sendable {
    case rejected, expired
    case clockStep = "clock_step"
    case sessionExpired = "session_expired"
    case closed, error
}

/// How a connection ended.
public struct Disconnection: Equatable, Sendable {
    /// The raw value is the name in JSON.
    public enum Reason: String, CaseIterable, Sendable {
        case serverClosed = "server_closed"
        case closedByUser = "closed_by_user"
        case sessionExpired = "session_expired"
        case authenticationTimeout = "authentication_timeout"
        case unauthorized, forbidden
        case redirectRefused = "redirect_refused"
        case tls, handshake, `protocol`, idle, network
    }

    public let reason: Reason
    /// For people; without secrets, and with what the server said escaped.
    public let detail: Message
    /// The code of the server's close frame, where one came with a code.
    public let closeCode: UInt16?
    /// Frames that were valid and that the owner never saw: before it looked, newer ones came or the display was cleared.
    public let framesDropped: UInt64
    /// Whether the same attempt made again may end differently. What a certificate, a token or a redirect is refused for does not go
    /// away by itself.
    public let mayPass: Bool

    /// `mayPass` is what the reason says by itself when it is left out.
    public init(reason: Reason, detail: Message, closeCode: UInt16? = nil, framesDropped: UInt64 = 0, mayPass: Bool? = nil) {
        self.reason = reason
        self.detail = detail
        self.closeCode = closeCode
        self.framesDropped = framesDropped
        self.mayPass = mayPass ?? reason.mayPass
    }
}

extension Disconnection.Reason {
    fileprivate var mayPass: Bool {
        switch self {
        case .tls, .unauthorized, .forbidden, .redirectRefused, .closedByUser: false
        case .serverClosed, .sessionExpired, .authenticationTimeout, .handshake, .protocol, .idle, .network: true
        }
    }
}
