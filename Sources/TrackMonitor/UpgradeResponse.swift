import NLOSCore

/// Reads the server's answer to the upgrade, in whatever pieces it comes. A value without a clock and without I/O.
///
/// Source: the wire contract, B ("upgrade"); RFC 6455, 4.1; RFC 9112.
struct UpgradeResponse {
    /// Of the head, with its empty line.
    static let longestHead = 16 * 1024
    /// What is waited for of the body of a refusal, and shown of it, in bytes.
    static let excerptLength = 200

    private let accept: [UInt8]
    private var received: [UInt8] = []
    /// Up to here there is no end of a line that nobody has looked at.
    private var searched = 0
    /// Of answers that only said that an answer will come.
    private var interimBytes = 0
    /// An answer that is not `101`, while its body is waited for.
    private var refusal: (head: ResponseHead, bodyStart: Int)?

    /// `accept` is what the server has to answer to the request's key.
    init(accept: [UInt8]) { self.accept = accept }

    enum Progress: Equatable {
        case incomplete
        /// The connection is a WebSocket; what came after the answer belongs to it.
        case accepted(rest: [UInt8])
    }

    /// Takes the next bytes. Throws once the answer is known not to be the right one.
    mutating func push(_ bytes: some Sequence<UInt8>) throws(UpgradeFailure) -> Progress {
        received.append(contentsOf: bytes)
        if refusal != nil { return try judgeRefusal(isComplete: false) }
        while let end = endOfHead() {
            guard interimBytes + end <= Self.longestHead else { throw .headTooLarge }
            let head = try ResponseHead(received[..<(end - 4)])
            switch head.status {
            case 101:
                try check(head)
                return .accepted(rest: Array(received[end...]))
            case 100...199:
                // Only says that an answer will come. The whole has one limit.
                interimBytes += end
                received.removeFirst(end)
                searched = 0
            case 401: throw .unauthorized
            case 403: throw .forbidden
            case 300...399: throw .redirect(status: head.status, location: head.values("location").first.map { Array($0) })
            default:
                refusal = (head, end)
                return try judgeRefusal(isComplete: false)
            }
        }
        guard interimBytes + received.count <= Self.longestHead else { throw .headTooLarge }
        return .incomplete
    }

    /// The refusal, as far as its body has come; nil while there is none.
    var refusalSoFar: UpgradeFailure? {
        do throws(UpgradeFailure) { _ = try judgeRefusal(isComplete: true) } catch { return error }
        return nil
    }

    /// What the answer comes to when nothing more of it will come; `errno` of the connection's end, or 0.
    func end(errno: CInt) -> UpgradeFailure {
        refusalSoFar ?? (received.isEmpty ? .closed(errno: errno) : .malformed("an answer that breaks off"))
    }

    /// Where the head's empty line ends; nil while it has not come.
    private mutating func endOfHead() -> Int? {
        while let line = received[searched...].firstIndex(of: UInt8(ascii: "\n")) {
            searched = line + 1
            if line >= 3, received[(line - 3)...line].elementsEqual("\r\n\r\n".utf8) { return line + 1 }
        }
        searched = received.count
        return nil
    }

    private func judgeRefusal(isComplete: Bool) throws(UpgradeFailure) -> Progress {
        guard let (head, bodyStart) = refusal else { return .incomplete }
        let body = received[bodyStart...]
        // What is no length leaves the end of the body to the end of the connection.
        let length =
            head.values("content-length").first.flatMap { Int(String(decoding: $0, as: UTF8.self)) }.map { $0 < 0 ? .max : $0 } ?? .max
        guard isComplete || body.count >= min(length, Self.excerptLength) else { return .incomplete }
        throw .status(head.status, body: Array(body.prefix(length)))
    }

    private func check(_ head: ResponseHead) throws(UpgradeFailure) {
        guard head.tokens("upgrade") == ["websocket"] else { throw .wrongHeader(name: "Upgrade", needed: "websocket") }
        guard head.tokens("connection").contains("upgrade") else { throw .wrongHeader(name: "Connection", needed: "Upgrade") }
        let accepts = head.values("sec-websocket-accept")
        guard accepts.count == 1, !accept.isEmpty, accepts[0].elementsEqual(accept) else {
            throw .wrongHeader(name: "Sec-WebSocket-Accept", needed: "the digest of this request's key, once")
        }
        guard head.values("sec-websocket-extensions").isEmpty else {
            throw .wrongHeader(name: "Sec-WebSocket-Extensions", needed: "nothing, as no extension was asked for")
        }
        let protocols = head.values("sec-websocket-protocol")
        guard protocols.count == 1, protocols[0].elementsEqual(UpgradeRequest.subprotocol.utf8) else {
            throw .wrongHeader(name: "Sec-WebSocket-Protocol", needed: UpgradeRequest.subprotocol)
        }
    }
}
