/// A string of the message, checked and still in place: no copy is made before the text is wanted.
///
/// Valid as long as the message's bytes are.
struct JSONText {
    /// What stands between the quotes: strict UTF-8, every escape complete, every surrogate paired.
    private let raw: UnsafeBufferPointer<UInt8>
    private let hasEscapes: Bool

    /// Only for text that `JSONReader.text()` has checked.
    init(checked raw: UnsafeBufferPointer<UInt8>, hasEscapes: Bool) {
        self.raw = raw
        self.hasEscapes = hasEscapes
    }

    /// A place to start from, before the member has been read.
    static var empty: JSONText { JSONText(checked: UnsafeBufferPointer(start: nil, count: 0), hasEscapes: false) }

    /// The text with its escapes decoded.
    var string: String {
        hasEscapes ? String(decoding: Array(JSONUnescaped(raw)), as: UTF8.self) : String(decoding: raw, as: UTF8.self)
    }

    /// The last bytes of the text, eight at most, escapes decoded: texts that differ mostly differ here.
    @inline(__always)
    var end: UInt64 {
        guard hasEscapes else { return Self.end(of: raw) }
        var string = string
        return string.withUTF8(Self.end)
    }

    @inline(__always)
    private static func end(of bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        guard bytes.count >= 8, let start = bytes.baseAddress else { return bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        return UnsafeRawPointer(start + bytes.count - 8).loadUnaligned(as: UInt64.self)
    }

    /// Nil unless the text is a safe label.
    var label: SafeLabel? {
        // Escapes only make the text shorter, at most 6 bytes to one: what is too long here is too long decoded.
        if hasEscapes { return raw.count <= 6 * 64 ? SafeLabel(string) : nil }
        return SafeLabel(raw)
    }

    /// Nil unless the text is 64 lower-case hexadecimal digits.
    var calibrationHash: CalibrationHash? {
        if hasEscapes { return raw.count <= 6 * 64 ? CalibrationHash(string) : nil }
        return CalibrationHash(raw)
    }

    /// Byte for byte, after escapes are decoded. No normalisation: "é" in two spellings is two names.
    static func == (text: JSONText, name: String) -> Bool {
        var name = name
        return name.withUTF8 { name in
            text.hasEscapes ? JSONUnescaped(text.raw).elementsEqual(name) : text.raw.elementsEqual(name)
        }
    }
}

/// The bytes of a checked JSON string with its escapes decoded.
struct JSONUnescaped: Sequence, IteratorProtocol {
    private var rest: UnsafeBufferPointer<UInt8>.Iterator
    /// UTF-8 of a decoded escape that is not handed out yet, first byte lowest.
    private var pending: UInt32 = 0

    init(_ checked: UnsafeBufferPointer<UInt8>) { rest = checked.makeIterator() }

    mutating func next() -> UInt8? {
        if pending != 0 {
            defer { pending >>= 8 }
            return UInt8(truncatingIfNeeded: pending)
        }
        guard let byte = rest.next() else { return nil }
        guard byte == UInt8(ascii: "\\"), let kind = rest.next() else { return byte }
        switch kind {
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "t"): return 0x09
        case UInt8(ascii: "n"): return 0x0a
        case UInt8(ascii: "f"): return 0x0c
        case UInt8(ascii: "r"): return 0x0d
        case UInt8(ascii: "u"): return codePoint()
        default: return kind
        }
    }

    /// The first byte of the escaped character; the others go to `pending`, where no byte of a longer sequence is zero.
    private mutating func codePoint() -> UInt8 {
        var value = hex4()
        if value & 0xfc00 == 0xd800 {
            _ = rest.next()
            _ = rest.next()
            value = 0x10000 + (value & 0x3ff) << 10 + hex4() & 0x3ff
        }
        var first = value
        switch value {
        case ..<0x80: break
        case ..<0x800:
            first = 0xc0 | value >> 6
            pending = continuation(value)
        case ..<0x10000:
            first = 0xe0 | value >> 12
            pending = continuation(value >> 6) | continuation(value) << 8
        default:
            first = 0xf0 | value >> 18
            pending = continuation(value >> 12) | continuation(value >> 6) << 8 | continuation(value) << 16
        }
        return UInt8(truncatingIfNeeded: first)
    }

    private func continuation(_ bits: UInt32) -> UInt32 { 0x80 | bits & 0x3f }

    private mutating func hex4() -> UInt32 {
        (0..<4).reduce(0) { value, _ in value << 4 | UInt32(rest.next().flatMap(JSONReader.hexDigit) ?? 0) }
    }
}
