import CLinux
import Glibc

/// A descriptor that is readable while it is raised: how one thread tells another's `poll` that there is something to do.
final class Wakeup: Sendable {
    let descriptor: CInt

    init() throws(SystemCallFailure) {
        descriptor = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else { throw SystemCallFailure(operation: "eventfd", errno: errno) }
    }

    deinit { close(descriptor) }

    func raise() {
        var one: UInt64 = 1
        // Fails only when it is raised already, as far as a counter goes.
        _ = write(descriptor, &one, 8)
    }

    func lower() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
    }
}
