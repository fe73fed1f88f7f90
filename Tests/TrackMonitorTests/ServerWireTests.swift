import Testing
import TrackServerKit

@testable import TrackMonitor

/// What no correct server sends: bytes by hand, behind real TLS.
@Suite(.enabled(if: TrackServer.isInstalled, "\(TrackServer.absence)"))
struct ServerWireTests {
    static let shown = ["connecting", "authenticated lab-run-001", "frame 1"]

    struct Violation: CustomTestStringConvertible {
        let scenario: String
        /// What our close frame says.
        let code: UInt16
        init(_ scenario: String, _ code: UInt16) { (self.scenario, self.code) = (scenario, code) }
        var testDescription: String { scenario }
    }

    static let violations =
        [
            "masked", "masked-close", "masked-ping", "reserved-1", "reserved-2", "reserved-3", "opcode-3", "opcode-4", "opcode-5",
            "opcode-6", "opcode-7", "opcode-11", "opcode-12", "opcode-13", "opcode-14", "opcode-15", "fragmented-ping",
            "fragmented-close", "long-ping", "stray-continuation", "text-inside-fragments", "close-one-byte", "close-code-1005",
            "length-not-minimal-16", "length-not-minimal-64", "length-top-bit", "empty-continuations",
        ].map { Violation($0, 1002) }
        + ["close-reason-not-utf-8", "not-utf-8-across-fragments", "not-utf-8", "cut-character"].map { Violation($0, 1007) }

    @Test("What RFC 6455 forbids clears the display and ends the connection with its close code", arguments: violations)
    func violation(row: Violation) throws {
        let served = try TrackServer.shared.get().open(row.scenario)
        let played = try Play()(served)
        #expect(played.words == Self.shown + ["cleared error", "disconnected protocol"])
        #expect(try served.wait { $0.opcode == Opcode.close || $0.what == "left" || $0.what == "broken" }.closeCode == row.code)
        #expect(served.reports("frame").allSatisfy { $0.masked == true && $0.final == true })
    }

    @Test(
        "A message that promises to be too large is refused before it is there",
        arguments: ["length-4-gib", "large-fragments", "endless-fragments"])
    func tooLarge(scenario: String) throws {
        let served = try TrackServer.shared.get().open(scenario)
        let played = try Play()(served)
        #expect(played.words == Self.shown + ["rejected message_too_large", "cleared rejected", "disconnected protocol"])
        // Who writes without end never reads why.
        guard scenario != "endless-fragments" else { return }
        #expect(try served.wait { $0.opcode == Opcode.close }.closeCode == 1009)
    }

    struct Answer: CustomTestStringConvertible {
        let scenario: String
        let ending: String
        init(_ scenario: String, _ ending: String = "handshake") { (self.scenario, self.ending) = (scenario, ending) }
        var testDescription: String { scenario }
    }

    static let answers =
        [
            "accept-wrong", "accept-missing", "accept-twice", "upgrade-missing", "connection-missing", "upgrade-other",
            "subprotocol-other", "subprotocol-missing", "subprotocol-two", "extension", "http-1.0", "not-http", "headers-17-kib",
            "header-1-mb", "headers-endless", "no-blank-line", "no-answer", "head-slow", "ordinary-page", "upgrade-required",
            "bad-gateway", "closes-before-answer", "resets-before-answer",
        ].map { Answer($0) }
        + [Answer("unauthorized", "unauthorized"), Answer("forbidden", "forbidden")]

    @Test("An answer that is no right upgrade", arguments: answers) func wrongAnswer(row: Answer) throws {
        var play = try Play()
        play.limits.upgrade = 0.5
        let played = try play(TrackServer.shared.get().open(row.scenario))
        #expect(played.words == ["connecting", "disconnected \(row.ending)"])
        let end = try #require(played.disconnection)
        let said = end.detail.text + (end.detail.next ?? "")
        #expect(said.utf8.allSatisfy { (0x20...0x7e).contains($0) }, "\(said)")
    }

    @Test("A right answer in another spelling", arguments: ["headers-in-lower-case", "headers-15-kib", "head-one-byte-at-a-time"])
    func rightAnswer(scenario: String) throws {
        let played = try Play()(TrackServer.shared.get().open(scenario)) { $0.words.contains("authenticated lab-run-001") }
        #expect(played.words.prefix(2) == ["connecting", "authenticated lab-run-001"])
        #expect(played.words.last == "disconnected closed_by_user")
    }

    @Test(
        "Bytes in every kind of piece: with the answer, one by one, many frames in one record",
        arguments: [("with-the-answer", 1), ("frames-one-byte-at-a-time", 1), ("many-in-one-record", 20)])
    func pieces(scenario: String, last: UInt64) throws {
        let played = try Play()(TrackServer.shared.get().open(scenario)) { $0.frames.last?.sequence == last }
        #expect(played.words.prefix(2) == ["connecting", "authenticated lab-run-001"])
        #expect(played.words.suffix(3) == ["frame \(last)", "cleared closed", "disconnected closed_by_user"])
    }

    @Test("What OpenSSL holds while the socket is silent is not left there") func heldByOpenSSL() throws {
        let played = try Play()(TrackServer.shared.get().open("one-record")) { $0.frames.last?.sequence == 3 }
        #expect(played.words.contains("rejected malformed"))
        #expect(played.words.suffix(3) == ["frame 3", "cleared closed", "disconnected closed_by_user"])
    }

    static let endings = [
        Answer("close-without-code", "cleared closed, disconnected server_closed"),
        Answer("plain", "cleared closed, disconnected server_closed 1000"),
        Answer("fin", "cleared error, disconnected network"), Answer("fin-in-frame", "cleared error, disconnected network"),
        Answer("close-notify", "cleared error, disconnected network"), Answer("garbage", "cleared error, disconnected network"),
        Answer("reset", "cleared error, disconnected network"),
    ]

    @Test("The ways a server goes", arguments: endings) func ending(row: Answer) throws {
        let played = try Play()(TrackServer.shared.get().open(row.scenario))
        #expect(played.words == Self.shown + row.ending.split(separator: ",").map(\.trimmed))
        // Nothing was refused: --reconnect tries again.
        #expect(played.disconnection?.mayPass == true)
    }

    @Test("Bytes behind what ends the session, and more that would only fit if those were lost") func behindTheEnd() throws {
        let words = try Play()(TrackServer.shared.get().open("more-behind-the-end")).words
        #expect(words == ["connecting", "disconnected protocol"])
    }

    @Test("A server that says goodbye and then neither reads nor leaves") func deafAfterClose() throws {
        let words = try Play()(TrackServer.shared.get().open("reads-nothing-after-close")).words
        #expect(words == ["connecting", "authenticated lab-run-001", "disconnected server_closed 1000"])
    }

    @Test("A close frame without a code is answered by one without a code, though the server holds the socket open")
    func closeWithoutCode() throws {
        let served = try TrackServer.shared.get().open("close-without-code")
        _ = try Play()(served)
        let answer = try served.wait { $0.opcode == Opcode.close }
        #expect(answer.length == 0)
        #expect(answer.masked == true)
    }

    @Test("Whole characters from split bytes; the message is no JSON and the stream goes on") func splitCharacter() throws {
        let played = try Play()(TrackServer.shared.get().open("split-character")) { $0.frames.last?.sequence == 2 }
        #expect(
            played.words == Self.shown + [
                "rejected malformed", "cleared rejected", "frame 2", "cleared closed", "disconnected closed_by_user",
            ])
    }

    @Test("Control frames between data", arguments: ["unsolicited-pong", "ping-between-fragments", "ping-flood"])
    func control(scenario: String) throws {
        let served = try TrackServer.shared.get().open(scenario)
        let played = try Play()(served) { $0.frames.last?.sequence == 2 }
        #expect(played.words == Self.shown + ["frame 2", "cleared closed", "disconnected closed_by_user"])
    }

    @Test("A ping is answered with its own words") func pong() throws {
        let served = try TrackServer.shared.get().open("ping")
        _ = try Play()(served) { _ in served.reports("frame").contains { $0.opcode == Opcode.pong } }
        #expect(try served.wait { $0.opcode == Opcode.pong }.length == "are you there".utf8.count)
    }

    @Test(
        "Before TLS: silence, an end, or a server that speaks plain HTTP",
        arguments: [Answer("tls-silent", "tls"), Answer("tls-closes", "tls"), Answer("plain-http", "tls")])
    func beforeTLS(row: Answer) throws {
        var play = try Play()
        play.limits.tls = 0.3
        let served = try TrackServer.shared.get().open(row.scenario)
        #expect(try play(served).words == ["connecting", "disconnected \(row.ending)"])
    }

    @Test("Nobody listens there") func refusedConnection() throws {
        let port = try TrackServer.shared.get().open("plain").close()
        #expect(try Play().listen(port: port).words == ["connecting", "disconnected network"])
    }
}
