import Glibc
import NLOSCore

/// Why a connection ends: the facts. What people read is in `SessionEnd+Message.swift`.
enum SessionEnd: Error, Equatable {
    /// The owner asked for it.
    case stopped
    case system(SystemCallFailure)
    case nameNotFound(code: CInt, errno: CInt)
    /// No answer about the name in time.
    case nameTimeout
    /// No address could be reached; the last one that was tried, and why. `ETIMEDOUT` where it did not answer.
    case unreachable(address: String, errno: CInt, addresses: Int)
    case tls(TLSFailure)
    case tlsTimeout
    /// TLS failed after the handshake: something on the way, or the server, damaged the stream. It refused nothing.
    case damaged(TLSFailure)
    case upgrade(UpgradeFailure)
    case upgradeTimeout
    /// The connection broke: an errno, or 0 for an end without a close frame.
    case lost(errno: CInt)
    /// The server broke the rules of the WebSocket protocol.
    case webSocket(WebSocketBreach)
    case authenticationTimeout
    /// The first message is not an authenticated message.
    case firstMessage(Rejection)
    case authenticatedTwice
    /// Nothing came for the idle limit, seconds.
    case idle(seconds: Double)
    case sessionExpired
    /// The server's close frame: its code if it had one, and its reason.
    case serverClosed(code: UInt16?, reason: [UInt8])
}

extension SessionEnd {
    /// The name of this end in the events.
    var reason: Disconnection.Reason {
        switch self {
        case .stopped: .closedByUser
        case .system, .nameNotFound, .nameTimeout, .unreachable, .damaged, .lost: .network
        case .tls, .tlsTimeout: .tls
        case .upgrade(let failure): failure.reason
        case .upgradeTimeout: .handshake
        case .webSocket, .firstMessage, .authenticatedTwice: .protocol
        case .authenticationTimeout: .authenticationTimeout
        case .idle: .idle
        case .sessionExpired: .sessionExpired
        case .serverClosed: .serverClosed
        }
    }

    /// Whether another attempt may end differently; nil where the reason says it. A handshake that was cut off or took too long
    /// refused nothing.
    var mayPass: Bool? {
        switch self {
        case .tlsTimeout, .tls(.closed): true
        default: nil
        }
    }

    /// Why the display is cleared, when this end finds something there.
    var clearReason: ClearReason {
        switch self {
        case .stopped, .serverClosed: .closed
        case .sessionExpired: .sessionExpired
        default: .error
        }
    }

    /// The code that the server is told when the connection is still good enough to say so; nil when there is nothing to say.
    var closeCode: UInt16? {
        switch self {
        case .stopped, .sessionExpired: 1000
        case .webSocket(let breach): breach.closeCode
        case .firstMessage, .authenticatedTwice, .authenticationTimeout: 1008
        default: nil
        }
    }
}
