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

    /// Waits until the descriptor is ready, for ever if it must. Throws `EINTR` with the status when a signal comes first; without
    /// an inbox a signal ends the program by itself.
    static func wait(for descriptor: CInt, _ events: Int32, to operation: String) throws(SystemFailure) {
        let inbox = open.load(ordering: .relaxed)
        // A descriptor of -1 is one that `poll` passes over.
        var waited = [pollfd(fd: descriptor, events: Int16(events), revents: 0), pollfd(fd: inbox, events: Int16(POLLIN), revents: 0)]
        while poll(&waited, nfds_t(waited.count), -1) < 0, errno == EINTR {}
        guard waited[0].revents == 0 || waited[1].revents != 0 else { return }
        throw SystemFailure(operation: operation, errno: EINTR, signal: read(inbox))
    }

    private static func read(_ descriptor: CInt) -> ExitStatus? {
        var information = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        guard Glibc.read(descriptor, &information, size) == size else { return nil }
        return information.ssi_signo == UInt32(SIGINT) ? .interrupted : .terminated
    }
}
