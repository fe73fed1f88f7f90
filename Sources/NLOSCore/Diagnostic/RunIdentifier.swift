/// The name of one validation run: a random UUID (version 4), lower case. It says nothing about the machine or the sensor.
public struct RunIdentifier: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    /// A new one from the system's random numbers.
    public init() {
        var generator = SystemRandomNumberGenerator()
        self.init(using: &generator)
    }

    /// For tests that own the random numbers.
    public init(using generator: inout some RandomNumberGenerator) {
        let high: UInt64 = generator.next() & 0xffff_ffff_ffff_0fff | 0x4000
        let low: UInt64 = generator.next() & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000
        let digits = [high, low].flatMap { word in (0..<16).reversed().map { Self.digit(word >> (4 * UInt64($0))) } }
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(decoding: digits[$0], as: UTF8.self) }
        text = groups.joined(separator: "-")
    }

    public var description: String { text }

    private static func digit(_ word: UInt64) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: word & 0xf)
        return value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
