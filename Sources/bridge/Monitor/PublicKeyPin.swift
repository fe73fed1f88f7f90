/// The value of `--pin-sha256`: the SHA-256 of a server's public key, in the two ways that people write one.
enum PublicKeyPin {
    static let bytes = 32

    /// 64 hexadecimal digits, or 44 characters of base64 (43 without the padding); nil for anything else.
    static func parse(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        switch digits.count {
        case 2 * bytes: return hexadecimal(digits)
        case 44 where digits.last == UInt8(ascii: "="): return base64(digits.dropLast())
        case 43: return base64(digits[...])
        default: return nil
        }
    }

    private static func hexadecimal(_ digits: [UInt8]) -> [UInt8]? {
        var key: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = nibble(digits[index]), let low = nibble(digits[index + 1]) else { return nil }
            key.append(high << 4 | low)
        }
        return key
    }

    private static func nibble(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Of 43 characters: 258 bits, of which the last two must be zero.
    private static func base64(_ digits: ArraySlice<UInt8>) -> [UInt8]? {
        var key: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for digit in digits {
            guard let value = sextet(digit) else { return nil }
            bits = (bits << 6 | value) & 0xffff
            count += 6
            if count >= 8 {
                count -= 8
                key.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return bits & (1 << UInt32(count) - 1) == 0 ? key : nil
    }

    private static func sextet(_ digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
