import Glibc
import TrackMonitor

/// Something that happened, for whoever shows it.
enum MonitorNews {
    case stream(MonitorEvent)
    /// The local sensor, or how it agrees with the stream.
    case paired(PairedReport)
    /// The stream is tried again in so many seconds.
    case retry(seconds: Double)
}

/// Where a monitor shows what happens: JSON lines, plain lines, or a screen. None of them ever blocks.
protocol MonitorOutput: AnyObject {
    /// When `service` wants to be called though no descriptor is ready, on the monotonic clock.
    var deadlineNs: UInt64? { get }
    /// Whether what was shown waits for its reader still.
    var hasBacklog: Bool { get }
    /// What keeps this output from going on; nil while nothing does.
    var end: OutputEnd? { get }

    func add(to waiting: inout Waiting)
    /// The news, which `view` has taken in already.
    func take(_ news: MonitorNews, _ view: MonitorView)
    /// What waited may go on now; whatever is due is shown.
    func service(_ waiting: Waiting, _ view: MonitorView)
    /// The window has changed, or the tester wants the terminal for something else.
    func screenChanged(_ changes: [SignalInbox.ScreenChange], _ view: MonitorView)
    /// Gives back what was taken. Idempotent.
    func close()
}

/// Why nothing more can be shown.
enum OutputEnd {
    /// The reader has gone.
    case closed
    case failed(SystemFailure)
    /// The person at the screen has had enough.
    case quit
}

extension MonitorOutput {
    /// Without a screen there is nothing to give back before the program stops.
    func screenChanged(_ changes: [SignalInbox.ScreenChange], _ view: MonitorView) {
        if changes.contains(.stop) { kill(getpid(), SIGSTOP) }
    }

    func close() {}
}
