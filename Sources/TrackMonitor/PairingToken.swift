/// The secret that pairs this machine with a server: 32 to 512 visible ASCII characters.
///
/// It lives in a page of memory of its own that is locked, left out of cores, empty in a child process, and wiped with the last
/// reference. While there is a token, no core of the process is written. It has no text form: what prints it prints its type.
public final class PairingToken: Sendable, CustomReflectable {
    private let page: SecretPage
    private let count: Int

    /// The page begins with `count` bytes that keep the token's rule.
    init(_ page: consuming SecretPage, count: Int) {
        self.page = page
        self.count = count
    }

    /// Reads to the end of a file, or of a pipe that may block. A line break at the end, LF or CRLF, is not part of the token.
    public static func read(from descriptor: CInt) throws(CredentialFailure) -> PairingToken {
        var intake = try TokenIntake()
        while try intake.read(from: descriptor) {}
        return try intake.token()
    }

    /// Lends the bytes for the time of the call. Whoever copies them wipes the copy.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(rebasing: page.bytes[..<count]))
    }

    /// False where the kernel would not lock the token's memory, which may then reach swap.
    public var isLocked: Bool { page.isLocked }

    public var customMirror: Mirror { Mirror(self, children: [], ancestorRepresentation: .suppressed) }
}
