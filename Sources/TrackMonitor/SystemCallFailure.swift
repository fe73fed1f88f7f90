import Glibc

/// A system call that failed where nothing but a lack of resources makes it fail.
public struct SystemCallFailure: Error, Equatable, Sendable {
    public let operation: String
    public let errno: CInt

    public init(operation: String, errno: CInt) {
        self.operation = operation
        self.errno = errno
    }

    var reason: String { String(cString: strerror(errno)) }
}
