import CLinux
import Glibc

/// The board's end of a serial line: the master of a pseudo-terminal, or a tty such as a USB gadget's.
final class EmulatorLine {
    let descriptor: CInt
    /// The name the host opens.
    let pseudoTerminalName: String?
    /// Keeps the pseudo-terminal raw and alive between two hosts.
    private let slave: CInt?

    static func pseudoTerminal() throws(SystemFailure) -> EmulatorLine {
        let master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard master >= 0 else { throw SystemFailure(operation: "open a pseudo-terminal", errno: errno) }
        var name = [CChar](repeating: 0, count: 128)
        guard grantpt(master) == 0, unlockpt(master) == 0, ptsname_r(master, &name, name.count) == 0 else {
            let failure = SystemFailure(operation: "unlock a pseudo-terminal", errno: errno)
            close(master)
            throw failure
        }
        let slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard slave >= 0 else {
            let failure = SystemFailure(operation: "open a pseudo-terminal", errno: errno)
            close(master)
            throw failure
        }
        return try EmulatorLine(
            descriptor: master, name: String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self),
            slave: slave)
    }

    convenience init(tty path: String) throws(SystemFailure) {
        let descriptor = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw SystemFailure(operation: "open", errno: errno) }
        try self.init(descriptor: descriptor, name: nil, slave: nil)
    }

    /// Owns the descriptors. The line is raw from here on: its echo would answer the host.
    private init(descriptor: CInt, name: String?, slave: CInt?) throws(SystemFailure) {
        self.descriptor = descriptor
        pseudoTerminalName = name
        self.slave = slave
        var settings = termios()
        let line = slave ?? descriptor
        guard tcgetattr(line, &settings) == 0 else { throw SystemFailure(operation: "use as a tty", errno: errno) }
        cfmakeraw(&settings)
        guard tcsetattr(line, TCSANOW, &settings) == 0 else { throw SystemFailure(operation: "make raw", errno: errno) }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    deinit {
        close(descriptor)
        if let slave { close(slave) }
    }
}
