/// Why bytes are no pairing token. It says nothing of what they are.
public enum TokenRefusal: Error, Equatable, CaseIterable, Sendable {
    case empty, tooShort, tooLong
    /// A space, a control character or anything outside ASCII.
    case character
}

/// What a pairing token looks like: 32 to 512 bytes, each 0x21 to 0x7e.
///
/// Source: the wire contract, B.
public enum PairingTokenRule {
    public static let lengths = 32...512

    /// Throws unless the bytes are a token. Nothing is copied.
    public static func check(_ bytes: some Collection<UInt8>) throws(TokenRefusal) {
        guard !bytes.isEmpty else { throw .empty }
        guard bytes.count >= lengths.lowerBound else { throw .tooShort }
        guard bytes.count <= lengths.upperBound else { throw .tooLong }
        guard bytes.allSatisfy({ (0x21...0x7e).contains($0) }) else { throw .character }
    }
}

extension TokenRefusal {
    /// What is wrong, for people; without a byte of the token.
    public var message: Message {
        let rule = "a pairing token is one word of 32 to 512 printable ASCII characters; copy it again from the server"
        return switch self {
        case .empty: Message(text: "the pairing token is empty", next: rule)
        case .tooShort: Message(text: "the pairing token is too short", next: rule)
        case .tooLong: Message(text: "the pairing token is too long", next: rule)
        case .character: Message(text: "the pairing token holds a space or another character that no token has", next: rule)
        }
    }
}
