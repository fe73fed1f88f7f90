extension JSONReader {
    /// A string: strict UTF-8 (no overlong form, no surrogate, nothing above U+10FFFF), no control character, complete escapes,
    /// surrogates only in pairs, and no escaped NUL either.
    mutating func text() throws(MalformedJSON) -> JSONText {
        try token(UInt8(ascii: "\""))
        let start = next
        var hasEscapes = false
        while next < end {
            skipPlainText()
            guard next < end else { break }
            switch next.pointee {
            case UInt8(ascii: "\""):
                let raw = UnsafeBufferPointer(start: start, count: next - start)
                next += 1
                return JSONText(checked: raw, hasEscapes: hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try escape()
            case 0x20..<0x80: next += 1
            case 0x80...: try character()
            default: throw MalformedJSON()
            }
        }
        throw MalformedJSON()
    }

    /// Skips printable ASCII without quote and backslash, eight bytes at a time.
    @inline(__always)
    private mutating func skipPlainText() {
        let ones: UInt64 = 0x0101_0101_0101_0101
        while let word = nextWord {
            let quote = word ^ (0x22 &* ones)
            let backslash = word ^ (0x5c &* ones)
            // The top bit of each byte that ends plain text. Borrows only reach bytes behind the first such one.
            let stops =
                (word | (quote &- ones) & ~quote | (backslash &- ones) & ~backslash | (word &- (0x20 &* ones)) & ~word) & (0x80 &* ones)
            guard stops == 0 else {
                next += stops.trailingZeroBitCount >> 3
                return
            }
            next += 8
        }
    }

    static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Reads one escape, or two when they are a surrogate pair.
    private mutating func escape() throws(MalformedJSON) {
        guard end - next >= 2 else { throw MalformedJSON() }
        switch next[1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
            UInt8(ascii: "r"), UInt8(ascii: "t"):
            next += 2
        default:
            switch try codeUnit() {
            case 0, 0xdc00...0xdfff: throw MalformedJSON()
            case 0xd800...0xdbff:
                guard try codeUnit() & 0xfc00 == 0xdc00 else { throw MalformedJSON() }
            default: break
            }
        }
    }

    /// `\uXXXX`
    private mutating func codeUnit() throws(MalformedJSON) -> UInt16 {
        guard end - next >= 6, next[0] == UInt8(ascii: "\\"), next[1] == UInt8(ascii: "u") else { throw MalformedJSON() }
        var unit: UInt16 = 0
        for offset in 2..<6 {
            guard let digit = Self.hexDigit(next[offset]) else { throw MalformedJSON() }
            unit = unit << 4 | UInt16(digit)
        }
        next += 6
        return unit
    }

    /// Reads one character of two to four bytes (the Unicode standard, table 3-7).
    private mutating func character() throws(MalformedJSON) {
        var second: ClosedRange<UInt8> = 0x80...0xbf
        let count: Int
        switch next.pointee {
        case 0xc2...0xdf: count = 2
        case 0xe0: (count, second) = (3, 0xa0...0xbf)
        case 0xed: (count, second) = (3, 0x80...0x9f)
        case 0xe1...0xef: count = 3
        case 0xf0: (count, second) = (4, 0x90...0xbf)
        case 0xf4: (count, second) = (4, 0x80...0x8f)
        case 0xf1...0xf3: count = 4
        default: throw MalformedJSON()
        }
        guard end - next >= count, second.contains(next[1]) else { throw MalformedJSON() }
        for offset in 2..<max(count, 2) where next[offset] & 0xc0 != 0x80 { throw MalformedJSON() }
        next += count
    }
}
