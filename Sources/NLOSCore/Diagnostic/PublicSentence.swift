/// A sentence of this program's own source, for a file that may leave the machine.
///
/// It is made of literals, names of phases, shares and seconds only: no text that was read, measured or typed can get into it, so no
/// path, address or identifier can.
///
/// ```
/// let reason: PublicSentence = "The frame rate of the \(phase) was under \(percent: 0.9) of the attainable rate."
/// ```
public struct PublicSentence: Hashable, Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// At most 240 ASCII characters.
    public let text: String

    public init(stringLiteral literal: StaticString) { text = Self.bounded("\(literal)") }
    public init(stringInterpolation parts: StringInterpolation) { text = Self.bounded(parts.text) }

    public var description: String { text }

    private static func bounded(_ text: String) -> String {
        String(decoding: text.utf8.lazy.filter { (0x20...0x7e).contains($0) }.prefix(240), as: UTF8.self)
    }

    /// The parts that a sentence may have.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        public init(literalCapacity: Int, interpolationCount: Int) {}

        public mutating func appendLiteral(_ literal: StaticString) { text += "\(literal)" }

        public mutating func appendInterpolation(_ literal: StaticString) { text += "\(literal)" }

        public mutating func appendInterpolation(_ phase: ValidationPhase) { text += phase.words }

        /// A share of one.
        public mutating func appendInterpolation(percent share: Double) { text += "\(Self.number(share * 100, below: 1_000)) %" }

        /// With one digit after the point.
        public mutating func appendInterpolation(seconds: Double) {
            let tenths = Self.number(seconds * 10, below: 100_000)
            text += "\(tenths / 10).\(tenths % 10) s"
        }

        /// 0 for what is no number.
        private static func number(_ value: Double, below limit: Double) -> Int {
            value.isFinite ? Int(min(max(0, value.rounded()), limit - 1)) : 0
        }
    }
}
