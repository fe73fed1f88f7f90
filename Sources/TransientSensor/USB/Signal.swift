import CLinux
import Glibc

/// A descriptor that is readable while it is raised: how one thread tells another's `poll` that there is something to do.
final class Signal: Sendable {
    let descriptor: CInt

    init() throws(SensorError) {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else { throw .system(path: "usb", operation: "eventfd", errno: errno) }
    }

    deinit { Glibc.close(descriptor) }

    func raise() {
        var one: UInt64 = 1
        // Fails only when it is raised already, as far as a counter goes.
        _ = Glibc.write(descriptor, &one, 8)
    }

    func lower() {
        var count: UInt64 = 0
        _ = Glibc.read(descriptor, &count, 8)
    }
}
