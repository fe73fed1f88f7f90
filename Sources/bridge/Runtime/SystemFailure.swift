import Glibc
import TransientSensor

/// A system call that failed.
struct SystemFailure: Error, Equatable {
    let operation: String
    let errno: CInt
    /// For `EINTR`: how the program ends because of the signal.
    var signal: ExitStatus?

    var reason: String { String(cString: strerror(errno)) }
    var exists: Bool { errno == EEXIST }
    var denied: Bool { errno == EACCES || errno == EPERM }
    /// Nobody reads what is written: the pipe's other end is closed, or standard output was never open.
    var readerGone: Bool { errno == EPIPE || errno == EBADF }
}

extension SystemFailure {
    /// The system call behind a sensor error; `EIO` where there is none.
    init(_ error: SensorError) {
        if case .system(_, let operation, let errno) = error {
            self.init(operation: operation, errno: errno)
        } else {
            self.init(operation: "open", errno: EIO)
        }
    }
}
