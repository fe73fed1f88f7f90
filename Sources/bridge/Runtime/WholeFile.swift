import Glibc

/// A file's bytes; nil when there are more than `longest` of them, which are then not kept.
func wholeFile(_ path: String, longest: Int) throws(SystemFailure) -> [UInt8]? {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw SystemFailure(operation: "open", errno: errno) }
    defer { if path != "-" { close(descriptor) } }
    var bytes = [UInt8](repeating: 0, count: longest + 1)
    var count = 0
    while count < bytes.count {
        let taken = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress! + count, $0.count - count) }
        if taken == 0 { break }
        if taken > 0 {
            count += taken
        } else if errno != EINTR {
            throw SystemFailure(operation: "read", errno: errno)
        }
    }
    guard count <= longest else { return nil }
    bytes.removeSubrange(count...)
    return bytes
}

/// At most `count` bytes from a file's beginning. None from anything but a regular file: they would be missing afterwards.
func firstBytes(of path: String, count: Int) throws(SystemFailure) -> [UInt8] {
    var status = stat()
    guard stat(path, &status) == 0 else { throw SystemFailure(operation: "open", errno: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { return [] }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw SystemFailure(operation: "open", errno: errno) }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: count)
    let taken = read(descriptor, &bytes, count)
    guard taken >= 0 else { throw SystemFailure(operation: "read", errno: errno) }
    return Array(bytes.prefix(taken))
}
