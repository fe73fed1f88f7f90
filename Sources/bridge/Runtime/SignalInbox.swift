import CLinux
import Glibc

/// SIGINT, SIGTERM and SIGHUP as readable events, so that a run ends in its own loop and not in a handler.
///
/// Made before any thread is started: threads inherit the blocked signals.
final class SignalInbox {
    let descriptor: CInt

    init() throws(SystemFailure) {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        descriptor = signalfd(-1, &signals, CInt(SFD_CLOEXEC | SFD_NONBLOCK))
        guard descriptor >= 0 else { throw SystemFailure(operation: "signalfd", errno: errno) }
    }

    deinit { close(descriptor) }

    /// How the run ends if a signal has come.
    func received() -> ExitStatus? {
        var information = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        guard read(descriptor, &information, size) == size else { return nil }
        return information.ssi_signo == UInt32(SIGINT) ? .interrupted : .terminated
    }
}
