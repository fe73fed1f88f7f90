import Foundation
import Testing
import TrackServerKit

/// The program's JSON events and exit status against a real server.
@Suite(.enabled(if: TrackServer.isInstalled, "\(TrackServer.absence)"))
struct MonitorEventTests {
    struct Row: CustomTestStringConvertible {
        let scenario: String
        let status: Int32
        let events: [String]
        /// `events`: what follows `connecting`; a comma between two.
        init(_ scenario: String, _ status: Int32, _ events: String) {
            self.scenario = scenario
            self.status = status
            self.events = ["connecting"] + events.split(separator: ",").map { String($0.drop { $0 == " " }) }
        }
        var testDescription: String { scenario }
    }

    static let rows = [
        Row("three-frames", 0, "authenticated, frame 1, frame 2, frame 9, cleared closed, disconnected server_closed 1000"),
        Row(
            "synthetic-and-replay", 0,
            "authenticated, frame 1, frame 2 REPLAY, frame 3 SYNTHETIC, cleared closed, disconnected server_closed 1000"),
        Row(
            "stale", 0, "authenticated, frame 1, rejected stale, cleared rejected, frame 2, cleared closed, disconnected server_closed 1000"
        ),
        Row(
            "wrong-schema", 0,
            "authenticated, frame 1, rejected invalid_field schema, cleared rejected, frame 2, cleared closed, disconnected server_closed 1000"
        ),
        Row(
            "other-session", 0,
            "authenticated, frame 1, rejected session_changed, cleared rejected, frame 2, cleared closed, disconnected server_closed 1000"),
        Row(
            "sequence-back", 0,
            "authenticated, frame 1, rejected replayed_sequence, cleared rejected, frame 2, cleared closed, disconnected server_closed 1000"
        ),
        Row("short-session", 0, "authenticated, frame 1, cleared session_expired, disconnected session_expired"),
        Row("too-large", 6, "authenticated, frame 1, rejected message_too_large, cleared rejected, disconnected protocol"),
        Row("close-with-reason", 6, "authenticated, frame 1, cleared closed, disconnected server_closed 4000"),
        Row("dropped", 6, "authenticated, frame 1, cleared error, disconnected network"),
        Row("frame-first", 6, "disconnected protocol"),
        Row("unauthorized", 6, "disconnected unauthorized"), Row("forbidden", 6, "disconnected forbidden"),
        Row("redirect-302", 6, "disconnected redirect_refused"), Row("ordinary-page", 6, "disconnected handshake"),
        Row("masked", 6, "authenticated, frame 1, cleared error, disconnected protocol"),
    ]

    @Test("The events of a run, and how it ends", arguments: rows) func events(row: Row) throws {
        let play = try MonitorPlay(row.scenario, ["location": "https://other.example/"])
        let status = try play.finish()
        #expect(play.words == row.events)
        #expect(status == row.status)
        #expect(!play.everything.contains(TrackServer.token))
        #expect(play.program.said.utf8.allSatisfy { $0 == 0x0a || (0x20...0x7e).contains($0) })
    }

    @Test("An event has the keys that programs rely on") func keys() throws {
        let play = try MonitorPlay("three-frames")
        _ = try play.finish()
        let keys: [String: Set<String>] = [
            "connecting": ["endpoint"], "authenticated": ["sessionId", "expiresAtUnixMs"], "cleared": ["reason"],
            "frame": [
                "sequence", "source", "evidenceLevel", "watermark", "algorithmVersion", "capturedAtUnixMs", "expiresAtUnixMs",
                "provenance", "tracks",
            ],
            "disconnected": ["reason", "detail", "closeCode", "framesDropped"],
        ]
        for event in play.events {
            let name = try #require(event["event"] as? String)
            #expect(Set(event.keys) == (try #require(keys[name])).union(["event", "atUnixMs"]))
        }
        #expect(play.events.first?["endpoint"] as? String == "localhost:\(play.served.port)")
    }

    @Test("A refused certificate: status 6, and the server sees no HTTP") func refusedCertificate() throws {
        let play = try MonitorPlay("plain", ["certificate": "wrong-name"])
        #expect(try play.finish() == 6)
        #expect(play.words == ["connecting", "disconnected tls"])
        try play.served.wait { $0.what == "broken" }
        #expect(play.served.reports("request").isEmpty)
    }

    @Test("Ctrl-C and SIGTERM say goodbye to the server", arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(CInt, Int32)])
    func signals(signal: CInt, status: Int32) throws {
        let play = try MonitorPlay("good-30")
        try play.read { $0["event"] as? String == "frame" }
        play.program.send(signal: signal)
        #expect(try play.finish() == status)
        #expect(play.words.suffix(2) == ["cleared closed", "disconnected closed_by_user"])
        #expect(try play.served.wait { $0.what == "left" }.closeCode == 1000)
    }

    @Test("A reader that goes away ends the run, and the server is told") func readerGone() throws {
        let play = try MonitorPlay("good-30")
        try play.read { $0["event"] as? String == "frame" }
        play.program.closeOutput()
        #expect(try play.program.finish() == 1)
        #expect(play.program.said.isEmpty)
        #expect(try play.served.wait { $0.what == "left" }.closeCode == 1000)
    }

    @Test("A reader that pauses gets what is true then, and the number of what it missed") func slowReader() throws {
        let play = try MonitorPlay("burst", ["frames": 3_000])
        try play.read { $0["event"] as? String == "authenticated" }
        // The program's pipe is full long before this.
        try play.served.wait { $0.what == "sent" }
        let last = try play.read { $0["sequence"] as? Int == 2_999 }
        #expect(last != nil)
        play.program.send(signal: SIGINT)
        _ = try play.finish()
        let frames = play.events.compactMap { $0["sequence"] as? Int }
        let dropped = try #require(play.events.last?["framesDropped"] as? Int)
        #expect(frames == frames.sorted())
        #expect(dropped > 0)
        #expect(frames.count + dropped == 3_000)
    }

    @Test("Without a token the program says how to pair, and connects to nobody") func unpaired() throws {
        let served = try TrackServer.shared.get().open("plain")
        let folder = try TemporaryFolder()
        let url = "wss://localhost:\(served.port)/api/v1/nlos/ws"
        let monitor = try run(["monitor", "--json", url], environment: ["XDG_DATA_HOME": folder.path("data")])
        #expect(monitor.status == 6)
        #expect(monitor.output.isEmpty)
        #expect(monitor.messages.contains("nlos-bridge pair \(url)"))
        #expect(served.reports.map(\.what) == ["listening"])
    }

    @Test("The token that a service manager hands over is used") func managedToken() throws {
        let served = try TrackServer.shared.get().open("three-frames")
        let folder = try TemporaryFolder()
        chmod(folder.path(""), 0o700)
        chmod(try folder.write(TrackServer.token, to: "nlos-bridge.localhost+\(served.port)"), 0o400)
        let program = try RunningProgram(
            [
                "monitor", "--json", "--seconds", "20", "--ca-file", try TrackServer.shared.get().authority,
                "wss://localhost:\(served.port)/api/v1/nlos/ws",
            ], environment: ["CREDENTIALS_DIRECTORY": folder.path(""), "XDG_DATA_HOME": folder.path("none")])
        try program.wait { $0.text.contains(#""authenticated""#) }
        #expect(served.reports("request").map(\.token) == ["right"])
        program.send(signal: SIGINT)
        #expect(try program.finish() == 130)
    }

    @Test("The end that --seconds names is an end as it should be") func seconds() throws {
        let play = try MonitorPlay("good-30", options: ["--seconds", "0.5"])
        #expect(try play.finish() == 0)
        #expect(play.words.last == "disconnected closed_by_user")
    }

    @Test(
        "Lines for people carry the watermark, and no control characters",
        arguments: [("replay-stream", "REPLAY"), ("synthetic-stream", "SYNTHETIC")])
    func plainLines(scenario: String, watermark: String) throws {
        let served = try TrackServer.shared.get().open(scenario)
        let folder = try TemporaryFolder()
        let home = ["XDG_DATA_HOME": folder.path("data")]
        let url = "wss://localhost:\(served.port)/api/v1/nlos/ws"
        let token = try folder.write(TrackServer.token, to: "token")
        chmod(token, 0o600)
        #expect(try run(["pair", url, "--token-file", token], environment: home).status == 0)
        let program = try RunningProgram(
            ["monitor", "--plain", "--ca-file", try TrackServer.shared.get().authority, url], environment: home)
        try program.wait { $0.lines.count { $0.contains("hidden-target-0") } >= 5 }
        program.send(signal: SIGINT)
        #expect(try program.finish() == 130)
        for line in program.lines where line.contains("hidden-target-0") { #expect(line.contains(watermark), "\(line)") }
        #expect(program.text.utf8.allSatisfy { $0 == 0x0a || $0 >= 0x20 })
    }
}
