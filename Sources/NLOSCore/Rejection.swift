/// What a strict reading of one message came to, in the wire contract's own words.
///
/// Shared by every message type; a verdict that only one of them can give is still listed here, so that a reader of
/// `check --json` or of a log meets one vocabulary.
public enum Rejection: Error, Equatable, Sendable {
    case messageTooLarge
    case malformed
    /// The field's dotted name, as the contract writes it.
    case invalidField(String)
    /// The message says that it counts for longer than the contract allows.
    case excessiveLifetime
    /// Its time is over.
    case stale
    /// It was captured further ahead of this clock than the contract allows.
    case futureDated
    case sessionChanged
    case replayedSequence
    /// A message that is not text.
    case unsupportedBinary

    /// The name that programs match on.
    public var name: String {
        switch self {
        case .messageTooLarge: "message_too_large"
        case .malformed: "malformed"
        case .invalidField: "invalid_field"
        case .excessiveLifetime: "excessive_lifetime"
        case .stale: "stale"
        case .futureDated: "future_dated"
        case .sessionChanged: "session_changed"
        case .replayedSequence: "replayed_sequence"
        case .unsupportedBinary: "unsupported_binary"
        }
    }

    /// The field at fault, for `invalid_field` only.
    public var field: String? {
        if case .invalidField(let field) = self { field } else { nil }
    }
}
