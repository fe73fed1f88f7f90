internal import Glibc

/// Bytes in, whole lines out: the lines of these sketches are bounded, and an endless one costs no memory.
///
/// A plain value; which lines come out does not depend on how the bytes were cut.
struct TMF882xLines: Sendable {
    /// Longer than any line: 131 numbers of up to three digits, or an `#Obj` line with nothing but its longest values.
    static let longest = 700

    enum Piece {
        /// Without its line feed; `TMF882xRow.spare` bytes behind it may be read. `bytes` counts the line feed too.
        case line(UnsafeRawBufferPointer, bytes: UInt64)
        /// A line has passed its bound; its end may never come.
        case overlong
        /// Bytes that belong to no line that was handed out.
        case skipped(UInt64)
    }

    /// The beginning of a line whose end has not come, and room behind it.
    private var tail: [UInt8] = Array(repeating: 0, count: longest + TMF882xRow.spare)
    private var held = 0
    private var isOverlong = false

    mutating func push(_ chunk: UnsafeRawBufferPointer, _ take: (Piece) -> Void) {
        guard var cursor = chunk.baseAddress else { return }
        let end = cursor + chunk.count
        while cursor < end {
            let lineFeed = memchr(cursor, 0x0a, end - cursor).map { UnsafeRawPointer($0) }
            let stop = lineFeed ?? end
            if let lineFeed, held == 0, !isOverlong, end - lineFeed >= TMF882xRow.spare, lineFeed - cursor <= Self.longest {
                take(.line(UnsafeRawBufferPointer(start: cursor, count: lineFeed - cursor), bytes: UInt64(lineFeed - cursor + 1)))
            } else {
                keep(UnsafeRawBufferPointer(start: cursor, count: stop - cursor), take)
                if lineFeed != nil { endLine(take) }
            }
            cursor = stop + (lineFeed == nil ? 0 : 1)
        }
    }

    /// Gives up the line that has not ended, and says how many bytes of it were held.
    mutating func drop() -> UInt64 {
        defer {
            held = 0
            isOverlong = false
        }
        return UInt64(held)
    }

    private mutating func keep(_ part: UnsafeRawBufferPointer, _ take: (Piece) -> Void) {
        if isOverlong {
            take(.skipped(UInt64(part.count)))
        } else if held + part.count <= Self.longest {
            tail.withUnsafeMutableBytes { $0[held...].copyBytes(from: part) }
            held += part.count
        } else {
            take(.skipped(UInt64(held + part.count)))
            held = 0
            isOverlong = true
            take(.overlong)
        }
    }

    private mutating func endLine(_ take: (Piece) -> Void) {
        if isOverlong {
            isOverlong = false
            take(.skipped(1))
        } else {
            tail.withUnsafeBytes { take(.line(UnsafeRawBufferPointer(rebasing: $0[..<held]), bytes: UInt64(held + 1))) }
            held = 0
        }
    }
}
