import Glibc
public import NLOSCore

/// A sensor on a tty: for boards whose chip has only a kernel driver, and for the emulated board.
///
/// The port is raw from the first instant, at the sensor's own rate, and nobody else's: a program that holds it is found and
/// named by `busy`, never disturbed. What came before the rate was set is thrown away; it was read at another one.
///
/// Opening raises DTR, as the kernel does for every tty. Where the board wants `ModemLines.raised`, it is dropped and raised once more, so
/// that an auto-reset circuit acts whoever had the port before. It is left alone from there on, and dropped at the close;
/// for every other board closing does not drop it.
public final class TTYLink: ByteSource {
    /// `live` for a port. A pseudo-terminal or a virtual console has a program or a person at its other end and no sensor, so what
    /// comes from there is `synthetic`: the kernel says which it is, whatever name the node has, so an emulator can never be captured as live.
    public let origin: FrameSource
    public let path: String
    public var readiness: CInt { state == .open || state == .unplugged ? port.descriptor : -1 }
    /// Always 0: what the board's chip or the kernel's tty layer drops is not told to this side. The decoder meets the holes.
    public let bytesLost: UInt64 = 0

    /// Bytes that one `drain` hands over at most.
    private static let readSize = 65_536
    /// How long `send` waits for the port to take everything, nanoseconds. 26 bytes at 9600 baud need 30 ms.
    private static let sendLimitNs: UInt64 = 2_000_000_000

    private let node: String
    private let coding: LineCoding
    private let modemLines: ModemLines
    private let clocks: Clocks
    private var port: Port
    private let before: LineSettings
    private let buffer: UnsafeMutableRawBufferPointer
    private var state = State.open
    /// The port was opened again since the last byte.
    private var hasHole = false

    private enum State: Equatable {
        case open, unplugged, closed
        /// It could not be opened again.
        case failed(SensorError)
    }

    /// Opens the tty at `path` (a symbolic link is followed, and `path` then names its target: links of udev hold serial numbers).
    ///
    /// Throws `notFound` (of `path`), `denied`, `busy` (open elsewhere, and claimed there), `noSerialInterface` (not a tty),
    /// `rateRefused` (more than 2 % off), or `system`.
    public init(
        path node: String, coding: LineCoding, modemLines: ModemLines = .untouched, clocks: Clocks
    ) throws(SensorError) {
        let node = Self.resolved(node)
        let path = "tty:\(node)"
        let port = try Port(opening: node, path: path)
        before = try port.settings()
        try Self.prepare(port, path, coding, modemLines, before: before)
        origin = try Self.origin(of: port)
        self.node = node
        self.path = path
        self.coding = coding
        self.modemLines = modemLines
        self.clocks = clocks
        self.port = port
        buffer = .allocate(byteCount: Self.readSize, alignment: 16)
    }

    private static func prepare(
        _ port: Port, _ path: String, _ coding: LineCoding, _ modemLines: ModemLines, before: LineSettings
    ) throws(SensorError) {
        try port.apply(LineSettings(raw: coding))
        let taken = try port.settings()
        let rate = taken.rate(against: coding.baud)
        guard coding.tolerates(rate) else {
            try port.apply(before.forHandingBack)
            throw .rateRefused(path: path, asked: coding.baud, got: rate)
        }
        tcflush(port.descriptor, TCIFLUSH)
        if modemLines == .raised { port.pulseModemLines() }
    }

    private static func origin(of port: Port) throws(SensorError) -> FrameSource { try port.hasDevice() ? .live : .synthetic }

    deinit {
        close()
        buffer.deallocate()
    }

    /// One read. `poll` reports a hang-up without being asked for it, and a drain then throws `unplugged`, now and ever after.
    public func drain(_ body: (UnsafeRawBufferPointer, Arrival) -> Void) throws(SensorError) -> Drained {
        try checkOpen()
        let count = retrying { read(readiness, buffer.baseAddress, buffer.count) }
        if count > 0 {
            if hasHole { body(UnsafeRawBufferPointer(start: nil, count: 0), .now(clocks)) }
            hasHole = false
            body(UnsafeRawBufferPointer(rebasing: buffer[..<count]), .now(clocks))
            return .more
        }
        let failure = errno
        if count < 0, failure == EAGAIN { return .idle }
        throw ended(count == 0 ? EIO : failure, operation: "read")
    }

    /// Waits at most two seconds for the port to take everything; `system` with `ETIMEDOUT` after that, and what it had not sent is dropped.
    public func send(_ bytes: [UInt8]) throws(SensorError) {
        try checkOpen()
        let limit = clocks.monotonicNs() + Self.sendLimitNs
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { all in retrying { write(readiness, all.baseAddress! + sent, all.count - sent) } }
            if count > 0 {
                sent += count
            } else if count < 0, errno != EAGAIN {
                throw ended(errno, operation: "write")
            } else if !waitUntilWritable(limit) {
                tcflush(readiness, TCOFLUSH)
                throw .system(path: path, operation: "write", errno: ETIMEDOUT)
            }
        }
    }

    /// A port that has become one of another origin is `unplugged`: what a program says there is no more of the same sensor.
    public func revive() throws(SensorError) -> Bool {
        try checkOpen()
        close()
        do throws(SensorError) {
            let again = try Port(opening: node, path: path)
            guard try Self.origin(of: again) == origin else { throw .unplugged(path: path) }
            try Self.prepare(again, path, coding, modemLines, before: before)
            port = again
        } catch {
            state = .failed(error)
            throw error
        }
        hasHole = true
        state = .open
        return true
    }

    /// Gives the port its former settings back (but for echo and hang-up on close) and lets others open it.
    public func close() {
        let wasOpen = state == .open || state == .unplugged
        state = .closed
        guard wasOpen else { return }
        if modemLines == .raised { port.dropModemLines() }
        try? port.apply(before.forHandingBack)  // fails when the device is gone, and then nobody needs them
        port.close()
    }

    private func checkOpen() throws(SensorError) {
        switch state {
        case .open: break
        case .unplugged, .closed: throw .unplugged(path: path)
        case .failed(let error): throw error
        }
    }

    private func waitUntilWritable(_ limitNs: UInt64) -> Bool {
        var request = pollfd(fd: readiness, events: Int16(POLLOUT), revents: 0)
        let milliseconds = interval(from: clocks.monotonicNs(), to: limitNs) / 1_000_000
        return retrying { Int(poll(&request, 1, CInt(milliseconds))) } > 0
    }

    /// The one place that knows what a device that went away looks like.
    private func ended(_ code: CInt, operation: String) -> SensorError {
        guard [EIO, ENXIO, ENODEV].contains(code) else { return .system(path: path, operation: operation, errno: code) }
        state = .unplugged
        return .unplugged(path: path)
    }

    /// The path with symbolic links followed; as it is where nothing is.
    static func resolved(_ path: String) -> String {
        guard let target = realpath(path, nil) else { return path }
        defer { free(target) }
        return String(cString: target)
    }
}

/// Repeats a system call that a signal interrupted.
func retrying(_ call: () -> Int) -> Int {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}
