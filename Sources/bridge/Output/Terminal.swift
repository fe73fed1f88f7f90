import CLinux
import Glibc
import NLOSCore

/// One of the two text streams, and what the thing behind it can show.
struct Terminal: Sendable {
    let descriptor: CInt
    let isTerminal: Bool
    /// Cells in a line, 20 or more.
    let width: Int
    let colour: Bool

    /// Cells that a help text takes: long lines are hard to read, and a very narrow screen is better served by its own wrapping.
    var helpWidth: Int { max(60, min(width, 78)) }

    static let output = Terminal(descriptor: STDOUT_FILENO)
    static let messages = Terminal(descriptor: STDERR_FILENO)

    /// Writes the text and a line feed. A stream that cannot take it is no reason to fail: nobody is reading.
    func line(_ text: String = "") {
        var bytes = Array(text.utf8)
        bytes.append(UInt8(ascii: "\n"))
        _ = try? write(bytes)
    }

    /// Writes a line of a result. Throws when nobody takes it.
    func print(_ text: String) throws(SystemFailure) {
        try write(Array("\(text)\n".utf8))
    }

    /// Writes all bytes, waiting for the reader where it must. Throws the errno of what went wrong.
    func write(_ bytes: [UInt8]) throws(SystemFailure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if errno == EAGAIN {
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&waiting, 1, -1)
            } else if errno != EINTR {
                throw SystemFailure(operation: "write", errno: errno)
            }
        }
    }

    func styled(_ text: String, _ style: Style) -> String {
        colour ? "\u{1b}[\(style.rawValue)m\(text)\u{1b}[0m" : text
    }

    enum Style: Int {
        case bold = 1
        case faint = 2
        case red = 31
        case green = 32
        case yellow = 33
    }
}

extension Terminal {
    /// Finds out what is behind the descriptor.
    fileprivate init(descriptor: CInt) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1
        var size = winsize()
        let asked = isTerminal && ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 ? Int(size.ws_col) : 0
        let environment = getenv("COLUMNS").flatMap { Int(String(cString: $0)) } ?? 0
        let columns = asked > 0 ? asked : environment > 0 ? environment : 80
        width = max(20, min(columns, 200))
        let dumb = getenv("TERM").map { strcmp($0, "dumb") == 0 } ?? true
        let refused = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
        colour = isTerminal && !dumb && !refused
    }
}

/// A system call that failed.
struct SystemFailure: Error, Equatable {
    let operation: String
    let errno: CInt

    var reason: String { String(cString: strerror(errno)) }
    var exists: Bool { errno == EEXIST }
    var denied: Bool { errno == EACCES || errno == EPERM }
    /// Nobody reads what is written: the pipe's other end is closed, or standard output was never open.
    var readerGone: Bool { errno == EPIPE || errno == EBADF }
}

/// Prints a message for people on standard error, wrapped to the terminal.
func say(_ message: Message, prefix: String = "nlos-bridge: ") {
    let terminal = Terminal.messages
    for line in wrapped(prefix + message.text, width: terminal.isTerminal ? terminal.width : 10_000) { terminal.line(line) }
    // Not wrapped: a command is copied as it stands.
    for (index, next) in (message.next ?? "").split(separator: "\n").enumerated() {
        terminal.line("\(index == 0 ? "  next: " : "    or: ")\(next)")
    }
}
