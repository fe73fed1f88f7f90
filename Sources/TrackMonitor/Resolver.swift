import Glibc
import Synchronization

/// The search for a name's addresses, on a thread of its own: the C library's search can neither be waited for among other things nor
/// called off. Whoever loses interest lets go of it; the thread ends by itself, within the system resolver's own limits.
final class Resolver: Sendable {
    enum Outcome: Sendable {
        case found([SocketAddress])
        /// What `getaddrinfo` returned, and `errno` where it points there.
        case failed(code: CInt, errno: CInt)
    }

    private let host: String
    private let port: UInt16
    private let result = Mutex<Outcome?>(nil)
    private let done: Wakeup

    /// Starts at once.
    init(host: String, port: UInt16) throws(SystemCallFailure) {
        self.host = host
        self.port = port
        done = try Wakeup()
        try startThread(detached: true) { self.search() }
    }

    /// Readable once there is an outcome.
    var descriptor: CInt { done.descriptor }
    var outcome: Outcome? { result.withLock { $0 } }

    private func search() {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        hints.ai_protocol = CInt(IPPROTO_TCP)
        hints.ai_flags = AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &list)
        let error = errno
        defer { if let list { freeaddrinfo(list) } }
        result.withLock { $0 = code == 0 ? .found(SocketAddress.all(in: list)) : .failed(code: code, errno: error) }
        done.raise()
    }
}
