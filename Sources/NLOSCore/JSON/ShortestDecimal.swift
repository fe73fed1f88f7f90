/// Writes a binary floating-point number as the shortest decimal that reads back to the same number of the same type.
///
/// The layout is close to ECMAScript's: no ".0" on whole numbers, an exponent ("1e-7", "1.5e22") only below 1e-6 and
/// from 1e21 on. Minus zero keeps its sign, or it would not read back as itself.
enum ShortestDecimal {
    /// No number takes more bytes than this, whichever layout it has ("-0.0000012345678901234567").
    static let longest = 32

    /// The number is `digits` times ten to the `exponent`; `digits` does not end in zero.
    struct Decimal {
        var digits: UInt64
        var exponent: Int
    }

    /// Writes a finite number; needs room for `longest` bytes.
    @inline(__always)
    static func write(_ number: Float, to: OutputPointer) -> OutputPointer {
        var end = to
        if number.sign == .minus { end.put(UInt8(ascii: "-")) }
        let magnitude = number.magnitude
        // Whole numbers below 2^24 are their own shortest decimal.
        if magnitude < 16_777_216, let whole = UInt32(exactly: magnitude) { return DecimalDigits.write(whole, to: end) }
        return write(Schubfach.shortest(magnitude), to: end)
    }

    /// Writes a finite number; needs room for `longest` bytes.
    static func write(_ number: Double, to: OutputPointer) -> OutputPointer {
        var end = to
        if number.sign == .minus { end.put(UInt8(ascii: "-")) }
        let magnitude = number.magnitude
        if magnitude < 9_007_199_254_740_992, let whole = UInt64(exactly: magnitude) { return DecimalDigits.write(whole, to: end) }
        var shortest = DigitCollector()
        magnitude.write(to: &shortest)
        return write(shortest.decimal, to: end)
    }

    /// Lays the digits out around the point.
    private static func write(_ decimal: Decimal, to: OutputPointer) -> OutputPointer {
        let count = DecimalDigits.count(decimal.digits)
        // The point stands after this many of the digits.
        let point = count + decimal.exponent
        var end = to
        switch point {
        case count...21:
            DecimalDigits.write(decimal.digits, digits: count, to: end)
            end += count
            for _ in count..<point { end.put(UInt8(ascii: "0")) }
        case 1..<max(count, 2):
            // One byte too far to the right, then the digits before the point move into place.
            DecimalDigits.write(decimal.digits, digits: count, to: end + 1)
            for _ in 0..<point {
                end.pointee = (end + 1).pointee
                end += 1
            }
            end.pointee = UInt8(ascii: ".")
            end += 1 + count - point
        case -5...0:
            end.put(contentsOf: "0.")
            for _ in 0..<(-point) { end.put(UInt8(ascii: "0")) }
            DecimalDigits.write(decimal.digits, digits: count, to: end)
            end += count
        default:
            DecimalDigits.write(decimal.digits, digits: count, to: end + 1)
            end.pointee = (end + 1).pointee
            end += 1
            if count > 1 {
                end.pointee = UInt8(ascii: ".")
                end += count
            }
            end.put(UInt8(ascii: "e"))
            return DecimalDigits.write(point - 1, to: end)
        }
        return end
    }

    /// Takes the standard library's shortest digits as it prints them; only layout is left to us.
    private struct DigitCollector: TextOutputStream {
        var decimal = Decimal(digits: 0, exponent: 0)

        mutating func write(_ text: String) {
            var text = text
            text.withUTF8 { _writeASCII($0) }
        }

        /// The standard library hands its buffer over here, which saves the string that `write` would need.
        mutating func _writeASCII(_ text: UnsafeBufferPointer<UInt8>) {
            var fraction = 0
            var exponent = 0
            var negative = false
            var inFraction = false
            var inExponent = false
            for byte in text {
                switch byte {
                case UInt8(ascii: "."): inFraction = true
                case UInt8(ascii: "e"): inExponent = true
                case UInt8(ascii: "+"): break
                case UInt8(ascii: "-"): negative = true
                default:
                    let digit = Int(byte) - 0x30
                    if inExponent {
                        exponent = exponent * 10 + digit
                    } else {
                        decimal.digits = decimal.digits * 10 + UInt64(digit)
                        if inFraction { fraction += 1 }
                    }
                }
            }
            decimal.exponent = (negative ? -exponent : exponent) - fraction
            while decimal.digits > 0, decimal.digits % 10 == 0 {
                decimal.digits /= 10
                decimal.exponent += 1
            }
        }
    }
}
