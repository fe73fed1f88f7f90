import Testing
import TrackServerKit

@testable import TrackMonitor

/// The program that stands in front of a RuView server where it is deployed, with the example of hardware/.
@Suite(.enabled(if: TrackServer.isInstalled, "\(TrackServer.absence)"))
struct ServerProxyTests {
    private let behind: ServedScenario
    private let proxy: ServedScenario

    init() throws {
        let server = try TrackServer.shared.get()
        behind = try server.open("good-30", ["tls": false])
        proxy = try server.open("nginx", ["upstream": Int(behind.port)])
    }

    @Test("nginx as TLS proxy: the token passes, frames come, and the user leaves in order") func stream() throws {
        let played = try Play()(proxy) { $0.frames.count == 10 }
        #expect(played.words.prefix(2) == ["connecting", "authenticated lab-run-001"])
        #expect(played.words.suffix(2) == ["cleared closed", "disconnected closed_by_user"])
        let request = try behind.wait { $0.what == "request" }
        #expect(request.token == "right")
        #expect(request.subprotocol == "ruview.nlos.track.v1")
        #expect(request.host == "localhost:\(proxy.port)")
        #expect(try behind.wait { $0.what == "left" }.closeCode == 1000)
    }

    @Test("nginx stops in mid-stream: cleared, reported; started again, the next connection is a new session") func restart() throws {
        var stopped = false
        let played = try Play()(proxy) {
            if $0.frames.count == 5, !stopped {
                stopped = true
                try? proxy.tell("stop")
            }
            return false
        }
        #expect(played.words.suffix(2) == ["cleared error", "disconnected network"])
        try proxy.wait { $0.what == "stopped" }
        #expect(try Play()(proxy).words == ["connecting", "disconnected network"])
        try proxy.tell("start")
        try proxy.wait { $0.what == "started" }
        #expect(try Play()(proxy) { $0.frames.count == 3 }.words.last == "disconnected closed_by_user")
    }

    @Test("The stream lives on while nginx reads its configuration again") func reload() throws {
        var reloaded = false
        let played = try Play()(proxy) {
            if $0.frames.count == 3, !reloaded {
                reloaded = true
                try? proxy.tell("reload")
            }
            return $0.frames.count == 30
        }
        #expect(played.words.suffix(2) == ["cleared closed", "disconnected closed_by_user"])
    }
}

@Suite(.enabled(if: TrackServer.isInstalled, "\(TrackServer.absence)"))
struct ServerProgramTests {
    @Test("Nobody is behind the proxy: its 502 is named") func badGateway() throws {
        let server = try TrackServer.shared.get()
        let port = try server.open("plain", ["tls": false]).close()
        let played = try Play()(server.open("nginx", ["upstream": Int(port)]))
        #expect(played.words == ["connecting", "disconnected handshake"])
        #expect(try #require(played.disconnection).detail.text.contains("502"))
    }

    @Test("The server behind the proxy refuses the token") func unauthorizedBehindProxy() throws {
        let server = try TrackServer.shared.get()
        let behind = try server.open("unauthorized", ["tls": false])
        #expect(try Play()(server.open("nginx", ["upstream": Int(behind.port)])).words == ["connecting", "disconnected unauthorized"])
    }

    @Test("TLS 1.1 and older is no TLS; 1.2 and 1.3 reach HTTP", arguments: ["-tls1", "-tls1_1", "-tls1_2", "-tls1_3"])
    func versions(option: String) throws {
        let weak = ["-cipher", "ALL:@SECLEVEL=0"]
        let served = try TrackServer.shared.get().open("s_server", ["options": [option] + (option < "-tls1_2" ? weak : [])])
        // The page that s_server answers with is no upgrade.
        #expect(try Play()(served).words == ["connecting", option < "-tls1_2" ? "disconnected tls" : "disconnected handshake"])
    }

    @Test("Certificates that openssl itself serves", arguments: ["expired", "self-signed", "wrong-name", "unknown-authority"])
    func certificates(name: String) throws {
        let served = try TrackServer.shared.get().open("s_server", ["certificate": name])
        #expect(try Play()(served).words == ["connecting", "disconnected tls"])
    }
}
