import Glibc
import NLOSCore

/// Reads lines of a bounded length from a file or standard input. A longer line is reported, skipped and costs no memory.
final class LineReader {
    enum Line: Equatable {
        /// The bytes without the line feed; valid until the next call.
        case bytes(ArraySlice<UInt8>)
        case tooLong
    }

    private let descriptor: CInt
    private let owned: Bool
    private let longest: Int
    private var buffer: [UInt8]
    private var start = 0
    private var end = 0
    private var skipping = false
    private var atEnd = false
    /// Of the whole input so far.
    private(set) var bytesRead: UInt64 = 0

    /// `-` is standard input.
    init(path: String, longest: Int) throws(SystemFailure) {
        if path == "-" {
            descriptor = STDIN_FILENO
            owned = false
        } else {
            // Not to wait here for a pipe's writer: the wait is where a signal can end it.
            descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
            owned = true
            guard descriptor >= 0 else { throw SystemFailure(operation: "open", errno: errno) }
        }
        self.longest = longest
        buffer = [UInt8](repeating: 0, count: longest + 65_536)
    }

    deinit { if owned, descriptor >= 0 { close(descriptor) } }

    /// The next line; nil at the end. A last line without a line feed is a line too. Throws `EINTR` when a signal ends the wait.
    func next() throws(SystemFailure) -> Line? {
        var scanned = start
        while true {
            if let feed = buffer[scanned..<end].firstIndex(of: UInt8(ascii: "\n")) {
                let line = buffer[start..<feed]
                start = feed + 1
                if skipping || line.count > longest {
                    skipping = false
                    return .tooLong
                }
                return .bytes(line)
            }
            scanned = end
            if atEnd { return remainder() }
            if end - start > longest {
                skipping = true
                start = end
            }
            makeRoom(&scanned)
            try fill()
        }
    }

    private func remainder() -> Line? {
        defer { start = end }
        if skipping || end - start > longest {
            skipping = false
            return .tooLong
        }
        return start < end ? .bytes(buffer[start..<end]) : nil
    }

    private func makeRoom(_ scanned: inout Int) {
        guard start > 0, end == buffer.count || start == end else { return }
        buffer.withUnsafeMutableBytes { $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer($0)[start..<end])) }
        scanned -= start
        end -= start
        start = 0
    }

    private func fill() throws(SystemFailure) {
        while true {
            try SignalInbox.wait(for: descriptor, POLLIN, to: "read")
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress! + end, $0.count - end) }
            if count > 0 {
                end += count
                bytesRead += UInt64(count)
                return
            }
            if count == 0 {
                atEnd = true
                return
            }
            guard errno == EINTR || errno == EAGAIN else { throw SystemFailure(operation: "read", errno: errno) }
        }
    }
}
