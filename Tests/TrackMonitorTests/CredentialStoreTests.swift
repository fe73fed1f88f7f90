import CLinux
import Foundation
import NLOSCore
import Testing

@testable import TrackMonitor

/// A pairing is kept whole or not at all, in a place that is the user's alone.
@Suite struct CredentialStoreTests {
    @Test func whatWasKeptIsFoundAgain() throws {
        let data = try DataDirectory()
        let text = randomToken()
        #expect(try data.store.token(for: data.endpoint) == nil)
        #expect(try !data.keep(text))
        #expect(try data.store.token(for: data.endpoint)?.text == text)
        #expect(try data.contents(data.file) == text)
        #expect(try data.names() == ["ruview.example+8443"])
        #expect(try data.mode(data.own) == 0o700)
        #expect(try data.mode(data.pairings) == 0o700)
        #expect(try data.mode(data.file) == 0o600)
    }

    @Test func aSecondTokenTakesThePlaceOfTheFirst() throws {
        let data = try DataDirectory()
        let text = randomToken()
        #expect(try !data.keep(randomToken()))
        let before = try data.facts(data.file).st_ino
        #expect(try data.keep(text))
        #expect(try data.store.token(for: data.endpoint)?.text == text)
        // A new file in the place of the old one: a reader has one or the other.
        #expect(try data.facts(data.file).st_ino != before)
        #expect(try data.names() == ["ruview.example+8443"])
    }

    @Test func forgettingLeavesNothing() throws {
        let data = try DataDirectory()
        #expect(try !data.store.forget(data.endpoint))
        try data.keep(randomToken())
        #expect(try data.store.forget(data.endpoint))
        #expect(try data.names() == [])
        #expect(try !data.store.forget(data.endpoint))
        #expect(try data.store.token(for: data.endpoint) == nil)
    }

    @Test func eachHostAndPortHasItsOwn() throws {
        let data = try DataDirectory()
        let urls = [
            "wss://a.example/api/v1/nlos/ws", "wss://a.example:8443/api/v1/nlos/ws", "wss://b.example/api/v1/nlos/ws",
            "wss://[::1]:8443/api/v1/nlos/ws", "wss://127.0.0.1:8443/api/v1/nlos/ws", "wss://a-1.example/api/v1/nlos/ws",
            "wss://a_1.example/api/v1/nlos/ws", "wss://[fe80::1]/api/v1/nlos/ws",
        ]
        var tokens: [MonitorEndpoint: String] = [:]
        for url in urls {
            let endpoint = try MonitorEndpoint(url)
            tokens[endpoint] = randomToken()
            #expect(try !data.store.keep(token(tokens[endpoint]!), for: endpoint))
        }
        for (endpoint, text) in tokens { #expect(try data.store.token(for: endpoint)?.text == text) }
        #expect(
            try data.names() == [
                "++1+8443", "127.0.0.1+8443", "a-1.example+443", "a.example+443", "a.example+8443", "a_1.example+443", "b.example+443",
                "fe80++1+443",
            ])
    }

    @Test func oneHostHasOnePairingHoweverItIsSpelled() throws {
        let data = try DataDirectory()
        let text = randomToken()
        _ = try data.store.keep(token(text), for: MonitorEndpoint("wss://RuView.Example./api/v1/nlos/ws"))
        #expect(try data.store.token(for: MonitorEndpoint("wss://ruview.example:443/api/v1/nlos/ws"))?.text == text)
    }

    @Test func aNameThatIsTooLongForAFileIsRefused() throws {
        let data = try DataDirectory()
        let label = String(repeating: "a", count: 63)
        let long = try MonitorEndpoint("wss://\(label).\(label).\(label).\(label.prefix(61))/api/v1/nlos/ws")
        #expect(throws: CredentialFailure.unusableName(long)) { try data.store.keep(token(randomToken()), for: long) }
        #expect(throws: CredentialFailure.unusableName(long)) { try data.store.token(for: long) }
        #expect(throws: CredentialFailure.unusableName(long)) { try data.store.forget(long) }
    }

    @Test func theFoldersAboveAreMadeToo() throws {
        let data = try DataDirectory()
        let deep = data.path + "/home/.local/share"
        let text = randomToken()
        _ = try CredentialStore(dataDirectory: deep).keep(token(text), for: data.endpoint)
        #expect(try CredentialStore(dataDirectory: deep).token(for: data.endpoint)?.text == text)
        #expect(try data.mode(deep) == 0o700)
    }

    @Test func neitherAWideNorANarrowUmaskChangesTheModes() async {
        for mask: mode_t in [0, 0o277] {
            await #expect(processExitsWith: .success) { [mask = mask as mode_t] in
                let data = try DataDirectory()
                try #require(mkdir(data.own, 0o700) == 0 && mkdir(data.pairings, 0o700) == 0)
                umask(mask)
                try data.keep(String(repeating: "k", count: 40))
                try #require(try data.mode(data.file) == 0o600)
            }
        }
    }

    // MARK: - A crash, a full disk, another process

    @Test func whatACrashLeftIsNoPairingAndIsClearedAway() throws {
        let data = try DataDirectory()
        let (old, new) = (randomToken(), randomToken())
        try data.keep(old)
        try data.write("half of a tok", to: data.file + ".new")
        #expect(try data.store.token(for: data.endpoint)?.text == old)
        #expect(try data.keep(new))
        #expect(try data.store.token(for: data.endpoint)?.text == new)
        #expect(try data.names() == ["ruview.example+8443"])
    }

    @Test func forgettingForgetsWhatACrashLeftToo() throws {
        let data = try DataDirectory()
        try data.keep(randomToken())
        try data.write(randomToken(), to: data.file + ".new")
        #expect(try data.store.forget(data.endpoint))
        #expect(try data.names() == [])
    }

    @Test func aLinkInTheWayIsNotFollowed() throws {
        let data = try DataDirectory()
        let text = randomToken()
        try data.keep(randomToken())
        let victim = data.path + "/victim"
        try data.write("precious", to: victim)
        try #require(symlink(victim, data.file + ".new") == 0)
        try #require(unlink(data.file) == 0 && symlink(victim, data.file) == 0)
        #expect(try data.keep(text))
        #expect(try data.contents(victim) == "precious")
        #expect(try data.store.token(for: data.endpoint)?.text == text)
    }

    @Test func aDiskThatTakesNoMoreLeavesTheOldPairing() async {
        await #expect(processExitsWith: .success) {
            let data = try DataDirectory()
            let old = String(repeating: "o", count: 40)
            try data.keep(old)
            let new = try token(String(repeating: "n", count: 40))
            signal(SIGXFSZ, SIG_IGN)
            var little = rlimit(rlim_cur: 10, rlim_max: 10)
            try #require(setrlimit(__rlimit_resource_t(1), &little) == 0)  // RLIMIT_FSIZE
            let failure = #expect(throws: CredentialFailure.self) { try data.store.keep(new, for: data.endpoint) }
            try #require(failure == .system(path: data.file + ".new", operation: "write", errno: EFBIG))
            try #require(try data.names() == ["ruview.example+8443"])
            try #require(try data.store.token(for: data.endpoint)?.text == old)
        }
    }

    @Test func oneProcessAtATime() throws {
        let data = try DataDirectory()
        let old = randomToken()
        try data.keep(old)
        let other = open(data.pairings, O_RDONLY | O_DIRECTORY)
        try #require(flock(other, LOCK_EX) == 0)
        #expect(throws: CredentialFailure.busy(path: data.pairings)) { try data.keep(randomToken()) }
        #expect(throws: CredentialFailure.busy(path: data.pairings)) { try data.store.forget(data.endpoint) }
        // Reading needs no turn.
        #expect(try data.store.token(for: data.endpoint)?.text == old)
        close(other)
        #expect(try data.keep(randomToken()))
    }

    @Test func noDescriptorIsLeftOpen() async {
        await #expect(processExitsWith: .success) {
            let count = { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
            let data = try DataDirectory()
            try data.keep(String(repeating: "k", count: 40))
            let before = try count()
            let opened = open("/dev/null", O_RDONLY)
            try #require(try count() == before + 1)
            close(opened)
            for _ in 0..<20 {
                try data.keep(String(repeating: "k", count: 40))
                _ = try data.store.token(for: data.endpoint)
                _ = try data.store.forget(data.endpoint)
                _ = try data.store.token(for: data.endpoint)
                _ = try? CredentialStore(dataDirectory: "/dev/null").token(for: data.endpoint)
            }
            try #require(try count() == before)
        }
    }
}
