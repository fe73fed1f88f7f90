/// Writes a binary floating-point number as the shortest decimal that reads back to the same number of the same type.
///
/// The layout is close to ECMAScript's: no ".0" on whole numbers, an exponent ("1e-7", "1.5e22") only below 1e-6 and from 1e21 on.
/// Minus zero keeps its sign, or it would not read back as itself.
enum ShortestDecimal {
    /// Room for the longest layout ("-0.0000012345678901234567") and for the whole words that are stored on the way.
    static let longest = 48

    /// Writes a finite number; needs room for `longest` bytes.
    @inline(__always)
    static func write(_ number: Float, to: OutputPointer) -> OutputPointer {
        var end = to
        if number.sign == .minus { end.put(UInt8(ascii: "-")) }
        let magnitude = number.magnitude
        // Whole numbers below 2^24 are their own shortest decimal. Converted there and back, for `init(exactly:)` calls `truncf`.
        if magnitude < 16_777_216 {
            let whole = UInt32(magnitude)
            if Float(whole) == magnitude { return DecimalDigits.write(whole, to: end) }
        }
        let (digits, exponent) = Schubfach.shortest(magnitude)
        return SignificantDigits(digits, exponent: exponent).write(to: end)
    }

    /// Writes a finite number; needs room for `longest` bytes.
    static func write(_ number: Double, to: OutputPointer) -> OutputPointer {
        var end = to
        if number.sign == .minus { end.put(UInt8(ascii: "-")) }
        let magnitude = number.magnitude
        if magnitude < 9_007_199_254_740_992, let whole = UInt64(exactly: magnitude) { return DecimalDigits.write(whole, to: end) }
        var description = DescriptionDigits()
        magnitude.write(to: &description)
        return SignificantDigits(description.digits, exponent: description.exponent).write(to: end)
    }

    /// Takes the standard library's shortest digits out of what it prints; the layout is ours.
    private struct DescriptionDigits: TextOutputStream {
        private(set) var digits: UInt64 = 0
        /// The power of ten that `digits` is multiplied by.
        private(set) var exponent = 0

        mutating func write(_ text: String) {
            var text = text
            text.withUTF8 { _writeASCII($0) }
        }

        /// The standard library hands its buffer over here, which saves the string that `write` would need.
        mutating func _writeASCII(_ text: UnsafeBufferPointer<UInt8>) {
            var fraction = 0
            var power = 0
            var isNegative = false
            var inFraction = false
            var inPower = false
            for byte in text {
                switch byte {
                case UInt8(ascii: "."): inFraction = true
                case UInt8(ascii: "e"): inPower = true
                case UInt8(ascii: "+"): break
                case UInt8(ascii: "-"): isNegative = true
                default:
                    let digit = Int(byte) - 0x30
                    if inPower {
                        power = power * 10 + digit
                    } else {
                        digits = digits * 10 + UInt64(digit)
                        if inFraction { fraction += 1 }
                    }
                }
            }
            exponent = (isNegative ? -power : power) - fraction
        }
    }
}
