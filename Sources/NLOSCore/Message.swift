/// A sentence for people: what happened and to what, and what to type or do next.
public struct Message: Equatable, Sendable {
    public let text: String
    public let next: String?

    public init(text: String, next: String? = nil) {
        self.text = text
        self.next = next
    }
}

/// Text from a device, a file or a server, made safe for a terminal and a log.
///
/// Printable ASCII stays; everything else becomes `\xNN`, and a backslash becomes two.
public func escaped(_ bytes: some Sequence<UInt8>) -> String {
    var text = ""
    for byte in bytes {
        switch byte {
        case UInt8(ascii: "\\"): text += "\\\\"
        case 0x20...0x7e: text.unicodeScalars.append(Unicode.Scalar(byte))
        default:
            let hex = String(byte, radix: 16)
            text += hex.utf8.count == 1 ? "\\x0\(hex)" : "\\x\(hex)"
        }
    }
    return text
}
