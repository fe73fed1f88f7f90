internal import CUMockdev
internal import Glibc

/// What stands for a device node: the slave of a pseudo-terminal. Its file descriptors can be polled, and this side decides what
/// `poll` says: flow control off means nothing to fetch, on means fetch (POLLOUT, as usbfs has it), hang-up means unplugged
/// (POLLERR and POLLHUP for everybody who has it open). So a host that waits in `poll` really waits.
final class Node: @unchecked Sendable {
    // Both descriptors are opened in init and closed once under the owner's lock; the kernel orders the rest.
    private var master: Int32 = -1
    private var slave: Int32 = -1
    let path: String

    init() throws {
        var name = [CChar](repeating: 0, count: 128)
        guard openpty(&master, &slave, &name, nil, nil) == 0 else { throw BusFailure("openpty: errno \(errno)") }
        path = name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        for descriptor in [master, slave] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var settings = termios()
        _ = tcgetattr(slave, &settings)
        cfmakeraw(&settings)
        _ = tcsetattr(slave, TCSANOW, &settings)
        setReady(false)
        setMode(0o666)
    }

    func setReady(_ ready: Bool) {
        guard slave >= 0 else { return }
        // glibc's own call inside tcflow is not intercepted by the preload library.
        _ = tcflow(slave, ready ? TCOON : TCOOFF)
    }

    /// Permission bits of the node.
    func setMode(_ mode: UInt32) {
        guard slave >= 0 else { return }
        _ = fchmod(slave, mode)
    }

    func hangUp() {
        guard master >= 0 else { return }
        close(master)
        close(slave)
        master = -1
        slave = -1
    }

    deinit { hangUp() }
}

/// The emulation itself could not be set up.
public struct BusFailure: Error, CustomStringConvertible {
    public let description: String
    init(_ description: String) { self.description = description }
}
