import Glibc
import NLOSCore
import Testing
import TrackServerKit

@testable import TrackMonitor

struct SessionEndTests {
    static let hostile = Array("\u{1b}]0;title\u{7}\r\n\u{e9}".utf8)

    static let ends: [(SessionEnd, Disconnection.Reason)] = [
        (.stopped, .closedByUser), (.system(SystemCallFailure(operation: "eventfd", errno: EMFILE)), .network),
        (.nameNotFound(code: EAI_NONAME, errno: 0), .network), (.nameNotFound(code: EAI_SYSTEM, errno: EMFILE), .network),
        (.nameTimeout, .network),
        (.unreachable(address: "127.0.0.1", errno: ECONNREFUSED, addresses: 1), .network),
        (.unreachable(address: "::1", errno: ETIMEDOUT, addresses: 3), .network),
        (.tls(.unavailable("TLS", reason: "why")), .tls), (.tls(.authorities(file: "/ca.pem", reason: "why")), .tls),
        (.tls(.certificate(CertificateFailure(code: 10))), .tls), (.tls(.certificate(CertificateFailure(code: 20))), .tls),
        (.tls(.certificate(CertificateFailure(code: 62))), .tls), (.tls(.certificate(CertificateFailure(code: 79))), .tls),
        (.tls(.wrongKey(digest: [0, 255])), .tls), (.tls(.tooOld), .tls), (.tls(.notTLS), .tls), (.tls(.closed(errno: 0)), .tls),
        (.tls(.closed(errno: ECONNRESET)), .tls), (.tls(.other(reason: "why")), .tls), (.tlsTimeout, .tls),
        (.damaged(.other(reason: "why")), .network),
        (.upgrade(.unauthorized), .unauthorized), (.upgrade(.forbidden), .forbidden),
        (.upgrade(.redirect(status: 302, location: Array("https://other.example".utf8))), .redirectRefused),
        (.upgrade(.status(200, body: Array("<html>".utf8))), .handshake),
        (.upgrade(.headTooLarge), .handshake), (.upgrade(.malformed("what")), .handshake),
        (.upgrade(.wrongHeader(name: "Upgrade", needed: "it")), .handshake),
        (.upgrade(.closed(errno: 0)), .handshake), (.upgrade(.closed(errno: EPIPE)), .handshake), (.upgradeTimeout, .handshake),
        (.lost(errno: 0), .network), (.lost(errno: ECONNRESET), .network), (.webSocket(.masked), .protocol),
        (.webSocket(.messageTooLarge), .protocol),
        (.authenticationTimeout, .authenticationTimeout), (.firstMessage(.stale), .protocol),
        (.firstMessage(.excessiveLifetime), .protocol),
        (.firstMessage(.invalidField("sessionId")), .protocol), (.authenticatedTwice, .protocol), (.idle(seconds: 30), .idle),
        (.sessionExpired, .sessionExpired),
        (.serverClosed(code: nil, reason: []), .serverClosed),
        (.serverClosed(code: 1001, reason: hostile + Array(repeating: 0x61, count: 200)), .serverClosed),
    ]

    @Test("Each end has its reason, a sentence about this server, and what to do next", arguments: ends)
    func message(end: SessionEnd, reason: Disconnection.Reason) throws {
        let configuration = MonitorConfiguration(
            endpoint: try MonitorEndpoint("wss://lab.example/api/v1/nlos/ws"), clocks: ManualTime().clocks)
        let disconnection = end.disconnection(configuration)
        #expect(disconnection.reason == reason)
        #expect(disconnection.detail.text.hasPrefix("lab.example:443: "))
        #expect((disconnection.detail.next != nil) == (end != .stopped))
        for text in [disconnection.detail.text, disconnection.detail.next ?? ""] {
            #expect(text.utf8.allSatisfy { (0x20...0x7e).contains($0) }, "\(text)")
            #expect(text.utf8.count < 600)
        }
    }

    @Test("A certificate's dates come with the time that this machine believes in") func dates() throws {
        let configuration = MonitorConfiguration(
            endpoint: try MonitorEndpoint("wss://lab.example/api/v1/nlos/ws"), clocks: ManualTime().clocks)
        let detail = SessionEnd.tls(.certificate(CertificateFailure(code: 10))).message(configuration)
        #expect(detail.text.contains("certificate has expired"))
        #expect(detail.text.contains("This machine's clock says 2027-01-15T08:00:00Z."))
    }

    private static let token = Array(TrackServer.token.utf8)
    private static let filler = [UInt8](repeating: 0x61, count: 100)

    /// What a server says with the token in it: whole, in part, and across the place where the text is cut.
    static let echoes: [SessionEnd] = [
        .upgrade(.status(400, body: Array("Authorization: Bearer ".utf8) + token)),
        .upgrade(.status(400, body: Array("...".utf8) + token[5..<13])),
        .upgrade(.status(400, body: filler + filler.dropLast(5) + token)),
        .upgrade(.redirect(status: 302, location: Array("https://".utf8) + token + Array("/".utf8))),
        .serverClosed(code: 1008, reason: token), .serverClosed(code: nil, reason: filler + filler[..<13] + token.suffix(10)),
    ]

    @Test("A server's words that repeat the token or a part of it are withheld, whole, and that is said", arguments: echoes)
    func echo(end: SessionEnd) throws {
        let configuration = MonitorConfiguration(
            endpoint: try MonitorEndpoint("wss://lab.example/api/v1/nlos/ws"), clocks: ManualTime().clocks)
        let open = end.disconnection(configuration)
        let told = end.disconnection(configuration, hiding: try testToken())
        #expect((told.reason, told.closeCode, told.mayPass) == (open.reason, open.closeCode, open.mayPass))
        #expect(told.detail.text.hasSuffix("; its own words are not shown: the pairing token is in them"))
        for text in [told.detail.text, told.detail.next ?? ""] {
            for start in 0...Self.token.count - 8 {
                #expect(!text.contains(String(decoding: Self.token[start..<start + 8], as: UTF8.self)), "\(text)")
            }
        }
    }

    @Test("Seven bytes of it are chance") func chance() throws {
        let configuration = MonitorConfiguration(
            endpoint: try MonitorEndpoint("wss://lab.example/api/v1/nlos/ws"), clocks: ManualTime().clocks)
        for words in [Array(Self.token[..<7]), [], Array("no".utf8), Self.filler] {
            let end = SessionEnd.serverClosed(code: 1000, reason: words)
            #expect(end.disconnection(configuration, hiding: try testToken()) == end.disconnection(configuration))
        }
    }

    @Test("What broke the stream after the handshake may pass, what broke the handshake may not") func mayPass() throws {
        let configuration = MonitorConfiguration(
            endpoint: try MonitorEndpoint("wss://lab.example/api/v1/nlos/ws"), clocks: ManualTime().clocks)
        #expect(SessionEnd.damaged(.other(reason: "why")).disconnection(configuration).mayPass)
        #expect(!SessionEnd.tls(.other(reason: "why")).disconnection(configuration).mayPass)
    }

    @Test("Only a server's own close frame gives a code") func closeCode() throws {
        let configuration = MonitorConfiguration(
            endpoint: try MonitorEndpoint("wss://lab.example/api/v1/nlos/ws"), clocks: ManualTime().clocks)
        #expect(SessionEnd.serverClosed(code: 1001, reason: []).disconnection(configuration).closeCode == 1001)
        #expect(SessionEnd.webSocket(.masked).disconnection(configuration).closeCode == nil)
    }
}
