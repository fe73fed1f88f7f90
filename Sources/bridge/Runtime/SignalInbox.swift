import CLinux
import Glibc
import Synchronization

/// SIGINT, SIGTERM and SIGHUP as readable events, so that a run ends in its own loop and not in a handler.
///
/// Made before any thread is started: threads inherit the blocked signals. A program has one, until it ends.
final class SignalInbox {
    /// What the tester did to the screen.
    enum ScreenChange {
        case resized
        /// Ctrl-Z: the program is to stop until it is told to go on.
        case stop
    }

    let descriptor: CInt
    private static let open = Atomic<CInt>(-1)
    private var changes: [ScreenChange] = []

    /// With `ofScreen`, what concerns a full screen comes here too.
    init(ofScreen: Bool = false) throws(SystemFailure) {
        var signals = sigset_t()
        sigemptyset(&signals)
        let ending = [SIGINT, SIGTERM, SIGHUP].filter { !Self.isIgnored($0) }
        for signal in ending + (ofScreen ? [SIGWINCH, SIGTSTP] : []) { sigaddset(&signals, signal) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        descriptor = signalfd(-1, &signals, CInt(SFD_CLOEXEC | SFD_NONBLOCK))
        guard descriptor >= 0 else { throw SystemFailure(operation: "signalfd", errno: errno) }
        Self.open.store(descriptor, ordering: .relaxed)
    }

    deinit {
        Self.open.store(-1, ordering: .relaxed)
        close(descriptor)
    }

    /// How the run ends if a signal has come that ends it.
    func received() -> ExitStatus? {
        while let signal = Self.read(descriptor) {
            if let status = ExitStatus(signal: signal) { return status }
            let change: ScreenChange = signal == SIGWINCH ? .resized : .stop
            if changes.last != change { changes.append(change) }
        }
        return nil
    }

    /// What happened to the screen and was not looked at yet; `received` notes it.
    func takeScreenChanges() -> [ScreenChange] {
        defer { changes.removeAll() }
        return changes
    }

    /// Waits until the descriptor is ready, for ever if it must. Throws `EINTR` with the status when a signal comes first; without
    /// an inbox a signal ends the program by itself.
    static func wait(for descriptor: CInt, _ events: Int32, to operation: String) throws(SystemFailure) {
        let inbox = open.load(ordering: .relaxed)
        // A descriptor of -1 is one that `poll` passes over.
        var waited = [pollfd(fd: descriptor, events: Int16(events), revents: 0), pollfd(fd: inbox, events: Int16(POLLIN), revents: 0)]
        while true {
            while poll(&waited, nfds_t(waited.count), -1) < 0, errno == EINTR {}
            // What concerns a screen means nothing to words that wait for their reader.
            if waited[1].revents != 0, let signal = read(inbox), let status = ExitStatus(signal: signal) {
                throw SystemFailure(operation: operation, errno: EINTR, signal: status)
            }
            if waited[0].revents != 0 { return }
        }
    }

    /// What whoever started the program had it ignore (`nohup`, a shell's background job) it goes on ignoring.
    private static func isIgnored(_ signal: CInt) -> Bool {
        var action = sigaction()
        sigaction(signal, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    private static func read(_ descriptor: CInt) -> CInt? {
        var information = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        return Glibc.read(descriptor, &information, size) == size ? CInt(information.ssi_signo) : nil
    }
}

extension ExitStatus {
    /// Nil for a signal that does not end a run.
    fileprivate init?(signal: CInt) {
        switch signal {
        case SIGINT: self = .interrupted
        case SIGTERM, SIGHUP: self = .terminated
        default: return nil
        }
    }
}
