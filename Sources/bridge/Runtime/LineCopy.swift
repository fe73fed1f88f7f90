import Glibc

/// A file that keeps every byte which a line took: the other half of a comparison with what arrived.
final class LineCopy {
    let name: String
    private let descriptor: CInt

    /// A new file; an old one is never written over.
    init(_ path: String) throws(SystemFailure) {
        name = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0o644)
        guard descriptor >= 0 else { throw SystemFailure(operation: "create", errno: errno) }
    }

    deinit { close(descriptor) }

    func append(_ bytes: ArraySlice<UInt8>) throws(SystemFailure) {
        var rest = bytes
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if errno != EINTR {
                throw SystemFailure(operation: "write", errno: errno)
            }
        }
    }
}
