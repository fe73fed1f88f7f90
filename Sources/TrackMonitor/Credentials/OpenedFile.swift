import Glibc
import NLOSCore

/// A file or folder that is open, and what the kernel says of the very thing that was opened, whatever its name means by now.
struct OpenedFile: ~Copyable {
    typealias Flaw = CredentialFailure.Flaw

    let descriptor: CInt
    let path: String
    private let facts: stat

    /// Owns the descriptor.
    private init(_ descriptor: CInt, path: String) {
        self.descriptor = descriptor
        self.path = path
        var facts = stat()
        fstat(descriptor, &facts)
        self.facts = facts
    }

    deinit { close(descriptor) }

    /// The folder in which ours is, links followed: where the user keeps data is the user's choice. Nil when there is none.
    static func dataDirectory(_ path: String) throws(CredentialFailure) -> OpenedFile? {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor >= 0 { return OpenedFile(descriptor, path: path) }
        guard errno == ENOENT else { throw .system(path: path, operation: "open", errno: errno) }
        return nil
    }

    /// What has the name in this folder, links not followed; nil when nothing has.
    func entry(_ name: String, refusing: (String, Flaw) -> CredentialFailure) throws(CredentialFailure) -> OpenedFile? {
        let path = "\(self.path)/\(name)"
        // Not to wait for a pipe's writer, should somebody have put a pipe there.
        let descriptor = openat(self.descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        if descriptor >= 0 { return OpenedFile(descriptor, path: path) }
        switch errno {
        case ENOENT: return nil
        case ELOOP: throw refusing(path, .symbolicLink)
        case ENXIO, ENODEV: throw refusing(path, .notAFile)
        case let reason: throw .system(path: path, operation: "open", errno: reason)
        }
    }

    /// One of the folders above the pairings. `forgiving` overlooks its permissions: they do no harm to somebody who only removes.
    func privateFolder(_ name: String, forgiving: Bool) throws(CredentialFailure) -> OpenedFile? {
        guard let folder = try entry(name, refusing: { .unsafeFolder(path: $0, $1) }) else { return nil }
        if let flaw = folder.folderFlaw(forgiving: forgiving) { throw .unsafeFolder(path: folder.path, flaw) }
        return folder
    }

    /// The file of a pairing.
    func pairing(_ name: String, with endpoint: MonitorEndpoint) throws(CredentialFailure) -> OpenedFile? {
        guard let file = try entry(name, refusing: { .unsafeFile(path: $0, $1, endpoint) }) else { return nil }
        if let flaw = file.pairingFlaw { throw .unsafeFile(path: file.path, flaw, endpoint) }
        return file
    }

    /// A file that the service manager put there: it belongs to root or to us. An access list that lets us read it shows among the
    /// group's permissions, so these say nothing.
    func managedCredential(_ name: String) throws(CredentialFailure) -> OpenedFile? {
        guard let file = try entry(name, refusing: { .unsafeCredential(path: $0, $1) }) else { return nil }
        let flaw: Flaw? =
            !file.isRegular
            ? .notAFile
            : file.owner != 0 && file.owner != geteuid()
                ? .owner(file.owner)
                : file.mode & 0o007 != 0 ? .mode(file.mode) : nil
        if let flaw { throw .unsafeCredential(path: file.path, flaw) }
        return file
    }

    var owner: UInt32 { facts.st_uid }
    private var mode: UInt32 { facts.st_mode & 0o7777 }
    private var isRegular: Bool { facts.st_mode & S_IFMT == S_IFREG }
    private var isFolder: Bool { facts.st_mode & S_IFMT == S_IFDIR }
    private var isPrivate: Bool { mode & 0o077 == 0 }

    private func folderFlaw(forgiving: Bool) -> Flaw? {
        if !isFolder { return .notAFolder }
        if owner != geteuid() { return .owner(owner) }
        return isPrivate || forgiving ? nil : .mode(mode)
    }

    private var pairingFlaw: Flaw? {
        if !isRegular { return .notAFile }
        if owner != geteuid() { return .owner(owner) }
        if !isPrivate { return .mode(mode) }
        if facts.st_nlink != 1 { return .hardLinks }
        return facts.st_size > TokenIntake.capacity ? .tooLarge : nil
    }
}
