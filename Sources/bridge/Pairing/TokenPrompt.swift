import CLinux
import Glibc
import NLOSCore
import TrackMonitor

/// A question at the terminal, the answer to which is not shown.
///
/// The terminal is as it was before when this is gone, whatever ended the wait; a `SignalInbox` must be open.
struct TokenPrompt: ~Copyable {
    /// In place of a key's code (`_POSIX_VDISABLE`).
    private static let noKey: UInt8 = 0

    private let terminal: CInt
    private let before: termios
    private let handlers: [(signal: CInt, action: sigaction)]

    /// Nil when there is no terminal to ask at.
    init?() {
        var terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        // A terminal that is not the controlling one, as in some containers.
        if terminal < 0, isatty(STDIN_FILENO) == 1 { terminal = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) }
        var settings = termios()
        guard terminal >= 0 else { return nil }
        guard tcgetattr(terminal, &settings) == 0 else {
            close(terminal)
            return nil
        }
        self.terminal = terminal
        before = settings
        // These end or stop the program where it cannot put the terminal back.
        handlers = [SIGQUIT, SIGTSTP].map { signal in
            var ignoring = sigaction()
            var before = sigaction()
            ignoring.__sigaction_handler.sa_handler = SIG_IGN
            sigaction(signal, &ignoring, &before)
            return (signal, before)
        }
        settings.c_lflag &= ~tcflag_t(ECHO)
        settings.c_lflag |= tcflag_t(ECHONL | ICANON)
        withUnsafeMutableBytes(of: &settings.c_cc) { keys in
            for key in [VQUIT, VSUSP] { keys[Int(key)] = Self.noKey }
        }
        apply(settings)
    }

    /// What was typed too much goes nowhere: it may be the rest of a token, and the shell would show it.
    deinit {
        apply(before)
        for (signal, action) in handlers { withUnsafePointer(to: action) { _ = sigaction(signal, $0, nil) } }
        close(terminal)
    }

    /// Asks once, and reads a line.
    borrowing func ask(_ question: String) throws -> PairingToken {
        write(question)
        var answered = false
        // The cursor stands behind the question until a line feed is typed, which is shown.
        defer { if !answered { write("\n") } }
        var intake = try TokenIntake()
        repeat {
            try SignalInbox.wait(for: terminal, POLLIN, to: "read")
        } while try intake.read(from: terminal) && !intake.endsWithLineFeed
        answered = intake.endsWithLineFeed
        return try intake.token()
    }

    private func apply(_ settings: termios) {
        var settings = settings
        while tcsetattr(terminal, TCSAFLUSH, &settings) != 0, errno == EINTR {}
    }

    private func write(_ text: String) {
        _ = Array(text.utf8).withUnsafeBytes { Glibc.write(terminal, $0.baseAddress, $0.count) }
    }
}
