/// The SHA-256 of a calibration as the wire carries it: 64 characters of `0-9 a-f`.
public struct CalibrationHash: Hashable, Sendable {
    public let text: String

    /// Nil unless `text` is exactly 64 lower-case hexadecimal digits.
    public init?(_ text: String) {
        guard text.utf8.count == 64, text.utf8.allSatisfy(Self.isDigit) else { return nil }
        self.text = text
    }

    /// "Not calibrated": 64 zeros.
    public static let zero = CalibrationHash(zeros: ())

    private init(zeros: ()) { text = String(repeating: "0", count: 64) }

    public var isZero: Bool { text.utf8.allSatisfy { $0 == UInt8(ascii: "0") } }

    static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
