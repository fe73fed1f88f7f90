/// The SHA-256 of a calibration as the wire carries it: 64 characters of `0-9 a-f`.
public struct CalibrationHash: Hashable, Sendable {
    public let text: String
    public let isZero: Bool

    /// Nil unless `text` is exactly 64 lower-case hexadecimal digits.
    public init?(_ text: String) {
        var text = text
        guard let hash = text.withUTF8({ Self($0) }) else { return nil }
        self = hash
    }

    /// The same from bytes, of which no copy is made before they are checked.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count == 64, let start = bytes.baseAddress else { return nil }
        var others: UInt64 = 0
        var beyondZero: UInt64 = 0
        for offset in stride(from: 0, to: 64, by: 8) {
            let word = UnsafeRawPointer(start + offset).loadUnaligned(as: UInt64.self)
            others |= word | ~Self.hexDigits(word)
            beyondZero |= word ^ DecimalDigits.zeros
        }
        guard others & Self.topBits == 0 else { return nil }
        let isZero = beyondZero == 0
        self = isZero ? .zero : Self(text: String(decoding: bytes, as: UTF8.self), isZero: false)
    }

    /// "Not calibrated": 64 zeros.
    public static let zero = CalibrationHash(text: String(repeating: "0", count: 64), isZero: true)

    private static let topBits: UInt64 = 0x8080_8080_8080_8080

    /// The top bit of each byte that is `0-9 a-f`; the bytes are ASCII.
    @inline(__always)
    private static func hexDigits(_ word: UInt64) -> UInt64 {
        atLeast(0x30, word) & ~atLeast(0x3a, word) | atLeast(0x61, word) & ~atLeast(0x67, word)
    }

    /// The top bit of each byte from `limit` on.
    @inline(__always)
    private static func atLeast(_ limit: UInt64, _ word: UInt64) -> UInt64 {
        (word & ~topBits) &+ (0x80 - limit) &* 0x0101_0101_0101_0101
    }

    private init(text: String, isZero: Bool) {
        self.text = text
        self.isZero = isZero
    }
}
