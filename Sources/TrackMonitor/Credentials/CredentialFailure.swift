public import NLOSCore

/// Why a token cannot be had, kept or forgotten. Never holds a byte of one.
public enum CredentialFailure: Error, Equatable, Sendable {
    case notAToken(PairingTokenRule.Breach)
    /// A system call that failed; without a path where it concerns no file of ours.
    case system(path: String?, operation: String, errno: CInt)
}
