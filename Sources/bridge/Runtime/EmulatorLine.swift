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
        var master: CInt = -1
        var slave: CInt = -1
        guard openpty(&master, &slave, nil, nil, nil) == 0 else {
            throw SystemFailure(operation: "open a pseudo-terminal", errno: errno)
        }
        let name = ttyname(slave).map { String(cString: $0) }
        return try EmulatorLine(descriptor: master, name: name, slave: slave)
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
        for open in [descriptor, line] { _ = fcntl(open, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    deinit {
        close(descriptor)
        if let slave { close(slave) }
    }
}
