import NLOSCore

/// A device's serial number: bytes that nobody vouches for, and what of them may be shown.
public struct SerialNumber: Hashable, Sendable {
    /// As the kernel's `serial` file holds them: UTF-8 made from the descriptor's UTF-16 units, cut at a NUL unit.
    public let bytes: [UInt8]
    /// Printable ASCII, what `--sensor` and JSON use; nil when the bytes are anything else.
    public let text: String?

    /// Nil when there are no bytes.
    ///
    /// Old ST-LINK firmware puts one raw byte of its 12-byte id into each of 12 units. Where any of those is no letter
    /// or digit, the number is shown as the 24 hexadecimal digits that newer firmware would print.
    public init?(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return nil }
        self.bytes = bytes
        if let units = Self.rawUnits(bytes) {
            text = units.map { Self.hex[Int($0 >> 4)] + Self.hex[Int($0 & 15)] }.joined()
        } else {
            text = bytes.allSatisfy { (0x20...0x7e).contains($0) } ? String(decoding: bytes, as: UTF8.self) : nil
        }
    }

    /// For people: nothing shortened, no byte that a terminal would act on.
    public var shown: String { text ?? escaped(bytes) }

    private static let hex = "0123456789ABCDEF".map { String($0) }

    /// The 12 raw bytes of a broken ST-LINK number; nil for a number that is text.
    private static func rawUnits(_ bytes: [UInt8]) -> [UInt8]? {
        guard let units = String(validating: bytes, as: UTF8.self)?.unicodeScalars, units.count == 12 else { return nil }
        let raw = units.compactMap { UInt8(exactly: $0.value) }
        guard raw.count == 12, !raw.allSatisfy(isAlphanumeric) else { return nil }
        return raw
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        default: false
        }
    }
}
