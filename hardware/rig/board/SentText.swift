/// What a board's line took, read apart from the program's decoder on purpose: frames, whole or torn, and the firmware's own words.
struct SentText {
    struct Frame {
        /// Of each row in order: its number, ambient, distance, bins. Whatever came after the first wrong line is left out.
        var rows: [[Int64]] = []
        var isTorn = false
        /// Frames that were sent before it, whole or not.
        let index: Int

        var isWhole: Bool { !isTorn && (rows.count == 16 || rows.count == 64) }
        /// Numbers in a row; nil when no row is whole.
        var width: Int? { rows.first?.count }
    }

    private(set) var frames: [Frame] = []
    /// Each line of words, with the number of frames that began before it.
    private(set) var words: [(line: String, after: Int)] = []
    private var isOpen = false
    /// The mark had other bytes in front of it: it is one only if a row 0 follows.
    private var isDoubtful = false

    init(_ bytes: [UInt8]) {
        // What follows the last line feed is no line.
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() { take(line) }
    }

    /// Where the firmware restarted or said this, in frames that began before it.
    func places(of word: String) -> [Int] { words.filter { $0.line.contains(word) }.map(\.after) }

    private mutating func take(_ line: ArraySlice<UInt8>) {
        let row = Self.row(line)
        if isDoubtful {
            isDoubtful = false
            if row?.first != 0 {
                frames.removeLast()
                isOpen = false
            }
        }
        if line.last == UInt8(ascii: "D") {
            if isOpen, line.count > 1 { frames[frames.count - 1].isTorn = true }
            frames.append(Frame(index: frames.count))
            isOpen = true
            isDoubtful = line.count > 1
        } else if let first = line.first, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) {
            words.append((String(decoding: line, as: UTF8.self), frames.count))
            isOpen = false
        } else if isOpen {
            takeRow(row)
        }
    }

    private mutating func takeRow(_ row: [Int64]?) {
        let last = frames.count - 1
        if let row, row[0] == Int64(frames[last].rows.count), row.count == frames[last].width ?? row.count, !frames[last].isTorn {
            frames[last].rows.append(row)
        } else {
            frames[last].isTorn = true
        }
    }

    /// Decimals with single spaces between them, at least four; nil for anything else.
    private static func row(_ line: ArraySlice<UInt8>) -> [Int64]? {
        let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count >= 4 else { return nil }
        var numbers: [Int64] = []
        numbers.reserveCapacity(parts.count)
        for part in parts {
            guard part.first != UInt8(ascii: "+"), let number = Int64(String(decoding: part, as: UTF8.self)) else { return nil }
            numbers.append(number)
        }
        return numbers
    }
}

extension SentText.Frame {
    /// As they are emitted: nothing is below zero.
    var emittedRows: [[Int64]] { rows.map { $0.map { max(0, $0) } } }
}
