/// The decimal digits of integers, eight at a time in one 64-bit word, without tables and almost without branches.
enum DecimalDigits {
    /// Whoever writes digits stores whole words: so many bytes behind the last digit must be the writer's too.
    static let slack = 8

    /// Writes the number; needs room for 20 digits, a sign, and the slack.
    @inline(__always)
    static func write(_ number: some FixedWidthInteger, to: OutputPointer) -> OutputPointer {
        var end = to
        if number < 0 { end.put(UInt8(ascii: "-")) }
        return write(magnitude: UInt64(number.magnitude), to: end)
    }

    @inline(__always)
    static func write(magnitude number: UInt64, to: OutputPointer) -> OutputPointer {
        guard number >= 100_000_000 else { return write(leftTrimmed: word(UInt32(truncatingIfNeeded: number)), to: to) }
        return writeLong(number, to: to)
    }

    @inline(never)
    private static func writeLong(_ number: UInt64, to: OutputPointer) -> OutputPointer {
        let (head, tail) = number.quotientAndRemainder(dividingBy: 100_000_000)
        let end = write(magnitude: head, to: to)
        store(word(UInt32(truncatingIfNeeded: tail)) | zeros, to: end)
        return end + 8
    }

    /// Writes a word's digits without the zeros in front; the last digit stands even when it is one.
    @inline(__always)
    static func write(leftTrimmed word: UInt64, to: OutputPointer) -> OutputPointer {
        let leading = min(word.trailingZeroBitCount, 56) & ~7
        store((word | zeros) >> UInt64(truncatingIfNeeded: leading), to: to)
        return to + (8 - leading / 8)
    }

    /// Eight digits, each in a byte of its own, the first one lowest, where a little-endian store puts it first.
    ///
    /// `number` is below 10^8. Halves, quarters and eighths are split by multiplying with the reciprocal of 10,000, 100 and 10, all
    /// parts of a word at once.
    @inline(__always)
    static func word(_ number: UInt32) -> UInt64 {
        let (high, low) = number.quotientAndRemainder(dividingBy: 10_000)
        let fours = UInt64(high) | UInt64(low) << 32
        let hundreds = (fours &* 10_486) >> 20 & 0x0000_007f_0000_007f
        let twos = hundreds | (fours &- 100 &* hundreds) << 16
        let tens = (twos &* 103) >> 10 & 0x000f_000f_000f_000f
        return tens | (twos &- 10 &* tens) << 8
    }

    /// The number that eight digits make, each in a byte of its own, the first one lowest: pairs, fours and the whole in three steps.
    @inline(__always)
    static func value(_ digits: UInt64) -> UInt64 {
        let pairs = digits &* 10 &+ digits >> 8
        let upper = (pairs & 0x0000_00ff_0000_00ff) &* 0x000f_4240_0000_0064
        let lower = (pairs >> 16 & 0x0000_00ff_0000_00ff) &* 0x0000_2710_0000_0001
        return (upper &+ lower) >> 32
    }

    /// The ASCII zero in every byte.
    static let zeros: UInt64 = 0x3030_3030_3030_3030

    @inline(__always)
    static func store(_ word: UInt64, to: OutputPointer) {
        UnsafeMutableRawPointer(to).storeBytes(of: word.littleEndian, as: UInt64.self)
    }
}
