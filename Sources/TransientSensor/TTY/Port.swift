import CLinux
import Glibc

/// An open tty that nobody else uses. Owns the descriptor.
final class Port {
    let descriptor: CInt
    private let path: String
    private let node: String
    private var isOpen = true
    private var isExclusive = false

    init(opening node: String, path: String) throws(SensorError) {
        var facts = stat()
        // Only a character device is opened at all: opening a pipe or a file can disturb whoever uses it.
        if stat(node, &facts) == 0, facts.st_mode & S_IFMT != S_IFCHR { throw .noSerialInterface(path: path) }
        descriptor = CInt(retrying { Int(open(node, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)) })
        self.path = path
        self.node = node
        guard descriptor >= 0 else {
            isOpen = false
            throw Self.failure(errno, operation: "open", path: path, node: node)
        }
        guard isatty(descriptor) == 1 else { throw .noSerialInterface(path: path) }
        try claim()
    }

    deinit { close() }

    func settings() throws(SensorError) -> LineSettings {
        guard let settings = LineSettings.current(of: descriptor) else { throw failed("TCGETS2") }
        return settings
    }

    func apply(_ settings: LineSettings) throws(SensorError) {
        guard settings.apply(to: descriptor) else { throw failed("TCSETS2") }
    }

    /// Drops DTR and RTS. False for a port without such lines (a pseudo-terminal), which has nobody behind it who waits for them.
    @discardableResult
    func dropModemLines() -> Bool { nlos_tty_set_modem_lines(descriptor, 0) == 0 }

    /// Drops DTR and RTS and raises them again.
    func pulseModemLines() { if dropModemLines() { _ = nlos_tty_set_modem_lines(descriptor, 1) } }

    /// Lets others open the port again. Idempotent.
    func close() {
        guard isOpen else { return }
        isOpen = false
        if isExclusive { _ = nlos_tty_set_exclusive(descriptor, 0) }
        _ = Glibc.close(descriptor)
    }

    /// Whether there is hardware behind the port, as far as the kernel's numbering says (its `devices.txt`).
    ///
    /// Asks for the real tty, so that `/dev/tty` and `/dev/console` count as what is behind them.
    func hasDevice() throws(SensorError) -> Bool {
        var major: CUnsignedInt = 0
        var minor: CUnsignedInt = 0
        guard nlos_tty_device(descriptor, &major, &minor) == 0 else { throw failed("TIOCGDEV") }
        return Self.hasDevice(major, minor)
    }

    static func hasDevice(_ major: CUnsignedInt, _ minor: CUnsignedInt) -> Bool {
        let isVirtualConsole = major == 4 && minor < 64
        return !isPseudoTerminal(major) && !isVirtualConsole
    }

    /// Both kinds and both ends.
    static func isPseudoTerminal(_ major: CUnsignedInt) -> Bool { (128...143).contains(major) || (2...3).contains(major) }

    /// Makes the port this program's own, or finds that it is another's.
    ///
    /// A lock on the file is what other serial programs look for, and the kernel drops it with its holder. Exclusive mode keeps those
    /// out that do not look (modem daemons), but on a pseudo-terminal it outlives a killed holder for as long as the emulator runs: not set there.
    private func claim() throws(SensorError) {
        var exclusive: CInt = 0
        // A privileged process can open a port that another has in exclusive mode: ask.
        guard nlos_tty_get_exclusive(descriptor, &exclusive) == 0 else { throw failed("TIOCGEXCL") }
        guard exclusive == 0 else { throw .busy(path: path, node: node) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw errno == EWOULDBLOCK ? .busy(path: path, node: node) : failed("flock")
        }
        guard try hasDevice() else { return }
        guard nlos_tty_set_exclusive(descriptor, 1) == 0 else { throw failed("TIOCEXCL") }
        isExclusive = true
    }

    /// What the kernel's refusal to open or to show a node means.
    static func failure(_ code: CInt, operation: String, path: String, node: String) -> SensorError {
        switch code {
        case EBUSY: .busy(path: path, node: node)
        case EACCES, EPERM: .denied(path: path, node: node)
        case ENOENT, ENOTDIR, ENXIO, ENODEV: .notFound(selector: path)
        default: .system(path: path, operation: operation, errno: code)
        }
    }

    private func failed(_ operation: String) -> SensorError { .system(path: path, operation: operation, errno: errno) }
}
