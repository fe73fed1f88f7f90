import TrackMonitor

/// One connection's events, from the first to the last: what the monitor needs of a session, so that a test can play one.
protocol MonitorConnection: AnyObject {
    /// Readable while an event waits.
    var readiness: CInt { get }
    /// The next event; nil when none waits.
    func next() -> MonitorEvent?
    /// Asks for the end; a last event tells when it is there.
    func stop()
}

extension MonitorSession: MonitorConnection {}
