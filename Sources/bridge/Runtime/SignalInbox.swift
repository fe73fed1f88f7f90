import CLinux
import Glibc
import Synchronization

/// SIGINT, SIGTERM and SIGHUP as readable events, so that a run ends in its own loop and not in a handler.
///
/// Made before any thread is started: threads inherit the blocked signals. A program has one, until it ends.
final class SignalInbox {
    let descriptor: CInt
    private static let open = Atomic<CInt>(-1)

    init() throws(SystemFailure) {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        descriptor = signalfd(-1, &signals, CInt(SFD_CLOEXEC | SFD_NONBLOCK))
        guard descriptor >= 0 else { throw SystemFailure(operation: "signalfd", errno: errno) }
        Self.open.store(descriptor, ordering: .relaxed)
    }

    deinit {
        Self.open.store(-1, ordering: .relaxed)
        close(descriptor)
    }

    /// How the run ends if a signal has come.
    func received() -> ExitStatus? { Self.read(descriptor) }

    /// The descriptor of the inbox that exists; -1, which `poll` passes over, when none does.
    static var openDescriptor: CInt { open.load(ordering: .relaxed) }

    /// The same as `received` for whoever has no inbox at hand.
    static func take() -> ExitStatus? { read(openDescriptor) }

    private static func read(_ descriptor: CInt) -> ExitStatus? {
        var information = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        guard Glibc.read(descriptor, &information, size) == size else { return nil }
        return information.ssi_signo == UInt32(SIGINT) ? .interrupted : .terminated
    }
}
