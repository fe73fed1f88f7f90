import Glibc

/// The board's end of a virtual cable: the other one is in the kernel's `vhci_hcd`, which takes it for a USB port.
final class Cable {
    let descriptor: CInt

    /// Plugs in at port `port` (0...7) of the first virtual host controller. Fast: 12 Mbit/s or 480. Nil with errno set.
    init?(port: Int, megabits: Int) {
        var ends: [CInt] = [-1, -1]
        guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0 else { return nil }
        descriptor = ends[0]
        defer { close(ends[1]) }
        let speed = megabits >= 480 ? 3 : 2
        let attach = open("/sys/devices/platform/vhci_hcd.0/attach", O_WRONLY | O_CLOEXEC)
        guard attach >= 0 else { return nil }
        defer { close(attach) }
        let text = Array("\(port) \(ends[1]) \(port + 1) \(speed)\n".utf8)
        guard write(attach, text, text.count) == text.count else { return nil }
    }

    /// Closing is pulling the plug.
    deinit { close(descriptor) }

    /// Exactly `count` bytes; nil when the host has let go.
    func take(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var got = 0
        while got < count {
            let taken = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress! + got, count - got) }
            if taken > 0 {
                got += taken
            } else if taken == 0 || errno != EINTR {
                return nil
            }
        }
        return bytes
    }

    /// False when the host has let go.
    func give(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let taken = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress! + sent, bytes.count - sent, CInt(MSG_NOSIGNAL)) }
            if taken > 0 {
                sent += taken
            } else if taken == 0 || errno != EINTR {
                return false
            }
        }
        return true
    }
}
