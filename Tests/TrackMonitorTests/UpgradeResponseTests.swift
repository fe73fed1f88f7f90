import Testing

@testable import TrackMonitor

struct UpgradeResponseTests {
    static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
    static let good = [
        "HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: \(accept)",
        "Sec-WebSocket-Protocol: ruview.nlos.track.v1",
    ]

    private static func text(_ lines: [String]) -> [UInt8] { Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) }

    /// The good answer with some lines in place of others.
    private static func answer(_ changes: [Int: [String]], adding more: [String] = []) -> [UInt8] {
        text(good.enumerated().flatMap { changes[$0] ?? [$1] } + more)
    }

    private func outcome(_ bytes: [UInt8]) -> Result<UpgradeResponse.Progress, UpgradeFailure> {
        var response = UpgradeResponse(accept: Array(Self.accept.utf8))
        do throws(UpgradeFailure) { return .success(try response.push(bytes)) } catch { return .failure(error) }
    }

    @Test("The good answer, and what follows it in the same bytes", arguments: ["", "\u{81}\u{2}{}", "HTTP/1.1 200\r\n\r\n"])
    func accepted(rest: String) {
        #expect(outcome(Self.text(Self.good) + rest.utf8) == .success(.accepted(rest: Array(rest.utf8))))
    }

    static let asGood: [[UInt8]] = [
        answer([1: ["upgrade: WebSocket"], 2: ["connection: keep-alive, upgrade"]]),
        answer([1: ["UPGRADE:websocket"], 2: ["Connection: close", "connection:\t UPGRADE \t"]]),
        answer([0: ["HTTP/1.1 101"]]), answer([0: ["HTTP/1.1 101 "]]),
        answer([3: ["sec-websocket-accept:\(accept)"]]),
        answer([:], adding: ["Server: nginx", "Set-Cookie: a=b", "Date: Mon, 30 Nov 2026 06:00:00 GMT", "X-Empty:", "X-Latin: \u{e9}"]),
        Array("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".utf8) + text(good),
    ]

    @Test("Answers in another spelling are as good", arguments: asGood) func spelledOtherwise(answer: [UInt8]) {
        #expect(outcome(answer) == .success(.accepted(rest: [])))
    }

    @Test(
        "Cut anywhere, an answer means the same",
        arguments: [good, ["HTTP/1.1 401 Unauthorized"], ["HTTP/1.1 101 \u{7f}"], good.dropLast()])
    func everySplit(lines: [String]) {
        let bytes = Self.text(lines) + Array("rest".utf8)
        let whole = outcome(bytes)
        for cut in 0...bytes.count {
            var response = UpgradeResponse(accept: Array(Self.accept.utf8))
            var rest = bytes[...]
            var result: Result<UpgradeResponse.Progress, UpgradeFailure> = .success(.incomplete)
            do throws(UpgradeFailure) {
                var progress = try response.push(bytes[..<cut])
                rest = bytes[cut...]
                switch progress {
                case .incomplete: progress = try response.push(rest)
                case .accepted(let first): progress = .accepted(rest: first + rest)
                }
                result = .success(progress)
            } catch { result = .failure(error) }
            #expect(result == whole, "cut at \(cut)")
        }
    }

    @Test("One byte at a time") func oneByte() throws {
        var response = UpgradeResponse(accept: Array(Self.accept.utf8))
        let bytes = Self.text(Self.good)
        for byte in bytes.dropLast() { #expect(try response.push([byte]) == .incomplete) }
        #expect(try response.push([bytes[bytes.count - 1]]) == .accepted(rest: []))
    }

    struct Refusal: CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let failure: UpgradeFailure
        init(_ name: String, _ bytes: [UInt8], _ failure: UpgradeFailure) {
            (testDescription, self.bytes, self.failure) = (name, bytes, failure)
        }
    }

    private static func header(_ name: String) -> UpgradeFailure {
        let needed = [
            "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": "the digest of this request's key, once",
            "Sec-WebSocket-Extensions": "nothing, as no extension was asked for", "Sec-WebSocket-Protocol": "ruview.nlos.track.v1",
        ]
        return .wrongHeader(name: name, needed: needed[name] ?? "")
    }

    static let refusals = [
        Refusal("no Upgrade", answer([1: []]), header("Upgrade")),
        Refusal("another Upgrade", answer([1: ["Upgrade: h2c"]]), header("Upgrade")),
        Refusal("two Upgrades", answer([1: ["Upgrade: websocket, h2c"]]), header("Upgrade")),
        Refusal("no Connection", answer([2: []]), header("Connection")),
        Refusal("Connection without upgrade", answer([2: ["Connection: upgraded"]]), header("Connection")),
        Refusal("no accept", answer([3: []]), header("Sec-WebSocket-Accept")),
        Refusal("wrong accept", answer([3: ["Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA="]]), header("Sec-WebSocket-Accept")),
        Refusal(
            "accept in lower case", answer([3: ["Sec-WebSocket-Accept: s3pplmbitxaq9kygzzhzrbk+xoo="]]), header("Sec-WebSocket-Accept")),
        Refusal("accept twice", answer([3: [good[3], good[3]]]), header("Sec-WebSocket-Accept")),
        Refusal("extension", answer([:], adding: ["Sec-WebSocket-Extensions: permessage-deflate"]), header("Sec-WebSocket-Extensions")),
        Refusal("empty extension", answer([:], adding: ["sec-websocket-extensions:"]), header("Sec-WebSocket-Extensions")),
        Refusal("no sub-protocol", answer([4: []]), header("Sec-WebSocket-Protocol")),
        Refusal("another sub-protocol", answer([4: ["Sec-WebSocket-Protocol: chat"]]), header("Sec-WebSocket-Protocol")),
        Refusal(
            "sub-protocol in capitals", answer([4: ["Sec-WebSocket-Protocol: RUVIEW.NLOS.TRACK.V1"]]), header("Sec-WebSocket-Protocol")),
        Refusal("two sub-protocols", answer([4: [good[4], "Sec-WebSocket-Protocol: chat"]]), header("Sec-WebSocket-Protocol")),
        Refusal("401", text(["HTTP/1.1 401 Unauthorized", "WWW-Authenticate: Bearer"]), .unauthorized),
        Refusal("403", text(["HTTP/1.0 403 Forbidden"]), .forbidden),
        Refusal("not HTTP", text(["SSH-2.0-OpenSSH_9.2"]), .malformed("no HTTP/1 status line")),
        Refusal("HTTP/2", text(["HTTP/2 101"]), .malformed("no HTTP/1 status line")),
        Refusal("HTTP/1.7", text(["HTTP/1.7 101 x"]), .malformed("an unknown version of HTTP")),
        Refusal("101 by HTTP/1.0", answer([0: ["HTTP/1.0 101 x"]]), .malformed("a switch of protocols by HTTP/1.0")),
        Refusal("status of two digits", text(["HTTP/1.1 10 x"]), .malformed("a status that is not three digits")),
        Refusal("status with a sign", text(["HTTP/1.1 +10 x"]), .malformed("a status that is not three digits")),
        Refusal("two spaces", text(["HTTP/1.1  101 x"]), .malformed("a status that is not three digits")),
        Refusal("empty", text([""]), .malformed("no status line")),
        Refusal(
            "space before the colon", answer([1: ["Upgrade : websocket"]]),
            .malformed("a header name with other characters than a name has")),
        Refusal("no name", answer([1: [": websocket"]]), .malformed("a header name with other characters than a name has")),
        Refusal("no colon", answer([1: ["Upgrade"]]), .malformed("a header line without a colon")),
        Refusal("folded", answer([1: ["Upgrade:", " websocket"]]), .malformed("a header field that goes on in a second line")),
        Refusal("NUL", answer([:], adding: ["X: a\0b"]), .malformed("a control character in a header field")),
        Refusal("bare CR", answer([:], adding: ["X: a\rb"]), .malformed("a control character in a header field")),
        Refusal("bare LF", answer([1: ["Upgrade: websocket\nX: y"]]), .malformed("a line that ends without CR LF")),
    ]

    @Test("Everything else is refused, with its name", arguments: refusals) func refused(row: Refusal) {
        #expect(outcome(row.bytes) == .failure(row.failure))
    }

    static let redirects = [
        ("https://other.example/nlos?token=abc#x", "https://other.example"),
        ("wss://user:pass@other.example:8443/", "wss://other.example:8443"),
        ("/somewhere/secret", "another place on the same server"), ("//other.example/path", "other.example"),
        ("HTTP://[::1]:80/x", "HTTP://[::1]:80"), ("https://a\\@b.example/", "https://a"),
        ("https://\u{e9}.example/", "https://\\xc3\\xa9.example"),
        ("mailto:a@b", "another place on the same server"),
    ]

    @Test("A redirect is refused and named by scheme and host alone", arguments: redirects, [301, 302, 303, 307, 308])
    func redirect(row: (String, String), status: Int) {
        #expect(
            outcome(Self.text(["HTTP/1.1 \(status) Moved", "Location: \(row.0)"]))
                == .failure(.redirect(status: status, location: Array(row.0.utf8))))
        #expect(UpgradeFailure.target(Array(row.0.utf8)) == row.1)
    }

    @Test("A redirect without a target") func redirectNowhere() {
        #expect(outcome(Self.text(["HTTP/1.1 302 Found"])) == .failure(.redirect(status: 302, location: nil)))
        #expect(UpgradeFailure.target(nil) == "an unnamed place")
    }

    @Test("A head may have 16 KiB with its empty line, and not one byte more", arguments: [-1, 0, 1])
    func headSize(more: Int) {
        let frame = Self.text(Self.good + ["X: "]).count
        let filler = "X: " + String(repeating: "a", count: UpgradeResponse.longestHead - frame + more)
        let bytes = Self.text(Self.good + [filler])
        #expect(bytes.count == UpgradeResponse.longestHead + more)
        #expect(outcome(bytes) == (more > 0 ? .failure(.headTooLarge) : .success(.accepted(rest: []))))
    }

    @Test("A head without an end is given up at its limit", arguments: ["X: y\r\n", "a", "\r", "HTTP/1.1 100 Continue\r\n\r\n"])
    func endlessHead(piece: String) throws {
        var response = UpgradeResponse(accept: [])
        var pushed = piece == "a" || piece == "\r" ? 0 : Self.good[0].utf8.count + 2
        if pushed > 0, piece.hasPrefix("X") { _ = try response.push("\(Self.good[0])\r\n".utf8) } else { pushed = 0 }
        #expect(throws: UpgradeFailure.headTooLarge) {
            while pushed < 20_000 {
                pushed += piece.utf8.count
                _ = try response.push(piece.utf8)
            }
        }
        #expect(pushed <= UpgradeResponse.longestHead + piece.utf8.count)
    }

    @Test("Any other status comes with its body, of which the beginning is shown, escaped") func excerpt() throws {
        let head = ["HTTP/1.1 200 OK", "Content-Length: 20"]
        #expect(outcome(Self.text(head) + "<html>\u{1b}[31m".utf8) == .success(.incomplete))
        #expect(
            outcome(Self.text(head) + "<html>\u{1b}[31m0123456789".utf8)
                == .failure(.status(200, body: Array("<html>\u{1b}[31m012345678".utf8))))
        #expect(outcome(Self.text(["HTTP/1.1 426 Upgrade Required", "Content-Length: 0"])) == .failure(.status(426, body: [])))
        let long = Array(repeating: UInt8(ascii: "x"), count: 300)
        #expect(outcome(Self.text(["HTTP/1.1 502 Bad Gateway"]) + long) == .failure(.status(502, body: long)))
        #expect(UpgradeFailure.status(502, body: long).message("lab").text.hasSuffix(", \"\(String(repeating: "x", count: 200))...\""))
        #expect(UpgradeFailure.status(200, body: Array("<\u{1b}".utf8)).message("lab").text.hasSuffix(", \"<\\x1b\""))
    }

    @Test("A length that is none ends nothing", arguments: ["-12", "x", "", "99999999999999999999"]) func badLength(length: String) throws {
        var response = UpgradeResponse(accept: [])
        #expect(try response.push("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nbody".utf8) == .incomplete)
        #expect(response.end(errno: 0) == .status(200, body: Array("body".utf8)))
    }

    @Test("An answer that breaks off says how far it came") func brokenOff() throws {
        var response = UpgradeResponse(accept: [])
        #expect(response.end(errno: 104) == .closed(errno: 104))
        _ = try response.push("HTTP/1.1 101 Swi".utf8)
        #expect(response.end(errno: 0) == .malformed("an answer that breaks off"))
        #expect(response.refusalSoFar == nil)
        var refusal = UpgradeResponse(accept: [])
        _ = try refusal.push("HTTP/1.1 500 x\r\n\r\nhalf".utf8)
        #expect(refusal.end(errno: 0) == .status(500, body: Array("half".utf8)))
    }
}
