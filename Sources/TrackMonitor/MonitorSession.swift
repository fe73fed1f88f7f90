import Glibc

/// One connection to a server, on a thread of its own: from the name to the last event.
///
/// The owner waits for `readiness` among its own events and takes what has happened with `next`.
public final class MonitorSession: Sendable {
    private let mailbox: Mailbox
    private let stopRequest: StopRequest
    private let thread: pthread_t

    /// Starts at once. The token is sent with this connection's upgrade and never else, and held to the end: what the server says in its
    /// own words is searched for it before it is told.
    public init(_ configuration: MonitorConfiguration, token: PairingToken) throws(SystemCallFailure) {
        let mailbox = try Mailbox()
        let stop = try StopRequest()
        thread = try startThread {
            SessionRun(configuration, mailbox, stop, token).run()
        }
        self.mailbox = mailbox
        stopRequest = stop
    }

    /// Ends the connection without a goodbye if it still stands.
    deinit {
        stopRequest.raise(urgent: true)
        pthread_join(thread, nil)
    }

    /// Readable while an event waits.
    public var readiness: CInt { mailbox.readiness }

    /// The next event; nil when none waits.
    public func next() -> MonitorEvent? { mailbox.next() }

    /// Ends the connection; `disconnected` with `closed_by_user` is the last event, within `MonitorLimits.close`. A second call does not
    /// wait for the server's goodbye.
    public func stop() { stopRequest.raise() }
}
