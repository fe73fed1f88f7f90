import NLOSCore
import TransientSensor

/// What a feed has to say between two waits.
enum FeedEvent {
    case frame(TransientFrame)
    /// A frame that is not emitted, with the name of the reason.
    case refused(String)
    case gap(String, atMonotonicNs: UInt64)
    case log(FirmwareLine)
    case notice(Message)
}

/// Why a run cannot go on.
struct RunFailure: Error {
    /// Nil when a signal ended the run: whoever sent it knows.
    let message: Message?
    let status: ExitStatus
    let end: CaptureSummary.End
    /// Another program holds what was to be opened: it may let go.
    let isBusy: Bool
    /// Nothing was heard that tells the firmware: the board may speak later.
    let isUnrecognized: Bool

    init(_ message: Message?, status: ExitStatus, end: CaptureSummary.End, isBusy: Bool = false, isUnrecognized: Bool = false) {
        self.message = message
        self.status = status
        self.end = end
        self.isBusy = isBusy
        self.isUnrecognized = isUnrecognized
    }

    /// A file of the user's that cannot be read.
    init(_ failure: SystemFailure, file: String) {
        if let signal = failure.signal {
            self.init(nil, status: signal, end: .interrupted)
        } else {
            self.init(
                Message(text: "\(escaped(file.utf8)): cannot \(failure.operation): \(failure.reason)"),
                status: failure.denied ? .denied : .failed, end: .deviceError)
        }
    }

    /// Settings that the board which was found does not take.
    init(_ error: UsageError) {
        self.init(Message(text: error.text, next: error.next), status: .usage, end: .deviceError)
    }

    init(_ error: SensorError) {
        let isBusy = if case .busy = error { true } else { false }
        let isUnrecognized = if case .unrecognized = error { true } else { false }
        let isGone = if case .unplugged = error { true } else { false }
        self.init(
            error.message, status: ExitStatus(error), end: isGone ? .sensorDisconnected : .deviceError, isBusy: isBusy,
            isUnrecognized: isUnrecognized)
    }
}

/// Transient frames from somewhere: a sensor's bytes, or lines that were captured before.
protocol FrameFeed: AnyObject {
    /// Readable while `service` has work to do; nil for a feed that is always ready.
    var readiness: CInt? { get }
    /// When `service` wants to be called though nothing is readable, on the monotonic clock.
    var deadlineNs: UInt64? { get }
    /// Whether holding it back loses nothing.
    var canWait: Bool { get }

    func start(_ emit: (FeedEvent) -> Void) throws(RunFailure)
    func service(_ emit: (FeedEvent) -> Void) throws(RunFailure) -> Drained
    /// The input is over: what is complete goes out.
    func finish(_ emit: (FeedEvent) -> Void) throws(RunFailure)
    /// Gives the device or file back. Idempotent.
    func close()
    /// Adds what the feed itself counted.
    func account(in summary: inout CaptureSummary)
}
