import CLinux
import Foundation
import Testing

/// `pair` takes a token from a file, a pipe or the service manager, stores it, and shows it nowhere; `unpair` forgets it.
@Suite struct PairTests {
    @Test func aTokenFromAPipe() throws {
        let home = try Home()
        let text = randomToken()
        let finished = try home.pair(piping: text + "\n")
        #expect(finished.status == 0)
        #expect(finished.output == "paired with ruview.example:8443\n")
        #expect(finished.messages == "")
        #expect(try home.stored() == text)
        let again = try home.pair(piping: text)
        #expect(again.output == "paired with ruview.example:8443; this token takes the place of the one from before\n")
    }

    @Test func aTokenFromAFile() throws {
        let home = try Home()
        let text = randomToken()
        let file = try home.folder.write(text + "\r\n", to: "token")
        try #require(chmod(file, 0o600) == 0)
        let finished = try home.run(["pair", Home.url, "--token-file", file])
        #expect(finished.status == 0)
        #expect(finished.messages == "")
        #expect(try home.stored() == text)
    }

    @Test(arguments: [0o640, 0o604, 0o644] as [UInt32]) func aFileThatOthersMayReadIsTakenWithAWarning(mode: UInt32) throws {
        let home = try Home()
        let text = randomToken()
        let file = try home.folder.write(text, to: "token")
        try #require(chmod(file, mode) == 0)
        let finished = try home.run(["pair", Home.url, "--token-file", file])
        #expect(finished.status == 0)
        #expect(finished.messages.contains("\(file): others may read this file (mode \(String(mode, radix: 8)))"))
        #expect(!(finished.output + finished.messages).contains(text))
        #expect(try home.stored() == text)
    }

    @Test func standardInputByName() throws {
        let home = try Home()
        let text = randomToken()
        #expect(try home.pair(piping: text, ["--token-file", "-"]).status == 0)
        #expect(try home.stored() == text)
    }

    @Test func aNamedPipeWhoseWriterComesLate() throws {
        let home = try Home()
        let text = randomToken()
        let path = home.folder.path("pipe")
        try #require(mkfifo(path, 0o600) == 0)
        let program = try home.start(["pair", Home.url, "--token-file", path])
        let writer = open(path, O_WRONLY)
        try #require(write(writer, text, text.utf8.count) == text.utf8.count)
        close(writer)
        #expect(try program.finish() == 0)
        #expect(try home.stored() == text)
    }

    @Test func whatTheServiceManagerHandsOver() throws {
        let home = try Home()
        let (managed, piped) = (randomToken(), randomToken())
        let file = try home.folder.write(managed, to: "nlos-bridge.ruview.example+8443")
        try #require(chmod(file, 0o400) == 0)
        home.environment["CREDENTIALS_DIRECTORY"] = home.folder.path("")
        let finished = try home.run(["pair", Home.url])
        #expect(finished.status == 0)
        #expect(finished.messages == "nlos-bridge: the token is the one in CREDENTIALS_DIRECTORY\n")
        #expect(try home.stored() == managed)
        // Who names an input means it.
        #expect(try home.pair(piping: piped, ["--token-file", "-"]).status == 0)
        #expect(try home.stored() == piped)
    }

    @Test func asJSON() throws {
        let home = try Home()
        let text = randomToken()
        for replaced in [false, true] {
            let paired = try home.pair(piping: text, ["--json"])
            #expect(
                paired.output == """
                    {"schema":"nlos-bridge.pairing.v1","endpoint":"ruview.example:8443","paired":true,"replaced":\(replaced)}\n
                    """)
        }
        for (forgotten, status) in [(true, 0), (false, 1)] as [(Bool, Int32)] {
            let unpaired = try home.run(["unpair", Home.url, "--json"])
            #expect(unpaired.status == status)
            #expect(
                unpaired.output == """
                    {"schema":"nlos-bridge.pairing.v1","endpoint":"ruview.example:8443","paired":false,"forgotten":\(forgotten)}\n
                    """)
        }
    }

    @Test func forgetting() throws {
        let home = try Home()
        #expect(try home.pair(piping: randomToken()).status == 0)
        let unpaired = try home.run(["unpair", Home.url])
        #expect(unpaired.status == 0)
        #expect(unpaired.output == "no longer paired with ruview.example:8443; the server takes the token until it is changed there\n")
        #expect(!FileManager.default.fileExists(atPath: home.file))
        let again = try home.run(["unpair", Home.url])
        #expect(again.status == 1)
        #expect(again.output == "")
        #expect(again.messages == "nlos-bridge: ruview.example:8443: there is no pairing with this server to forget\n")
    }

    struct Bad: CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let said: String
        var status: Int32 = 1
    }

    static let word = String(repeating: "k", count: 31)
    static let bad: [Bad] = [
        Bad(testDescription: "31 bytes", bytes: Array(word.utf8), said: "the pairing token is too short"),
        Bad(testDescription: "31 bytes and LF", bytes: Array((word + "\n").utf8), said: "the pairing token is too short"),
        Bad(testDescription: "513 bytes", bytes: [UInt8](repeating: 0x6b, count: 513), said: "the pairing token is too long"),
        Bad(testDescription: "a megabyte", bytes: [UInt8](repeating: 0x6b, count: 1 << 20), said: "the pairing token is too long"),
        Bad(testDescription: "a space", bytes: Array((word + " " + word).utf8), said: "holds a space or another character"),
        Bad(testDescription: "two lines", bytes: Array((word + "k\n" + word).utf8), said: "holds a space or another character"),
        Bad(testDescription: "NUL", bytes: Array(word.utf8) + [0, 0x6b], said: "holds a space or another character"),
        Bad(testDescription: "é", bytes: Array((word + "é").utf8), said: "holds a space or another character"),
        Bad(testDescription: "an empty line", bytes: [0x0a], said: "no token came on standard input", status: 2),
        Bad(testDescription: "nothing", bytes: [], said: "no token came on standard input", status: 2),
    ]

    @Test(arguments: bad) func whatIsNoTokenIsNotStored(row: Bad) throws {
        let home = try Home()
        let old = randomToken()
        #expect(try home.pair(piping: old).status == 0)
        let path = home.folder.path("input")
        try Data(row.bytes).write(to: URL(filePath: path))
        let finished = try home.run(["pair", Home.url], input: .file(path))
        #expect(finished.status == row.status)
        #expect(finished.output == "")
        #expect(finished.messages.contains(row.said), "\(finished.messages)")
        #expect(!finished.messages.contains("kkkk"))
        #expect(try home.stored() == old)
    }

    // MARK: - Never from an argument

    static let secret = "Zq7-never-show-this-anywhere-0123456789"
    static let slips: [[String]] = [
        ["pair", Home.url, secret], ["pair", secret, Home.url], ["pair", secret], ["pair", Home.url, "--token", secret],
        ["pair", Home.url, "--token=\(secret)"], ["pair", Home.url, "-\(secret)"], ["pair", Home.url, "--\(secret)"],
        ["pair", Home.url, "--json=\(secret)"], ["pair", "wss://user:\(secret)@ruview.example/api/v1/nlos/ws"],
        ["pair", "wss://ruview.example/api/v1/nlos/ws?token=\(secret)"], ["pair", "wss://ruview.example/api/v1/nlos/ws#\(secret)"],
        ["pair", "wss://ruview.example/\(secret)"], ["pair", "ws://ruview.example/api/v1/nlos/ws?token=\(secret)"],
        ["unpair", Home.url, secret], ["unpair", secret], ["unpair", Home.url, "--token=\(secret)"],
    ]

    @Test(arguments: slips) func aSecretOnTheCommandLineIsRefusedAndNotRepeated(arguments: [String]) throws {
        let home = try Home()
        let finished = try home.run(arguments)
        #expect(finished.status == 2)
        #expect(finished.output == "")
        #expect(!finished.messages.isEmpty)
        #expect(!finished.messages.contains(Self.secret) && !finished.messages.contains("never-show"), "\(finished.messages)")
        #expect(!FileManager.default.fileExists(atPath: home.data))
    }

    @Test func theReasonIsSaid() throws {
        let finished = try Home().run(["pair", Home.url, "--token", Self.secret])
        #expect(finished.messages.contains("A token is never an argument: the shell keeps arguments, and every process can read them."))
    }

    @Test(arguments: [secret, String(repeating: "k", count: 300), "/nowhere/\(secret)"]) func aTokenInPlaceOfItsFileIsNotRepeated(
        name: String
    ) throws {
        let finished = try Home().run(["pair", Home.url, "--token-file", name])
        #expect(finished.status == 1)
        #expect(finished.messages.hasPrefix("nlos-bridge: cannot open the file of --token-file: "))
        #expect(!finished.messages.contains("never-show") && !finished.messages.contains("kkk"))
    }

    @Test(arguments: [["pair"], ["unpair"]]) func help(command: [String]) throws {
        let finished = try run(command + ["--help"])
        #expect(finished.status == 0)
        #expect(finished.output.hasPrefix("usage: nlos-bridge \(command[0]) [options] URL"))
        for line in finished.lines { #expect(line.utf8.count <= 80) }
        #expect(try run(command).status == 2)
    }

    // MARK: - Files and folders

    @Test func aFolderThatOthersMayEnterIsRefusedWithWhatMendsIt() throws {
        let home = try Home()
        #expect(try home.pair(piping: randomToken()).status == 0)
        try #require(chmod(home.pairings, 0o755) == 0)
        let refused = try home.pair(piping: randomToken())
        #expect(refused.status == 4)
        #expect(refused.messages.contains("(mode 755, wanted 700)"))
        #expect(refused.messages.contains("  next: chmod 700 \(home.pairings)\n"))
        // Forgetting needs no mending.
        #expect(try home.run(["unpair", Home.url]).status == 0)
    }

    @Test(.enabled(if: getuid() == 0, "needs root, to be somebody else")) func anotherUsersFolderIsAMatterOfPermission() throws {
        let home = try Home()
        try #require(mkdir(home.data, 0o700) == 0)
        try #require(chmod(home.folder.path(""), 0o711) == 0)
        let nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
        let denied = try home.pair(piping: randomToken(), through: nobody)
        #expect(denied.status == 4)
        #expect(denied.messages.contains("\(home.data): cannot open: Permission denied"))
        try #require(chmod(home.data, 0o755) == 0)
        let foreign = try home.pair(piping: randomToken(), through: nobody)
        #expect(foreign.status == 4)
        #expect(foreign.messages.contains("the folder belongs to user 0, and you are user 65534"))
    }

    @Test func aRelativeDataDirectoryIsRefused() throws {
        let home = try Home()
        home.environment["XDG_DATA_HOME"] = "data"
        let finished = try home.pair(piping: randomToken())
        #expect(finished.status == 1)
        #expect(finished.messages.contains("XDG_DATA_HOME is not an absolute path"))
    }

    @Test func aDiskThatTakesNoMoreLeavesTheOldPairing() throws {
        let home = try Home()
        let old = randomToken()
        #expect(try home.pair(piping: old).status == 0)
        let finished = try home.pair(piping: randomToken(), through: ["prlimit", "--fsize=10"])
        #expect(finished.status == 1)
        #expect(finished.messages.contains("cannot write: File too large"))
        #expect(try home.stored() == old)
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.pairings) == ["ruview.example+8443"])
    }

    /// Killed at moments that the test does not choose: the file is always one whole token.
    @Test func killedAtAnyMomentTheOldPairingOrTheNewOneIsThere() throws {
        let home = try Home()
        var candidates = [randomToken()]
        #expect(try home.pair(piping: candidates[0]).status == 0)
        for round in 0..<30 {
            let text = randomToken()
            candidates.append(text)
            let program = try home.start(["pair", Home.url], piping: text)
            // As far as it comes meanwhile.
            for _ in 0..<(round * 40) { sched_yield() }
            program.send(signal: SIGKILL)
            _ = try program.finish()
            let stored = try home.stored()
            #expect(candidates.contains(stored), "round \(round)")
            candidates = [stored]
        }
        #expect(try home.pair(piping: randomToken()).status == 0)
    }
}
