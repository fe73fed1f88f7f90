import Glibc

/// Starts a thread that takes none of the program's signals. The result is for `pthread_join`, unless the thread is detached.
@discardableResult
func startThread(detached: Bool = false, _ body: @escaping @Sendable () -> Void) throws(SystemCallFailure) -> pthread_t {
    let held = Unmanaged.passRetained(ThreadBody(body))
    var everySignal = sigset_t()
    var before = sigset_t()
    sigfillset(&everySignal)
    var thread = pthread_t()
    // A new thread inherits the mask; the program's signals go to the threads that expect them.
    pthread_sigmask(SIG_SETMASK, &everySignal, &before)
    let code = pthread_create(
        &thread, nil,
        { argument in
            if let argument { Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run() }
            return nil
        }, held.toOpaque())
    pthread_sigmask(SIG_SETMASK, &before, nil)
    guard code == 0 else {
        held.release()
        throw SystemCallFailure(operation: "pthread_create", errno: code)
    }
    if detached { pthread_detach(thread) }
    return thread
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
