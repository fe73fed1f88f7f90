/// Says of text that comes in pieces whether it is UTF-8 so far, at the first byte with which it cannot be any more.
///
/// Source: RFC 3629: nothing overlong, no surrogates, nothing above U+10FFFF.
struct UTF8Check {
    /// Bytes that the character begun still needs, and what the next one may be.
    private var needed = 0
    private var allowed: ClosedRange<UInt8> = 0x80...0xbf

    /// Whether the text so far ends with a whole character.
    var isComplete: Bool { needed == 0 }

    /// False once the text cannot be UTF-8 any more; then nothing more is asked of this value.
    mutating func accepts(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            // Eight bytes of ASCII at a time, which is what nearly every message is made of.
            if needed == 0, bytes.count - index >= 8,
                bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
            {
                index += 8
                continue
            }
            guard accepts(bytes[index]) else { return false }
            index += 1
        }
        return true
    }

    private mutating func accepts(_ byte: UInt8) -> Bool {
        guard needed == 0 else {
            guard allowed.contains(byte) else { return false }
            needed -= 1
            allowed = 0x80...0xbf
            return true
        }
        switch byte {
        case 0x00...0x7f: return true
        case 0xc2...0xdf: needed = 1
        case 0xe0: (needed, allowed) = (2, 0xa0...0xbf)
        case 0xed: (needed, allowed) = (2, 0x80...0x9f)
        case 0xe1...0xef: needed = 2
        case 0xf0: (needed, allowed) = (3, 0x90...0xbf)
        case 0xf1...0xf3: needed = 3
        case 0xf4: (needed, allowed) = (3, 0x80...0x8f)
        default: return false
        }
        return true
    }
}
