import CLinux
import Glibc
import NLOSCore
import Synchronization

/// One of the two text streams, and what the thing behind it can show.
struct Terminal: Sendable {
    /// How long a write waits for a reader that does not read.
    enum Patience {
        /// A result: as long as it takes, or until a signal ends the run.
        case untilSignal
        /// A message: half a second the first time, no more after that. Nothing that runs may hang on words for people.
        case moment
    }

    let descriptor: CInt
    let isTerminal: Bool
    /// It understands no cursor movement.
    let isDumb: Bool
    let colour: Bool

    static let output = Terminal(descriptor: STDOUT_FILENO)
    static let messages = Terminal(descriptor: STDERR_FILENO)

    /// A pipe that polls writable takes this many bytes without blocking.
    private static let piece = 4096
    private static let momentMs: CInt = 500
    private static let messagesStuck = Atomic(false)
    /// Messages to a terminal go through a description of our own, which does not block: a terminal may poll writable for one byte and
    /// then hang on a line feed, for which it wants two. Open as long as the program.
    private static let unblockedMessages: CInt = {
        let own = Glibc.open("/proc/self/fd/\(STDERR_FILENO)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        return own >= 0 ? own : STDERR_FILENO
    }()

    /// Cells in a line, asked anew: a window may change its size at any time. At least 1.
    var width: Int {
        var size = winsize()
        let asked = isTerminal && ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 ? Int(size.ws_col) : 0
        let environment = getenv("COLUMNS").flatMap { Int(String(cString: $0)) } ?? 0
        let columns = asked > 0 ? asked : environment > 0 ? environment : 80
        return min(columns, 200)
    }

    /// Whether characters beyond ASCII come out as what they are, as far as the environment says.
    static let speaksUTF8: Bool = {
        let names = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { (name: String) in getenv(name).map { String(cString: $0) } }
        let set = names.first { !$0.isEmpty }?.lowercased() ?? ""
        return set.contains("utf-8") || set.contains("utf8")
    }()

    /// Cells that a help text takes: long lines are hard to read, and a very narrow screen is better served by its own wrapping.
    var helpWidth: Int { max(60, min(width, 78)) }

    /// Writes the text and a line feed, as far as somebody reads it soon.
    func line(_ text: String = "") {
        try? write(Array("\(text)\n".utf8), .moment)
    }

    /// Writes a line of a result. Throws when nobody takes it.
    func print(_ text: String) throws(SystemFailure) {
        try write(Array("\(text)\n".utf8))
    }

    /// Writes all bytes. Throws the errno of what went wrong, `EINTR` with the status for a signal, `ETIMEDOUT` for lost patience.
    func write(_ bytes: [UInt8], _ patience: Patience = .untilSignal) throws(SystemFailure) {
        var rest = bytes[...]
        let isHurried = patience == .moment && isTerminal && self.descriptor == STDERR_FILENO
        let descriptor = isHurried ? Self.unblockedMessages : self.descriptor
        while !rest.isEmpty {
            try waitForReader(patience)
            let written = rest.prefix(Self.piece).withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if isHurried, errno == EAGAIN {
                // It polls writable and takes nothing: polling again would not wait.
                Self.messagesStuck.store(true, ordering: .relaxed)
                throw SystemFailure(operation: "write", errno: ETIMEDOUT)
            } else if errno != EINTR, errno != EAGAIN {
                throw SystemFailure(operation: "write", errno: errno)
            }
        }
    }

    private func waitForReader(_ patience: Patience) throws(SystemFailure) {
        switch patience {
        case .untilSignal: try SignalInbox.wait(for: descriptor, POLLOUT, to: "write")
        case .moment:
            var waited = [pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)]
            let limit = Self.messagesStuck.load(ordering: .relaxed) ? 0 : Self.momentMs
            let ready = poll(&waited, 1, limit) != 0
            Self.messagesStuck.store(!ready, ordering: .relaxed)
            guard ready else { throw SystemFailure(operation: "write", errno: ETIMEDOUT) }
        }
    }

    func styled(_ text: String, _ style: Style) -> String {
        colour ? "\u{1b}[\(style.rawValue)m\(text)\u{1b}[0m" : text
    }

    enum Style: Int {
        case bold = 1
        case red = 31
        case green = 32
        case yellow = 33
    }
}

extension Terminal {
    /// Finds out what is behind the descriptor.
    init(descriptor: CInt) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1
        isDumb = getenv("TERM").map { strcmp($0, "dumb") == 0 } ?? true
        let refused = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
        colour = isTerminal && !isDumb && !refused
    }
}

/// Text that a terminal does not act on, whatever names of files and devices are in it: control characters become `\\xNN`.
func harmless(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return text }
    return text.unicodeScalars.reduce(into: "") { safe, scalar in
        if scalar.properties.generalCategory == .control {
            safe += escaped([UInt8(scalar.value)])
        } else {
            safe.unicodeScalars.append(scalar)
        }
    }
}

/// Prints a message for people on standard error, wrapped to the terminal.
func say(_ message: Message, prefix: String = "nlos-bridge: ") {
    let terminal = Terminal.messages
    for line in wrapped(prefix + harmless(message.text), width: terminal.isTerminal ? terminal.width : 10_000) { terminal.line(line) }
    // Not wrapped: a command is copied as it stands.
    for (index, next) in (message.next ?? "").split(separator: "\n").enumerated() {
        terminal.line("\(index == 0 ? "  next: " : "    or: ")\(harmless(String(next)))")
    }
}
