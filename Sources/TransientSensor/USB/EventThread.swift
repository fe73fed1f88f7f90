import Glibc
import Synchronization

/// The one thread that handles a context's events.
///
/// Its owner stops it before letting go of it: the thread cannot join itself.
final class EventThread {
    /// What the thread works with; it keeps it alive.
    private final class Loop: Sendable {
        let context: USBContext
        let stopping = Atomic(false)
        let failed: @Sendable (USBFailure) -> Void

        init(_ context: USBContext, _ failed: @escaping @Sendable (USBFailure) -> Void) {
            self.context = context
            self.failed = failed
        }

        func run() {
            while !stopping.load(ordering: .acquiring) {
                let failure = context.handleEvents()
                // A dead loop is an error that the owner hears of, not a loop that spins.
                if let failure, !stopping.load(ordering: .acquiring) { return failed(failure) }
            }
        }
    }

    private let loop: Loop
    private let thread: pthread_t
    private var joined = false

    /// `failed` is called on the thread when events cannot be handled any more.
    init(handlingEventsOf context: USBContext, failed: @escaping @Sendable (USBFailure) -> Void) throws(SensorError) {
        loop = Loop(context, failed)
        let held = Unmanaged.passRetained(loop)
        var thread = pthread_t()
        // The program's signals go to the threads that expect them.
        let code = withSignalsBlocked {
            pthread_create(
                &thread, nil,
                { argument in
                    if let argument { Unmanaged<Loop>.fromOpaque(argument).takeRetainedValue().run() }
                    return nil
                }, held.toOpaque())
        }
        guard code == 0 else {
            held.release()
            throw .system(path: "usb", operation: "pthread_create", errno: code)
        }
        self.thread = thread
    }

    /// Flag, wake, join; only then may anything the thread used be freed. Idempotent.
    func stop() {
        guard !joined else { return }
        loop.stopping.store(true, ordering: .releasing)
        loop.context.wake()
        pthread_join(thread, nil)
        joined = true
    }

    deinit { precondition(joined, "stop() before the last reference goes") }
}
