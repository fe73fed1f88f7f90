import CLinux
import Glibc

/// Gives the terminal back when the program dies of something it cannot handle: a trap, an abort, Ctrl-\.
///
/// What the handler needs is put in place before it can run, because a handler may neither allocate nor wait.
enum ScreenRestoration {
    /// Shows the cursor, ends every style, and leaves the alternate screen.
    static let leave = "\u{1b}[0m\u{1b}[?25h\u{1b}[?1049l"

    private static let fatal = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGQUIT]
    // Written by `arm` and `disarm` while the handler is not installed; a program has one screen.
    private nonisolated(unsafe) static var descriptor: CInt = -1
    private nonisolated(unsafe) static var settings = termios()
    // Written once and then only read.
    private nonisolated(unsafe) static let leaveBytes: UnsafeBufferPointer<UInt8> = {
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: leave.utf8.count)
        _ = bytes.initialize(from: leave.utf8)
        return UnsafeBufferPointer(bytes)
    }()
    // Read by the handler: a lazy global must not be made there.
    private nonisolated(unsafe) static var start: UnsafePointer<UInt8>?
    private nonisolated(unsafe) static var count = 0

    static func arm(_ descriptor: CInt, _ settings: termios) {
        (Self.descriptor, Self.settings) = (descriptor, settings)
        (start, count) = (leaveBytes.baseAddress, leaveBytes.count)
        install { signal in
            _ = write(ScreenRestoration.descriptor, ScreenRestoration.start, ScreenRestoration.count)
            tcsetattr(ScreenRestoration.descriptor, TCSANOW, &ScreenRestoration.settings)
            raise(signal)
        }
    }

    static func disarm() {
        install(SIG_DFL)
        descriptor = -1
    }

    /// The handler runs once: the second time the signal has its usual effect.
    private static func install(_ handler: __sighandler_t?) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = handler
        action.sa_flags = CInt(bitPattern: UInt32(SA_RESETHAND)) | SA_NODEFER
        for signal in fatal { sigaction(signal, &action, nil) }
    }
}
