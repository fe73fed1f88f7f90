import Glibc
public import NLOSCore

/// The pairings of this user: a file for each server, below the user's data directory.
///
/// `DATA/nlos-bridge/pairings/HOST+PORT`, 0600 in folders of 0700, and nothing in it but the token. It is used only while nobody
/// else could have put it there or read it.
public struct CredentialStore: Sendable {
    private static let folders = ["nlos-bridge", "pairings"]
    private let dataDirectory: String

    /// `dataDirectory` is an absolute path.
    public init(dataDirectory: String) { self.dataDirectory = dataDirectory }

    /// The store of the user who runs the program: below `XDG_DATA_HOME`, else below `.local/share` of the home folder.
    public static func ofUser() throws(CredentialFailure) -> CredentialStore {
        CredentialStore(dataDirectory: try userDataDirectory())
    }

    /// The token for the server; nil when this user is not paired with it.
    public func token(for endpoint: MonitorEndpoint) throws(CredentialFailure) -> PairingToken? {
        let name = try endpoint.pairingFileName
        guard let folder = try pairings(), let file = try folder.pairing(name, with: endpoint) else { return nil }
        return try PairingToken.read(from: file.descriptor)
    }

    /// Keeps the token for the server, and makes the folders where they are missing. Returns whether it took the place of another.
    ///
    /// After a crash there is the old file or the new one, whole.
    public func keep(_ token: PairingToken, for endpoint: MonitorEndpoint) throws(CredentialFailure) -> Bool {
        let name = try endpoint.pairingFileName
        let folder = try makePairings()
        try folder.lock()
        defer { folder.unlock() }
        try folder.write(token, to: Self.unfinished(name))
        let replaced = faccessat(folder.descriptor, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0
        guard renameat(folder.descriptor, Self.unfinished(name), folder.descriptor, name) == 0 else {
            let reason = errno
            unlinkat(folder.descriptor, Self.unfinished(name), 0)
            throw .system(path: "\(folder.path)/\(name)", operation: "write", errno: reason)
        }
        try folder.synchronise()
        return replaced
    }

    /// Removes the server's token. Returns false when there was none.
    ///
    /// The blocks on the disk are not overwritten: on flash memory and on file systems that write elsewhere it would prove nothing.
    public func forget(_ endpoint: MonitorEndpoint) throws(CredentialFailure) -> Bool {
        let name = try endpoint.pairingFileName
        guard let folder = try pairings(forgiving: true) else { return false }
        try folder.lock()
        defer { folder.unlock() }
        // What a crash may have left: it is a token too.
        unlinkat(folder.descriptor, Self.unfinished(name), 0)
        guard unlinkat(folder.descriptor, name, 0) == 0 else {
            guard errno == ENOENT else { throw .system(path: "\(folder.path)/\(name)", operation: "remove", errno: errno) }
            return false
        }
        try folder.synchronise()
        return true
    }

    private static func unfinished(_ name: String) -> String { "\(name).new" }

    private func pairings(forgiving: Bool = false) throws(CredentialFailure) -> OpenedFile? {
        guard var folder = try OpenedFile.dataDirectory(dataDirectory) else { return nil }
        for name in Self.folders {
            guard let next = try folder.privateFolder(name, forgiving: forgiving) else { return nil }
            folder = next
        }
        return folder
    }

    private func makePairings() throws(CredentialFailure) -> OpenedFile {
        try makeFolders(to: dataDirectory)
        guard var folder = try OpenedFile.dataDirectory(dataDirectory) else {
            throw .system(path: dataDirectory, operation: "open", errno: ENOENT)
        }
        for name in Self.folders { folder = try folder.makePrivateFolder(name) }
        return folder
    }
}

extension OpenedFile {
    /// Opens the folder, and makes it first where it is missing.
    fileprivate func makePrivateFolder(_ name: String) throws(CredentialFailure) -> OpenedFile {
        if let folder = try privateFolder(name, forgiving: false) { return folder }
        // Not in another user's home, as with sudo: there it would only be in the way.
        guard owner == geteuid() else { throw .foreignDataDirectory(path: path, owner: owner) }
        guard mkdirat(descriptor, name, 0o700) == 0 || errno == EEXIST else {
            throw .system(path: "\(path)/\(name)", operation: "make", errno: errno)
        }
        try synchronise()
        guard let folder = try privateFolder(name, forgiving: false) else {
            throw .system(path: "\(path)/\(name)", operation: "open", errno: ENOENT)
        }
        return folder
    }

    /// Until `unlock`, no other process changes what is in the folder.
    fileprivate func lock() throws(CredentialFailure) {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw errno == EWOULDBLOCK ? .busy(path: path) : .system(path: path, operation: "lock", errno: errno)
        }
    }

    /// Not left to the closing of the descriptor: a process that is just being started would hold a copy for a moment.
    fileprivate func unlock() { _ = flock(descriptor, LOCK_UN) }

    fileprivate func synchronise() throws(CredentialFailure) {
        guard fsync(descriptor) == 0 else { throw .system(path: path, operation: "write", errno: errno) }
    }

    /// Writes a file of the name, which exists afterwards with all of the token, on the disk, or not at all.
    fileprivate func write(_ token: PairingToken, to name: String) throws(CredentialFailure) {
        // A crash may have left one. Whoever made it is gone: we hold the lock.
        unlinkat(descriptor, name, 0)
        let file = openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .system(path: "\(path)/\(name)", operation: "make", errno: errno) }
        // The umask may have taken the owner's permissions away.
        var reason: CInt = fchmod(file, 0o600) == 0 ? 0 : errno
        if reason == 0 { reason = token.withBytes { writeAll($0, to: file) } }
        if reason == 0, fsync(file) != 0 { reason = errno }
        if close(file) != 0, reason == 0 { reason = errno }
        guard reason != 0 else { return }
        unlinkat(descriptor, name, 0)
        throw .system(path: "\(path)/\(name)", operation: "write", errno: reason)
    }
}

/// 0, or the error number of what went wrong.
private func writeAll(_ bytes: UnsafeRawBufferPointer, to file: CInt) -> CInt {
    var written = 0
    while written < bytes.count {
        let count = write(file, bytes.baseAddress! + written, bytes.count - written)
        if count > 0 { written += count } else if errno != EINTR { return errno }
    }
    return 0
}
