public import NLOSCore

/// Why a token cannot be had, kept or forgotten. Never holds a byte of one.
public enum CredentialFailure: Error, Equatable, Sendable {
    case notAToken(TokenRefusal)
    /// No token is known for the server.
    case notPaired(MonitorEndpoint)
    /// The file of a pairing is such that somebody else could have put it there or read it.
    case unsafeFile(path: String, Flaw, MonitorEndpoint)
    /// A folder above the pairings is.
    case unsafeFolder(path: String, Flaw)
    /// What should be a file from the service manager is not.
    case unsafeCredential(path: String, Flaw)
    /// The folder in which ours would be made belongs to another user.
    case foreignDataDirectory(path: String, owner: UInt32)
    /// A variable of the environment that must hold an absolute path and does not.
    case relativePath(variable: String)
    /// There is neither `XDG_DATA_HOME` nor a home folder.
    case noHome
    /// The server's name is too long for a file's name.
    case unusableName(MonitorEndpoint)
    /// Another process is changing the pairings at this moment.
    case busy(path: String)
    /// A system call that failed; without a path where it concerns no file of ours.
    case system(path: String?, operation: String, errno: CInt)

    /// What is wrong with a file or a folder: each lets somebody else choose or read what is in it.
    public enum Flaw: Equatable, Sendable {
        /// Whoever made the link chooses what is behind it, and may choose anew at any time.
        case symbolicLink
        case notAFolder
        /// Not a regular file: a pipe, a device or a folder.
        case notAFile
        /// The number of the user to whom it belongs, who is neither this one nor, where that is allowed, root.
        case owner(UInt32)
        /// The permission bits, of which some are for group or others.
        case mode(UInt32)
        /// It has a further name, through which it can be read and changed elsewhere.
        case hardLinks
        /// Larger than any token: it is not read.
        case tooLarge
    }
}
