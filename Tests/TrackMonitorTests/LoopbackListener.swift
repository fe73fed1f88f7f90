import Glibc

/// A TCP port on this machine that does nothing by itself.
final class LoopbackListener {
    let descriptor: CInt
    let port: UInt16

    /// `backlog` nil: bound and not listening, so that whoever comes is refused.
    init(backlog: CInt? = 8) throws {
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let bound = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard bound, backlog.map({ listen(descriptor, $0) == 0 }) ?? true else { throw Missing("a port: errno \(errno)") }
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }

    /// The next connection; blocks until there is one.
    func accepted() -> CInt { accept(descriptor, nil, nil) }
}
