import COpenSSL
import Glibc
import NLOSCore

/// The request that turns the connection into a WebSocket. It holds the token, and wipes its bytes when it goes.
///
/// Source: the wire contract, B ("upgrade"); RFC 6455, 4.1.
struct UpgradeRequest: ~Copyable {
    static let subprotocol = "ruview.nlos.track.v1"

    /// What the server has to answer to this request's key, and to no other: `Sec-WebSocket-Accept`.
    let accept: [UInt8]
    private let bytes: UnsafeMutableRawBufferPointer

    init(to endpoint: MonitorEndpoint, token: PairingToken, key: WebSocketKey = WebSocketKey()) {
        accept = key.accept
        let lines = [
            "GET \(MonitorEndpoint.path) HTTP/1.1", "Host: \(endpoint.hostHeader)", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: \(key.text)",
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Protocol: \(Self.subprotocol)", "Authorization: Bearer ",
        ]
        let head = lines.joined(separator: "\r\n").utf8
        // At its final size from the start: a buffer that grows leaves copies behind.
        bytes = token.withBytes { token in
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: head.count + token.count + 4, alignment: 1)
            bytes.copyBytes(from: head)
            UnsafeMutableRawBufferPointer(rebasing: bytes[head.count...]).copyMemory(from: token)
            UnsafeMutableRawBufferPointer(rebasing: bytes[(head.count + token.count)...]).copyBytes(from: "\r\n\r\n".utf8)
            return bytes
        }
    }

    deinit {
        if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
        bytes.deallocate()
    }

    /// Lends the bytes for the time of the call. Whoever copies them wipes the copy.
    func withBytes<Result, Failure>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Result) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(bytes))
    }
}

/// 16 random bytes, as the request carries them.
struct WebSocketKey {
    /// In base 64.
    let text: String

    init() {
        // The system's generator: `getrandom` on Linux.
        var random = SystemRandomNumberGenerator()
        let halves: [UInt64] = [random.next(), random.next()]
        self.init(halves.withUnsafeBytes { Array($0) })
    }

    init(_ bytes: [UInt8]) { text = base64(bytes) }

    /// The SHA-1 of the key and of RFC 6455's own identifier, in base 64.
    var accept: [UInt8] {
        let input = Array((text + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
        var digest = [UInt8](repeating: 0, count: 20)
        // Without SHA-1 the answer can never be right: that ends in a refused upgrade, not in an accepted one.
        guard EVP_Digest(input, input.count, &digest, nil, EVP_sha1(), nil) == 1 else { return [] }
        return Array(base64(digest).utf8)
    }
}

private func base64(_ bytes: [UInt8]) -> String {
    var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
    let count = EVP_EncodeBlock(&text, bytes, CInt(bytes.count))
    return String(decoding: text.prefix(Int(count)), as: UTF8.self)
}
