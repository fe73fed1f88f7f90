/// How text is spelled inside a JSON string.
enum JSONEscapes {
    /// Writes the text with its quotes; needs room for 6 bytes a byte, and 2.
    ///
    /// Quote, backslash and control characters are escaped (RFC 8259, 7); everything else stays as the UTF-8 it is.
    static func writeQuoted(_ utf8: UnsafeBufferPointer<UInt8>, to: OutputPointer) -> OutputPointer {
        var end = to
        end.put(UInt8(ascii: "\""))
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "\""): end.put(contentsOf: "\\\"")
            case UInt8(ascii: "\\"): end.put(contentsOf: "\\\\")
            case 0x08: end.put(contentsOf: "\\b")
            case 0x09: end.put(contentsOf: "\\t")
            case 0x0a: end.put(contentsOf: "\\n")
            case 0x0c: end.put(contentsOf: "\\f")
            case 0x0d: end.put(contentsOf: "\\r")
            case 0x00..<0x20, 0x7f:
                end.put(contentsOf: "\\u00")
                end.put(hexDigit(byte >> 4))
                end.put(hexDigit(byte & 15))
            default: end.put(byte)
            }
        }
        end.put(UInt8(ascii: "\""))
        return end
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
