import Glibc

/// A TCP connection, or the attempt at one. Owns the descriptor. Nothing here blocks.
final class TCPSocket {
    let descriptor: CInt

    /// Begins to connect. Whether that worked shows once the socket is writable.
    init(connectingTo address: SocketAddress) throws(SystemCallFailure) {
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        descriptor = socket(address.family, kind, CInt(IPPROTO_TCP))
        guard descriptor >= 0 else { throw SystemCallFailure(operation: "socket", errno: errno) }
        // A pong or a close frame does not wait for company.
        var on: CInt = 1
        setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
        let code = address.withAddress { Glibc.connect(descriptor, $0, $1) == 0 ? 0 : errno } ?? EINVAL
        guard code == 0 || code == EINPROGRESS || code == EINTR else { throw SystemCallFailure(operation: "connect", errno: code) }
    }

    deinit { close(descriptor) }

    /// What became of the attempt, once the socket is writable: 0, or an errno.
    func connectError() -> CInt {
        var code: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 ? code : errno
    }

    enum Transfer {
        case moved(Int)
        /// Not now.
        case wouldBlock
        case failed(errno: CInt)
    }

    /// Reads once; 0 bytes are the peer's end of the stream.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count >= 0 { return .moved(count) }
            if errno == EAGAIN || errno == EWOULDBLOCK { return .wouldBlock }
            if errno != EINTR { return .failed(errno: errno) }
        }
    }

    /// Writes once. A peer that is gone is an error here and never a signal.
    func send(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        while true {
            let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
            if count >= 0 { return .moved(count) }
            if errno == EAGAIN || errno == EWOULDBLOCK { return .wouldBlock }
            if errno != EINTR { return .failed(errno: errno) }
        }
    }
}
