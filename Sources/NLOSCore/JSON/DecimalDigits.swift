/// The decimal digits of integers, two at a time.
enum DecimalDigits {
    /// "00" to "99" as pairs of ASCII bytes; the low byte is the tens, which a little-endian store puts first.
    private static let pairs: InlineArray<100, UInt16> = InlineArray { number in
        let tens = UInt16(number / 10) + 0x30
        let ones = UInt16(number % 10) + 0x30
        return tens | ones << 8
    }

    /// Writes the number; needs room for 20 bytes, 21 with a sign.
    @inline(__always)
    static func write(_ number: some FixedWidthInteger, to: OutputPointer) -> OutputPointer {
        var end = to
        if number < 0 { end.put(UInt8(ascii: "-")) }
        return write(magnitude: UInt64(number.magnitude), to: end)
    }

    @inline(__always)
    static func write(magnitude: UInt64, to: OutputPointer) -> OutputPointer {
        let count = count(magnitude)
        write(magnitude, digits: count, to: to)
        return to + count
    }

    /// Writes exactly `digits` digits, the number's own or with zeros in front.
    @inline(__always)
    static func write(_ number: UInt64, digits: Int, to: OutputPointer) {
        var rest = number
        var left = digits
        while left >= 2 {
            left -= 2
            let pair = pairs[Int(truncatingIfNeeded: rest % 100)]
            UnsafeMutableRawPointer(to + left).storeBytes(of: pair.littleEndian, as: UInt16.self)
            rest /= 100
        }
        if left == 1 { to.pointee = UInt8(truncatingIfNeeded: rest % 10) + 0x30 }
    }

    /// How many digits the number has; zero has one.
    @inline(__always)
    static func count(_ number: UInt64) -> Int {
        if number < 10 { return 1 }
        if number < 100 { return 2 }
        if number < 1_000 { return 3 }
        if number < 10_000 { return 4 }
        if number < 100_000 { return 5 }
        var count = 5
        var rest = number / 100_000
        while rest > 0 {
            rest /= 10
            count += 1
        }
        return count
    }
}
