import Glibc

/// The user's data directory as the XDG base directory specification has it, an absolute path.
func userDataDirectory() throws(CredentialFailure) -> String {
    if let set = try absolutePath(in: "XDG_DATA_HOME") { return set }
    if let home = try absolutePath(in: "HOME") { return "\(home)/.local/share" }
    guard let entry = getpwuid(geteuid()), let home = entry.pointee.pw_dir, home.pointee == UInt8(ascii: "/") else { throw .noHome }
    return "\(String(cString: home))/.local/share"
}

/// The path that a variable of the environment holds; nil when it is not set or empty. A relative one would mean another folder
/// with each place that the program is started from.
func absolutePath(in variable: String) throws(CredentialFailure) -> String? {
    guard let value = getenv(variable), value.pointee != 0 else { return nil }
    guard value.pointee == UInt8(ascii: "/") else { throw .relativePath(variable: variable) }
    return String(cString: value)
}

/// Makes the folder and those above it that are missing, for their owner alone.
func makeFolders(to path: String) throws(CredentialFailure) {
    var place = path.startIndex
    while place < path.endIndex {
        place = path[path.index(after: place)...].firstIndex(of: "/") ?? path.endIndex
        let folder = String(path[..<place])
        guard mkdir(folder, 0o700) != 0, errno != EEXIST else { continue }
        throw .system(path: folder, operation: "make", errno: errno)
    }
}
