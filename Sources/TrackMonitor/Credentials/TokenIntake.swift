import Glibc
import NLOSCore

/// Bytes on their way to becoming a token, in the memory where they will stay: nothing else of the process ever holds them.
public struct TokenIntake: ~Copyable {
    /// The longest token, the line break that an editor adds, and one more, which shows that there are too many.
    static let capacity = PairingTokenRule.lengths.upperBound + 3

    private let page: SecretPage
    private var count = 0

    public init() throws(CredentialFailure) { page = try SecretPage() }

    /// Takes what one read gives. False at the end of the input, or when more bytes than any token has are here.
    public mutating func read(from descriptor: CInt) throws(CredentialFailure) -> Bool {
        let taken = Glibc.read(descriptor, page.bytes.baseAddress! + count, Self.capacity - count)
        guard taken >= 0 else {
            guard errno == EINTR || errno == EAGAIN else { throw .system(path: nil, operation: "read", errno: errno) }
            return true
        }
        count += taken
        return taken > 0 && count < Self.capacity
    }

    /// Whether a line is complete, as at a terminal.
    public var endsWithLineFeed: Bool { count > 0 && page.bytes[count - 1] == UInt8(ascii: "\n") }

    /// The token that the bytes are, without one line break at their end.
    public consuming func token() throws(CredentialFailure) -> PairingToken {
        var count = count
        if endsWithLineFeed {
            count -= 1
            if count > 0, page.bytes[count - 1] == UInt8(ascii: "\r") { count -= 1 }
        }
        do throws(TokenRefusal) {
            try PairingTokenRule.check(UnsafeRawBufferPointer(rebasing: page.bytes[..<count]))
        } catch {
            throw .notAToken(error)
        }
        return PairingToken(page, count: count)
    }
}
