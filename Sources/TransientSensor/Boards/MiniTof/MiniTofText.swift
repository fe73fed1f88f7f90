internal import Glibc
internal import NLOSCore

/// The lines of words that the mini_tof VL53L8CH firmwares print when they start. Source: mini_tof `microcontroller/vl53l8ch`,
/// mini_tof_firmware `VL53L8CH/firmware`; the two error lines are those of ST's own examples, from which both were made.
enum MiniTofText {
    /// A line is never longer.
    static let longest = 200
    /// `is_alive` alone.
    private static let shortest = 8

    /// A line that ends with the line feed at `end`, in bytes that begin at `start`: where it begins, and what it says. Nil when no words
    /// of this firmware are in it. What is before the words may be the rest of a record that a restart cut.
    static func line(_ start: UnsafeRawPointer, endingAt end: Int) -> (first: Int, line: FirmwareLine)? {
        let last = end > 0 && byte(start, end - 1) == carriageReturn ? end - 1 : end
        var first = last
        while first > 0, last - first < longest, isPrintable(byte(start, first - 1)) { first -= 1 }
        // Most line feeds are bytes of numbers, with next to nothing printable before them.
        guard last - first >= shortest else { return nil }
        let run = UnsafeRawBufferPointer(start: start + first, count: last - first)
        for (words, meaning) in known {
            guard let found = position(of: words, in: run) else { continue }
            guard let line = meaning(UnsafeRawBufferPointer(rebasing: run[found...])) else { continue }
            return (first + found, line)
        }
        return nil
    }

    /// Whether such a line ends in these bytes.
    static func isIn(_ start: UnsafeRawPointer, count: Int) -> Bool {
        var at = 0
        while at < count, let lineFeed = memchr(start + at, 0x0a, count - at) {
            let end = UnsafeRawPointer(lineFeed) - start
            if line(start, endingAt: end) != nil { return true }
            at = end + 1
        }
        return false
    }

    static func isPrintable(_ byte: UInt8) -> Bool { (0x20...0x7e).contains(byte) }

    static let carriageReturn: UInt8 = 0x0d

    private static func byte(_ start: UnsafeRawPointer, _ index: Int) -> UInt8 { start.load(fromByteOffset: index, as: UInt8.self) }

    private static let ready = "VL53LMZ ULD ready ! (Version : "

    private static let known: [(words: String, meaning: @Sendable (UnsafeRawBufferPointer) -> FirmwareLine?)] = [
        ("is_alive", { .banner(escaped($0)) }),
        (ready, version),
        ("Started ranging", { .remark(escaped($0)) }),
        ("VL53LMZ not detected at requested address", { .error(escaped($0), fatal: true) }),
        ("VL53LMZ ULD Loading failed", { .error(escaped($0), fatal: true) }),
    ]

    @Sendable private static func version(_ line: UnsafeRawBufferPointer) -> FirmwareLine? {
        let rest = line.dropFirst(ready.utf8.count)
        guard rest.count > 1, rest.last == UInt8(ascii: ")") else { return nil }
        return .ready(version: escaped(rest.dropLast()))
    }

    private static func position(of words: String, in run: UnsafeRawBufferPointer) -> Int? {
        let count = words.utf8.count
        guard run.count >= count else { return nil }
        return (0...run.count - count).first { run[$0..<$0 + count].elementsEqual(words.utf8) }
    }
}
