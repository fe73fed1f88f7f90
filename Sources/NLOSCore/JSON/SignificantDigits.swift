/// The digits of a decimal without zeros at either end, and where its point stands.
struct SignificantDigits {
    /// ASCII digits, the first one lowest, filled up with zeros: 24 digits where 17 is the most there are.
    private let words: (UInt64, UInt64, UInt64)
    /// How many digits there are.
    private let count: Int
    /// The point stands behind this many of them.
    private let point: Int

    /// The number `digits` times ten to the `exponent`, not zero.
    @inline(__always)
    init(_ digits: UInt64, exponent: Int) {
        // In a word of digits, bytes that are zero at the low end come before the number and at the high end after it.
        if digits < 100_000_000 {
            let word = DecimalDigits.word(UInt32(truncatingIfNeeded: digits))
            let leading = word.trailingZeroBitCount & ~7
            words = (word >> UInt64(leading) | DecimalDigits.zeros, DecimalDigits.zeros, DecimalDigits.zeros)
            count = 8 - leading / 8 - word.leadingZeroBitCount / 8
            point = 8 - leading / 8 + exponent
        } else if digits < 1_000_000_000 {
            let (first, rest) = UInt32(truncatingIfNeeded: digits).quotientAndRemainder(dividingBy: 100_000_000)
            let word = DecimalDigits.word(rest)
            words = (UInt64(first) | word << 8 | DecimalDigits.zeros, word >> 56 | DecimalDigits.zeros, DecimalDigits.zeros)
            count = 9 - word.leadingZeroBitCount / 8
            point = 9 + exponent
        } else {
            (words, count, point) = Self.long(digits, exponent: exponent)
        }
    }

    /// More digits than a `Float` has.
    @inline(never)
    private static func long(_ digits: UInt64, exponent: Int) -> ((UInt64, UInt64, UInt64), Int, Int) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { bytes in
            bytes.initialize(repeating: UInt8(ascii: "0"))
            guard let start = bytes.baseAddress else { return ((0, 0, 0), 0, 0) }
            let end = DecimalDigits.write(digits, to: start)
            var count = end - start
            let point = count + exponent
            while count > 1, bytes[count - 1] == UInt8(ascii: "0") { count -= 1 }
            let raw = UnsafeRawPointer(start)
            let words = (raw.loadUnaligned(as: UInt64.self), raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            let last = raw.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
            return ((UInt64(littleEndian: words.0), UInt64(littleEndian: words.1), UInt64(littleEndian: last)), count, point)
        }
    }

    /// Lays the digits out; needs room for `ShortestDecimal.longest` bytes.
    @inline(__always)
    func write(to: OutputPointer) -> OutputPointer {
        switch point {
        case 1..<min(max(count, 1), 8): return writeAround(point: point, to: to)
        case -5...0:
            DecimalDigits.store(Self.zeroPoint, to: to)
            let start = to + 2 - point
            store(to: start)
            return start + count
        default: return writeRare(to: to)
        }
    }

    /// Whole numbers, points behind the eighth digit, and exponents.
    @inline(never)
    private func writeRare(to: OutputPointer) -> OutputPointer {
        switch point {
        case count...21:
            store(to: to)
            return to + point
        case 8..<max(count, 8):
            store(to: to + 1)
            to.update(from: to + 1, count: point)
            to[point] = UInt8(ascii: ".")
            return to + count + 1
        default:
            var end = to
            if count == 1 {
                store(to: end)
                end += 1
            } else {
                end = writeAround(point: 1, to: end)
            }
            end.put(UInt8(ascii: "e"))
            return DecimalDigits.write(point - 1, to: end)
        }
    }

    /// The point stands among the first eight digits: they are parted in the register, the others move by one.
    @inline(__always)
    private func writeAround(point: Int, to: OutputPointer) -> OutputPointer {
        store(to: to + 1)
        let bits = UInt64(truncatingIfNeeded: 8 * point)
        let before = words.0 & (1 << bits - 1)
        let behind = (words.0 & ~(1 << bits - 1)) << 8
        DecimalDigits.store(before | UInt64(UInt8(ascii: ".")) << bits | behind, to: to)
        return to + count + 1
    }

    @inline(__always)
    private func store(to: OutputPointer) {
        DecimalDigits.store(words.0, to: to)
        DecimalDigits.store(words.1, to: to + 8)
        DecimalDigits.store(words.2, to: to + 16)
    }

    /// "0.000000"
    private static let zeroPoint: UInt64 = 0x3030_3030_3030_2e30
}
