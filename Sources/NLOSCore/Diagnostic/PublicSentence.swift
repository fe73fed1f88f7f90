/// A sentence of this program's own source, for a file that may leave the machine.
///
/// It can be made of a literal only: nothing that was read, measured or typed can get into it, so no path, address or identifier can.
public struct PublicSentence: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let text: String

    /// At most 240 characters count; all of them are ASCII.
    public init(_ literal: StaticString) { text = String("\(literal)".prefix(240)) }

    public init(stringLiteral: StaticString) { self.init(stringLiteral) }

    public var description: String { text }
}
