/// How a server broke the rules of RFC 6455.
enum WebSocketBreach: Error, Equatable {
    case masked
    case reservedBits
    case reservedOpcode(UInt8)
    /// A ping, pong or close frame that is fragmented or longer than 125 bytes.
    case controlFrame
    /// A length written longer than needed, or with the top bit of its 64.
    case lengthForm
    /// A new message inside another, or the continuation of none.
    case order
    /// The fragments of one message promise more bytes together than a message may have.
    case messageTooLarge
    /// More fragments without a single byte than anybody needs.
    case emptyFragments
    /// Text, or the reason of a close frame, that is not UTF-8.
    case text
    /// A close frame with a code that nobody may send, or with half a code.
    case closeCode(UInt16?)

    /// What the server is told.
    var closeCode: UInt16 {
        switch self {
        case .messageTooLarge: 1009
        case .text: 1007
        default: 1002
        }
    }
}
