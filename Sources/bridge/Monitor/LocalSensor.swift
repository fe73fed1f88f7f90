import CLinux
import Glibc
import NLOSCore
import Synchronization

/// The sensor beside a stream, on a thread of its own: opening a board may take its time, and what is shown of the stream must
/// vanish on time all the same.
///
/// The owner waits for `readiness` and takes the newest report. It stops the sensor before letting go of it.
final class LocalSensor: Sendable {
    /// What both threads touch.
    final class Mailbox: Sendable {
        let news: CInt
        let stopping: CInt
        private let newest = Mutex<LocalSensorReport?>(nil)

        init() throws(SystemFailure) {
            news = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
            stopping = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
            guard news >= 0, stopping >= 0 else { throw SystemFailure(operation: "eventfd", errno: errno) }
        }

        deinit { for descriptor in [news, stopping] { close(descriptor) } }

        func post(_ report: LocalSensorReport) {
            newest.withLock { $0 = report }
            raise(news)
        }

        func take() -> LocalSensorReport? {
            // Lowered first: a report that comes in between raises it again.
            var count: UInt64 = 0
            _ = read(news, &count, 8)
            return newest.withLock { $0.take() }
        }

        func stop() { raise(stopping) }

        /// The owner's wish ends a wait too.
        var interruption: Interruption {
            Interruption(descriptor: stopping) { [stopping] in
                var waiting = Waiting()
                let place = waiting.add(stopping, readable: true)
                waiting.wait(untilNs: 0, .system)
                return waiting.ready(place) ? .interrupted : nil
            }
        }

        private func raise(_ descriptor: CInt) {
            var one: UInt64 = 1
            _ = write(descriptor, &one, 8)
        }
    }

    /// What the thread begins with.
    private final class Start: Sendable {
        let plan: LocalSensorLoop.Plan
        let mailbox: Mailbox

        init(_ plan: LocalSensorLoop.Plan, _ mailbox: Mailbox) { (self.plan, self.mailbox) = (plan, mailbox) }
    }

    private let mailbox: Mailbox
    private let thread: pthread_t
    private let joined = Atomic(false)

    /// Starts the thread. The signals must be blocked by now, as a `SignalInbox` does.
    init(_ plan: LocalSensorLoop.Plan) throws(SystemFailure) {
        mailbox = try Mailbox()
        let held = Unmanaged.passRetained(Start(plan, mailbox))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                if let argument {
                    let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                    LocalSensorLoop(start.plan, start.mailbox).run()
                }
                return nil
            }, held.toOpaque())
        guard code == 0 else {
            held.release()
            throw SystemFailure(operation: "start a thread", errno: code)
        }
        self.thread = thread
    }

    deinit { precondition(joined.load(ordering: .relaxed), "stop() before the last reference goes") }

    /// Readable while a report waits.
    var readiness: CInt { mailbox.news }

    /// The newest report; nil when there is none that was not taken yet.
    func takeReport() -> LocalSensorReport? { mailbox.take() }

    /// Gives the device back and ends the thread. Idempotent.
    func stop() {
        guard !joined.exchange(true, ordering: .relaxed) else { return }
        mailbox.stop()
        pthread_join(thread, nil)
    }
}
