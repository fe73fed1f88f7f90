import CLinux
import Foundation

/// A pseudo-terminal that the test holds at one end: a screen for the program, or a serial line for a board.
final class Terminal {
    /// The end that a screen or a board would be at.
    private(set) var near: CInt
    /// The end that a program is given. Kept open, so that nothing hangs up and the settings can be looked at.
    let far: CInt
    /// The node to open, as in `/dev/pts/3`.
    let node: String

    /// `columns` of 0 is a serial console that does not know its size.
    init(columns: UInt16 = 80, rows: UInt16 = 24) throws {
        var name = [CChar](repeating: 0, count: 64)
        var ends: (near: CInt, far: CInt) = (-1, -1)
        try privateDescriptors.withLock { _ in
            guard openpty(&ends.near, &ends.far, &name, nil, nil) == 0 else { throw POSIXError(.EMFILE) }
            for end in [ends.near, ends.far] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        }
        (near, far) = ends
        _ = fcntl(near, F_SETFL, O_RDWR | O_NONBLOCK)
        node = name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(far, UInt(TIOCSWINSZ), &size)
    }

    deinit {
        hangUp()
        close(far)
    }

    /// Pulls the plug.
    func hangUp() {
        guard near >= 0 else { return }
        close(near)
        near = -1
    }

    func write(_ text: String) { write(Array(text.utf8)) }

    /// Gives up when the far end takes nothing for five seconds.
    func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        var request = pollfd(fd: near, events: Int16(POLLOUT), revents: 0)
        while !rest.isEmpty, poll(&request, 1, 5_000) > 0 {
            let count = rest.withUnsafeBytes { Foundation.write(near, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EAGAIN else { return }
            rest = rest.dropFirst(max(0, count))
        }
    }

    /// Everything that was written to the far end, waiting for no more than it takes to be empty.
    func shown() -> String {
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var request = pollfd(fd: near, events: Int16(POLLIN), revents: 0)
        while poll(&request, 1, 0) > 0 {
            let count = read(near, &buffer, buffer.count)
            guard count > 0 else { break }
            text += buffer[..<count]
        }
        return String(decoding: text, as: UTF8.self)
    }
}
