import Glibc
import NLOSCore
import Testing

@testable import TrackMonitor

struct UpgradeRequestTests {
    @Test("The answer that RFC 6455 gives for its own key") func sampleKey() {
        let key = WebSocketKey(Array("the sample nonce".utf8))
        #expect(key.text == "dGhlIHNhbXBsZSBub25jZQ==")
        #expect(String(decoding: key.accept, as: UTF8.self) == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    @Test("A key is sixteen bytes, and never the same") func randomKey() {
        let keys = (0..<100).map { _ in WebSocketKey().text }
        #expect(Set(keys).count == 100)
        #expect(keys.allSatisfy { $0.utf8.count == 24 && $0.hasSuffix("==") })
    }

    static let hosts = [
        ("wss://Lab.Example/api/v1/nlos/ws", "lab.example"), ("wss://lab.example:8443/api/v1/nlos/ws", "lab.example:8443"),
        ("wss://[::1]:443/api/v1/nlos/ws", "[::1]"), ("wss://127.0.0.1:9/api/v1/nlos/ws", "127.0.0.1:9"),
    ]

    @Test("The request is what the contract says, byte for byte", arguments: hosts) func bytes(url: String, host: String) throws {
        let secret = "a-token-of-thirty-two-characters"
        var ends: [CInt] = [-1, -1]
        #expect(pipe(&ends) == 0)
        _ = secret.withCString { write(ends[1], $0, strlen($0)) }
        close(ends[1])
        defer { close(ends[0]) }
        let token = try PairingToken.read(from: ends[0])
        let request = UpgradeRequest(to: try MonitorEndpoint(url), token: token, key: WebSocketKey(Array("the sample nonce".utf8)))
        let text = request.withBytes { String(decoding: $0, as: UTF8.self) }
        #expect(
            text == """
                GET /api/v1/nlos/ws HTTP/1.1\r
                Host: \(host)\r
                Upgrade: websocket\r
                Connection: Upgrade\r
                Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
                Sec-WebSocket-Version: 13\r
                Sec-WebSocket-Protocol: ruview.nlos.track.v1\r
                Authorization: Bearer \(secret)\r
                \r

                """)
        #expect(String(decoding: request.accept, as: UTF8.self) == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }
}
