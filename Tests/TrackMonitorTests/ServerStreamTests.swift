import Testing
import TrackServerKit

@testable import TrackMonitor

/// What a correct server sends, through real TLS and the real library: the events in their order.
@Suite(.enabled(if: TrackServer.isInstalled, "\(TrackServer.absence)"))
struct ServerStreamTests {
    struct Row: CustomTestStringConvertible {
        let scenario: String
        let events: [String]
        /// `events`: what follows the authenticated message; a comma between two.
        init(_ scenario: String, _ events: String) {
            self.scenario = scenario
            self.events = ["connecting", "authenticated lab-run-001"] + events.split(separator: ",").map { $0.trimmed }
        }
        var testDescription: String { scenario }
    }

    static let rows = [
        Row("three-frames", "frame 1, frame 2, frame 9, cleared closed, disconnected server_closed 1000"),
        Row("empty", "frame 1, cleared closed, disconnected server_closed 1000"),
        Row("only-unknown", "frame 1, cleared closed, disconnected server_closed 1000"),
        Row("as-large-as-allowed", "frame 1, cleared closed, disconnected server_closed 1000"),
        Row("one-byte-fragments", "frame 1, cleared closed, disconnected server_closed 1000"),
        Row("close-going-away", "frame 1, cleared closed, disconnected server_closed 1001"),
        Row("close-with-reason", "frame 1, cleared closed, disconnected server_closed 4000"),
        Row("dropped", "frame 1, cleared error, disconnected network"),
        Row("short-session", "frame 1, cleared session_expired, disconnected session_expired"),
        Row("authenticated-twice", "frame 1, cleared error, disconnected protocol"),
        Row("too-large", "frame 1, rejected message_too_large, cleared rejected, disconnected protocol"),
        Row("synthetic-and-replay", "frame 1, frame 2, frame 3, cleared closed, disconnected server_closed 1000"),
    ]

    @Test("A session's events", arguments: rows) func events(row: Row) throws {
        let served = try TrackServer.shared.get().open(row.scenario)
        #expect(try Play()(served).words == row.events)
    }

    static let rejections = [
        ("not-json", "malformed"), ("duplicate-key", "malformed"),
        ("wrong-schema", "invalid_field schema"), ("three-corroborated", "invalid_field evidenceLevel"),
        ("depth-only", "invalid_field provenance.transientKind"), ("zero-hash", "invalid_field calibrationHash"),
        ("lifts-synthetic", "invalid_field evidenceLevel"),
        ("long-lived", "excessive_lifetime"), ("stale", "stale"), ("future", "future_dated"),
        ("other-session", "session_changed"), ("sequence-repeated", "replayed_sequence"), ("sequence-back", "replayed_sequence"),
        ("binary", "unsupported_binary"), ("too-many-tracks", "invalid_field tracks"),
    ]

    @Test("A message that may not be shown clears the display at once, and the next good one shows again", arguments: rejections)
    func recovery(scenario: String, verdict: String) throws {
        let words = try Play()(TrackServer.shared.get().open(scenario)).words
        #expect(
            words == [
                "connecting", "authenticated lab-run-001", "frame 1", "rejected \(verdict)", "cleared rejected", "frame 2",
                "cleared closed", "disconnected server_closed 1000",
            ])
    }

    @Test("A first message that is no authentication ends the connection", arguments: ["frame-first", "binary-first", "not-json-first"])
    func wrongFirstMessage(scenario: String) throws {
        let served = try TrackServer.shared.get().open(scenario)
        #expect(try Play()(served).words == ["connecting", "disconnected protocol"])
    }

    @Test("An authentication that is over, or lasts too long, ends the connection", arguments: ["expired-session", "long-session"])
    func authenticationOutOfBounds(scenario: String) throws {
        let served = try TrackServer.shared.get().open(scenario)
        #expect(try Play()(served).words == ["connecting", "disconnected protocol"])
    }

    @Test("No first message in time") func silence() throws {
        var play = try Play()
        play.limits.firstMessage = 0.3
        #expect(try play(TrackServer.shared.get().open("silent")).words == ["connecting", "disconnected authentication_timeout"])
    }

    @Test("A frame leaves the display at its own time though nothing more arrives") func expiry() throws {
        let played = try Play()(TrackServer.shared.get().open("short-lived-frame")) { $0.words.last == "cleared expired" }
        #expect(
            played.words == [
                "connecting", "authenticated lab-run-001", "frame 1", "cleared expired", "disconnected closed_by_user",
            ])
    }

    @Test("The upgrade asks for what the contract says and nothing more") func upgradeRequest() throws {
        let served = try TrackServer.shared.get().open("three-frames")
        _ = try Play()(served)
        let request = try served.wait { $0.what == "request" }
        #expect(request.path == "/api/v1/nlos/ws")
        #expect(request.host == "localhost:\(served.port)")
        #expect(request.token == "right")
        #expect(request.subprotocol == "ruview.nlos.track.v1")
        #expect(request.version == "13")
        #expect(request.keyBytes == 16)
        #expect(request.extensions == false)
        #expect(request.cookies == false)
        #expect(served.reports("hello").map(\.serverName) == ["localhost"])
    }

    @Test("A server's name is asked for only where it has one", arguments: ["127.0.0.1", "::1"]) func noNameForAddresses(host: String)
        throws
    {
        let served = try TrackServer.shared.get().open("three-frames", ["host": host])
        var play = try Play()
        play.host = host
        #expect(try play(served).words.last == "disconnected server_closed 1000")
        #expect(served.reports("hello").map(\.serverName) == [nil])
        #expect(try served.wait { $0.what == "request" }.host == (host == "::1" ? "[::1]:\(served.port)" : "\(host):\(served.port)"))
    }

    @Test("The user leaves: the server hears a close frame with code 1000") func leaving() throws {
        let served = try TrackServer.shared.get().open("good-30")
        let played = try Play()(served) { $0.frames.count >= 5 }
        #expect(played.words.suffix(2) == ["cleared closed", "disconnected closed_by_user"])
        #expect(try served.wait { $0.what == "left" }.closeCode == 1000)
    }

    @Test("Frames come at the server's rate, each newer than the last") func threeHundredAHertz() throws {
        let played = try Play()(TrackServer.shared.get().open("good-300", ["frames": 300])) { $0.frames.last?.sequence == 299 }
        #expect(zip(played.frames, played.frames.dropFirst()).allSatisfy { $0.sequence < $1.sequence })
        #expect(played.frames.allSatisfy { $0.tracks.count == 16 })
        // Every frame was seen, or counted as overtaken by a newer one.
        #expect(UInt64(played.frames.count) + (played.disconnection?.framesDropped ?? 0) == 300)
    }

    @Test("An owner that looks late finds the newest frames, and all others counted") func slowOwner() throws {
        let served = try TrackServer.shared.get().open("burst", ["frames": 5_000])
        var isLate = false
        let played = try Play()(served) {
            if !$0.frames.isEmpty, !isLate {
                isLate = true
                _ = try? served.wait { $0.what == "sent" }
            }
            return $0.frames.last?.sequence == 4_999
        }
        let dropped = try #require(played.disconnection).framesDropped
        #expect(dropped > 0)
        #expect(UInt64(played.frames.count) + dropped == 5_000)
        #expect(zip(played.frames, played.frames.dropFirst()).allSatisfy { $0.sequence < $1.sequence })
    }

    @Test("A server that stays silent is seen as such before it is given up") func idle() throws {
        var play = try Play()
        play.limits.ping = 0.2
        play.limits.idle = 0.5
        let served = try TrackServer.shared.get().open("black-hole")
        #expect(
            try play(served).words == ["connecting", "authenticated lab-run-001", "frame 1", "cleared error", "disconnected idle"])
    }

    @Test("Silence with answered pings is a living connection") func pings() throws {
        var play = try Play()
        play.limits.ping = 0.1
        play.limits.idle = 0.5
        let served = try TrackServer.shared.get().open("pinged")
        let played = try play(served) { $0.words.contains("frame 2") }
        #expect(
            played.words == [
                "connecting", "authenticated lab-run-001", "frame 1", "frame 2", "cleared closed", "disconnected closed_by_user",
            ])
        #expect(served.reports("frame").filter { $0.opcode == Opcode.ping }.count >= 3)
    }
}

extension Substring {
    var trimmed: String { String(drop { $0 == " " }) }
}
