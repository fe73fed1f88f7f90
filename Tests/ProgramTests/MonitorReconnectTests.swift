import Foundation
import Testing
import TrackServerKit

/// `--reconnect`: again and again where there is hope, once where there is none.
@Suite(.enabled(if: TrackServer.isInstalled, "\(TrackServer.absence)"))
struct MonitorReconnectTests {
    @Test(
        "Never after a refused token or a redirect: the server counts one request",
        arguments: ["unauthorized", "forbidden", "redirect-301", "redirect-307"])
    func refused(scenario: String) throws {
        let play = try MonitorPlay(scenario, ["location": "https://localhost/"], options: ["--reconnect"])
        #expect(try play.finish() == 6)
        #expect(play.events.count == 2)
        try play.served.wait { $0.what == "request" }
        #expect(play.served.reports("request").count == 1)
    }

    @Test("Never after a refused certificate: the server counts one connection", arguments: ["expired", "wrong-name", "unknown-authority"])
    func refusedCertificate(name: String) throws {
        let play = try MonitorPlay("plain", ["certificate": name], options: ["--reconnect"])
        #expect(try play.finish() == 6)
        #expect(play.words == ["connecting", "disconnected tls"])
        #expect(play.served.reports("accepted").count == 1)
        #expect(play.served.reports("request").isEmpty)
    }

    @Test("A lost stream: cleared first, then reported; the next one is a new session whose sequence starts anew")
    func lostStream() throws {
        let play = try MonitorPlay("dropped", options: ["--reconnect"])
        let once = ["connecting", "authenticated", "frame 1", "cleared error", "disconnected network"]
        try play.read { _ in play.words.count { $0.hasPrefix("disconnected") } == 2 }
        play.program.send(signal: SIGINT)
        #expect(try play.finish() == 130)
        #expect(Array(play.words.prefix(10)) == once + once)
        #expect(play.served.reports("request").map(\.token).allSatisfy { $0 == "right" })
    }

    @Test("A server that closes at once is not stormed") func immediateCloses() throws {
        let play = try MonitorPlay("closes-at-once", options: ["--reconnect", "--seconds", "6"])
        // There never was a session.
        #expect(try play.finish() == 6)
        #expect((2...10).contains(play.served.reports("request").count))
    }
}
