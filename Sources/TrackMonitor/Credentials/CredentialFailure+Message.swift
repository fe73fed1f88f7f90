import Glibc
public import NLOSCore

extension CredentialFailure {
    /// What happened, to which file, and what to type.
    public var message: Message {
        let ownFolder = "set XDG_DATA_HOME to a folder of your own"
        return switch self {
        case .notAToken(let refusal): refusal.message
        case .notPaired(let endpoint):
            Message(text: "\(endpoint.credentialName): you are not paired with this server", next: "nlos-bridge pair \(endpoint.url)")
        case .unsafeFile(let path, let flaw, let endpoint):
            Message(
                text: "\(escaped(path.utf8)): \(flaw.sentence("file", bound: "600")); the token in it is not used",
                next: flaw.isMode
                    ? "chmod 600 \(quoted(path))" : "nlos-bridge unpair \(endpoint.url) && nlos-bridge pair \(endpoint.url)")
        case .unsafeFolder(let path, let flaw):
            Message(
                text: "\(escaped(path.utf8)): \(flaw.sentence("folder", bound: "700")); no pairing in it is used",
                next: flaw.isMode ? "chmod 700 \(quoted(path))" : "mv \(quoted(path)) \(quoted(path + ".refused")), and pair again")
        case .unsafeCredential(let path, let flaw):
            Message(
                text: "\(escaped(path.utf8)): \(flaw.sentence("file", bound: "400")); the token in it is not used",
                next: "let the service manager put it there: LoadCredential= in the unit")
        case .foreignDataDirectory(let path, let owner):
            Message(
                text: "\(escaped(path.utf8)): the folder belongs to user \(owner), and you are user \(geteuid()); no pairing is kept there",
                next: "pair as the user who will run monitor\n\(ownFolder)")
        case .relativePath(let variable):
            Message(text: "\(variable) is not an absolute path", next: "set \(variable) to a path that begins with /, or unset it")
        case .noHome: Message(text: "there is no home folder to keep a pairing in", next: ownFolder)
        case .unusableName(let endpoint):
            Message(
                text: "\(endpoint.credentialName): the name is too long for a file that is named after it",
                next: "use a shorter name or the IP address")
        case .busy(let path):
            Message(text: "\(escaped(path.utf8)): another nlos-bridge is changing the pairings", next: "try again when it is done")
        case .system(let path, let operation, let errno):
            Message(text: "\(path.map { "\(escaped($0.utf8)): " } ?? "")cannot \(operation): \(String(cString: strerror(errno)))")
        }
    }

    /// Whether it is a matter of who may do what with a file.
    public var isDenial: Bool {
        switch self {
        case .unsafeFile, .unsafeFolder, .unsafeCredential, .foreignDataDirectory: true
        case .system(_, _, let errno): errno == EACCES || errno == EPERM
        default: false
        }
    }
}

extension CredentialFailure.Flaw {
    fileprivate var isMode: Bool { if case .mode = self { true } else { false } }

    fileprivate func sentence(_ kind: String, bound: String) -> String {
        switch self {
        case .symbolicLink: "it is a symbolic link, and whoever made it chooses the \(kind)"
        case .notAFolder: "it is no folder"
        case .notAFile: "it is no regular file"
        case .owner(let user): "the \(kind) belongs to user \(user), and you are user \(geteuid())"
        case .mode(let mode): "others than you may use the \(kind) (mode \(String(mode, radix: 8)), wanted \(bound))"
        case .hardLinks: "the file has a second name somewhere (a hard link)"
        case .tooLarge: "the file is larger than any token"
        }
    }
}

/// The path as a shell takes it.
private func quoted(_ path: String) -> String {
    let plain = path.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "+"):
            true
        default: false
        }
    }
    return plain ? path : "'\(path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
}
