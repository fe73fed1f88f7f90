/// What a strict reading of one message came to, in the wire contract's own words.
///
/// Shared by every message type; a verdict that only one of them can give is still listed here, so that a reader of
/// `check --json` or of a log meets one vocabulary.
public enum Rejection: Error, Equatable, Sendable {
    case messageTooLarge
    case malformed
    /// The field's dotted name, as the contract writes it.
    case invalidField(String)
    case sessionChanged
    case replayedSequence

    /// The name that programs match on.
    public var name: String {
        switch self {
        case .messageTooLarge: "message_too_large"
        case .malformed: "malformed"
        case .invalidField: "invalid_field"
        case .sessionChanged: "session_changed"
        case .replayedSequence: "replayed_sequence"
        }
    }

    /// The field at fault, for `invalid_field` only.
    public var field: String? {
        if case .invalidField(let field) = self { field } else { nil }
    }
}
