/// A name that may stand in a message: 1 to 64 characters of `A-Z a-z 0-9 . _ : -`.
///
/// Source: the wire contract's "safe label".
public struct SafeLabel: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    /// Nil when `text` is empty, longer than 64, or holds any other character.
    public init?(_ text: String) {
        guard Self.isSafe(text.utf8) else { return nil }
        self.text = text
    }

    /// The same from bytes, of which no copy is made before they are checked.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard Self.isSafe(bytes) else { return nil }
        text = String(decoding: bytes, as: UTF8.self)
    }

    public var description: String { text }

    /// The label with a mark of safe characters at its end, shortened where both would not fit: a calibration that was made without the
    /// mark refuses frames that have it.
    public func marked(_ mark: String) -> SafeLabel { SafeLabel("\(text.prefix(64 - min(mark.utf8.count, 63)))\(mark)") ?? self }

    /// Whether the bytes make a safe label.
    public static func isSafe(_ bytes: some Collection<UInt8>) -> Bool {
        (1...64).contains(bytes.count) && bytes.allSatisfy(isSafe(byte:))
    }

    @inlinable
    static func isSafe(byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: ":"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
