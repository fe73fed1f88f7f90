internal import CUMockdev
internal import Glibc

/// The udev monitors that are open on the bus, in all processes: each is a datagram socket `event*` in the testbed's folder.
///
/// Such a socket holds ten messages, and umockdev ends the process when one is full. The kernel would let the slow listener miss the
/// message; so does this, after having given it time to read.
struct Listeners {
    let root: String

    /// Calls `announce` once every listener has room, or does not see it.
    func withRoom(_ announce: () -> Void) {
        let full = names().filter { !waitForRoom($0) }
        for name in full { rename("\(root)/\(name)", "\(root)/full-\(name)") }
        announce()
        for name in full { rename("\(root)/full-\(name)", "\(root)/\(name)") }
    }

    private func names() -> [String] {
        guard let folder = opendir(root) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasPrefix("event") { names.append(name) }
        }
        return names
    }

    /// False: it has not read for two seconds.
    private func waitForRoom(_ name: String) -> Bool {
        let probe = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(probe) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: "\(root)/\(name)".utf8.prefix($0.count - 1)) }
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(probe, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        // A listener that is gone takes no room; umockdev clears its file away.
        guard connected == 0 else { return true }
        var room = pollfd(fd: probe, events: Int16(POLLOUT), revents: 0)
        return poll(&room, 1, 2000) == 1
    }
}
