import Foundation
import NLOSCore
import Testing

@testable import TrackMonitor

/// A pairing that somebody else could have put there or read is not used, and the message says what mends it.
@Suite struct CredentialRefusalTests {
    typealias Flaw = CredentialFailure.Flaw

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let flaw: Flaw
        /// In the message.
        let said: String
        /// Does it to the path.
        let spoil: @Sendable (DataDirectory, String) throws -> Void

        init(_ name: String, _ flaw: Flaw, _ said: String, _ spoil: @escaping @Sendable (DataDirectory, String) throws -> Void) {
            (testDescription, self.flaw, self.said, self.spoil) = (name, flaw, said, spoil)
        }

        static func mode(_ mode: UInt32) -> Row {
            let octal = String(mode, radix: 8)
            return Row("mode \(octal)", .mode(mode), "(mode \(octal), wanted ") { _, path in try #require(chmod(path, mode) == 0) }
        }
    }

    static let files: [Row] =
        [0o640, 0o620, 0o610, 0o604, 0o602, 0o601, 0o644, 0o660, 0o666, 0o4644].map(Row.mode)
        + [
            Row("a symbolic link", .symbolicLink, "it is a symbolic link") { data, path in
                try #require(rename(path, data.path + "/elsewhere") == 0 && symlink(data.path + "/elsewhere", path) == 0)
            },
            Row("a link to nothing", .symbolicLink, "it is a symbolic link") { data, path in
                try #require(unlink(path) == 0 && symlink(data.path + "/nothing", path) == 0)
            },
            Row("a hard link", .hardLinks, "a second name somewhere") { data, path in
                try #require(link(path, data.path + "/second") == 0)
            },
            Row("a folder", .notAFile, "it is no regular file") { _, path in try #require(unlink(path) == 0 && mkdir(path, 0o700) == 0) },
            Row("a pipe", .notAFile, "it is no regular file") { _, path in try #require(unlink(path) == 0 && mkfifo(path, 0o600) == 0) },
            Row("516 bytes", .tooLarge, "larger than any token") { data, path in
                try data.write(String(repeating: "k", count: 516), to: path)
            },
            Row("4 GiB", .tooLarge, "larger than any token") { _, path in try #require(truncate(path, 4 << 30) == 0) },
        ]

    @Test(arguments: files) func aFileThatIsNotOursAlone(row: Row) throws {
        let data = try DataDirectory()
        try data.keep(randomToken())
        try row.spoil(data, data.file)
        let refused = CredentialFailure.unsafeFile(path: data.file, row.flaw, data.endpoint)
        #expect(throws: refused) { try data.store.token(for: data.endpoint) }
        #expect(refused.isDenial)
        #expect(refused.message.text.contains(data.file) && refused.message.text.contains(row.said), "\(refused.message)")
        // What it says to type is right.
        if case .mode = row.flaw {
            #expect(refused.message.next == "chmod 600 \(data.file)")
            try #require(chmod(data.file, 0o600) == 0)
        } else {
            let url = "wss://ruview.example:8443/api/v1/nlos/ws"
            #expect(refused.message.next == "nlos-bridge unpair \(url) && nlos-bridge pair \(url)")
            if case .notAFile = row.flaw, row.testDescription == "a folder" {
                #expect(throws: CredentialFailure.system(path: data.file, operation: "remove", errno: EISDIR)) {
                    try data.store.forget(data.endpoint)
                }
                return
            }
            #expect(try data.store.forget(data.endpoint))
            try data.keep(randomToken())
        }
        #expect(try data.store.token(for: data.endpoint) != nil)
    }

    @Test(arguments: [0o600, 0o400, 0o700] as [UInt32]) func aFileThatIsOursAlone(mode: UInt32) throws {
        let data = try DataDirectory()
        let text = randomToken()
        try data.keep(text)
        try #require(chmod(data.file, mode) == 0)
        #expect(try data.store.token(for: data.endpoint)?.text == text)
    }

    static let folders: [Row] =
        [0o750, 0o720, 0o710, 0o704, 0o702, 0o701, 0o755, 0o777, 0o1777].map(Row.mode)
        + [
            Row("a symbolic link", .symbolicLink, "it is a symbolic link") { data, path in
                try #require(rename(path, data.path + "/elsewhere") == 0 && symlink(data.path + "/elsewhere", path) == 0)
            },
            Row("a file", .notAFolder, "it is no folder") { data, path in
                try #require(rename(path, data.path + "/elsewhere") == 0)
                try data.write("", to: path)
            },
        ]

    @Test(arguments: folders, ["/nlos-bridge", "/nlos-bridge/pairings"]) func aFolderThatIsNotOursAlone(row: Row, level: String) throws {
        let data = try DataDirectory()
        let old = randomToken()
        try data.keep(old)
        let folder = data.path + level
        try row.spoil(data, folder)
        let refused = CredentialFailure.unsafeFolder(path: folder, row.flaw)
        #expect(throws: refused) { try data.store.token(for: data.endpoint) }
        #expect(throws: refused) { try data.keep(randomToken()) }
        #expect(refused.isDenial)
        #expect(refused.message.text.contains(folder) && refused.message.text.contains(row.said), "\(refused.message)")
        if case .mode(let mode) = row.flaw {
            #expect(refused.message.next == "chmod 700 \(folder)")
            try #require(chmod(folder, 0o700) == 0)
            #expect(try data.store.token(for: data.endpoint)?.text == old)
            // Whoever forgets need not mend it first.
            try #require(chmod(folder, mode) == 0)
            #expect(try data.store.forget(data.endpoint))
        } else {
            #expect(refused.message.next == "mv \(folder) \(folder).refused, and pair again")
            #expect(throws: refused) { try data.store.forget(data.endpoint) }
            try #require(rename(folder, folder + ".refused") == 0)
            try data.keep(randomToken())
            #expect(try data.store.token(for: data.endpoint) != nil)
        }
    }

    @Test(.enabled(if: isRoot, "needs root, who can give a file away"), arguments: ["/nlos-bridge", "/nlos-bridge/pairings"])
    func aFolderOfAnotherUser(level: String) throws {
        let data = try DataDirectory()
        try data.keep(randomToken())
        try #require(chown(data.path + level, 65_534, 65_534) == 0)
        let refused = CredentialFailure.unsafeFolder(path: data.path + level, .owner(65_534))
        #expect(throws: refused) { try data.store.token(for: data.endpoint) }
        #expect(throws: refused) { try data.keep(randomToken()) }
        #expect(throws: refused) { try data.store.forget(data.endpoint) }
        #expect(refused.message.text.contains("belongs to user 65534, and you are user 0"))
    }

    @Test(.enabled(if: isRoot, "needs root, who can give a file away")) func aFileOfAnotherUser() throws {
        let data = try DataDirectory()
        try data.keep(randomToken())
        try #require(chown(data.file, 65_534, 65_534) == 0)
        let refused = CredentialFailure.unsafeFile(path: data.file, .owner(65_534), data.endpoint)
        #expect(throws: refused) { try data.store.token(for: data.endpoint) }
        #expect(refused.message.text.contains("belongs to user 65534, and you are user 0"))
        #expect(try data.store.forget(data.endpoint))
    }

    @Test(.enabled(if: isRoot, "needs root, who can give a file away")) func nothingIsMadeInAnotherUsersHome() throws {
        let data = try DataDirectory()
        try #require(chown(data.path, 65_534, 65_534) == 0)
        let refused = CredentialFailure.foreignDataDirectory(path: data.path, owner: 65_534)
        #expect(throws: refused) { try data.keep(randomToken()) }
        #expect(refused.isDenial)
        #expect(try FileManager.default.contentsOfDirectory(atPath: data.path).isEmpty)
        #expect(try data.store.token(for: data.endpoint) == nil)
    }

    @Test func aDataDirectoryMayBeALink() throws {
        let data = try DataDirectory()
        try #require(mkdir(data.path + "/disk", 0o755) == 0 && symlink(data.path + "/disk", data.path + "/link") == 0)
        let store = CredentialStore(dataDirectory: data.path + "/link")
        let text = randomToken()
        _ = try store.keep(token(text), for: data.endpoint)
        #expect(try store.token(for: data.endpoint)?.text == text)
    }

    @Test(arguments: ["", "short", "with a space in the middle of the word", String(repeating: "k", count: 513)])
    func aFileThatHoldsNoToken(text: String) throws {
        let data = try DataDirectory()
        try data.keep(randomToken())
        try data.write(text, to: data.file)
        let failure = #expect(throws: CredentialFailure.self) { try data.store.token(for: data.endpoint) }
        guard case .notAToken = failure else { return #expect(Bool(false), "\(String(describing: failure))") }
    }

    @Test func aPathThatAShellWouldTakeApartIsQuoted() {
        let failure = CredentialFailure.unsafeFolder(path: "/home/Ann O'Hara/share", .mode(0o755))
        #expect(failure.message.next == "chmod 700 '/home/Ann O'\\''Hara/share'")
    }
}
