import Glibc

/// Which file a name means, whatever way it is written. Only regular files and names that are still free have one: a device may
/// well be given twice.
enum FileIdentity: Hashable {
    case existing(device: UInt64, number: UInt64)
    /// Folder by number, and the name in it.
    case new(device: UInt64, folder: UInt64, name: String)

    /// Whether there is anything of this name that may be looked at.
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    init?(_ path: String) {
        var facts = stat()
        if stat(path, &facts) == 0 {
            guard facts.st_mode & S_IFMT == S_IFREG else { return nil }
            self = .existing(device: UInt64(facts.st_dev), number: UInt64(facts.st_ino))
            return
        }
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { path[...$0] } ?? "."
        guard stat(String(folder), &facts) == 0 else { return nil }
        let name = slash.map { path[path.index(after: $0)...] } ?? path[...]
        self = .new(device: UInt64(facts.st_dev), folder: UInt64(facts.st_ino), name: String(name))
    }
}
