import Glibc

/// A value that one thread at a time may touch.
///
/// `Synchronization.Mutex` would do, but its futex is invisible to the thread sanitizer, which then reports everything
/// that it guards. A POSIX mutex is understood, and the queue between the threads is worth a checked run.
// `value` is reached only through `withLock`: that is why this may cross threads.
final class Guarded<Value>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    init(_ value: Value) {
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        self.value = value
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
