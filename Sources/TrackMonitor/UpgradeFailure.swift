import NLOSCore

/// Why the server's answer to the upgrade does not make a WebSocket.
enum UpgradeFailure: Error, Equatable {
    case unauthorized
    case forbidden
    /// A redirect, which is never followed; the `Location` as it came.
    case redirect(status: Int, location: [UInt8]?)
    /// Any other status, with what came after the head so far, as it came.
    case status(Int, body: [UInt8])
    case headTooLarge
    /// Not HTTP, or not as RFC 9112 wants it: what is wrong.
    case malformed(String)
    /// `101`, and yet not the right answer: the header at fault and what it should be.
    case wrongHeader(name: String, needed: String)
    /// The server ended the connection instead of answering: an errno, or 0.
    case closed(errno: CInt)

    var reason: Disconnection.Reason {
        switch self {
        case .unauthorized: .unauthorized
        case .forbidden: .forbidden
        case .redirect: .redirectRefused
        case .status, .headTooLarge, .malformed, .wrongHeader, .closed: .handshake
        }
    }
}
