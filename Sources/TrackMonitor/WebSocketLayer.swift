import NLOSCore

/// The client's side of a WebSocket: bytes of the server in, whole messages out, and what has to be answered. Without I/O and clocks.
///
/// Memory is one message and a few control frames, however the server cuts, nests or floods.
final class WebSocketLayer {
    enum Incoming {
        /// Valid until the next call of `next`.
        case text(UnsafeRawBufferPointer)
        case binary
        case ping, pong
        /// The server's last word.
        case close(code: UInt16?, reason: [UInt8])
    }

    private let codec: FrameCodec
    private var inspector = FrameInspector()
    private var breach: WebSocketBreach?
    private let message = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(FrameInspector.longestMessage), alignment: 16)
    private var messageLength = 0
    private var isText = false
    private var utf8 = UTF8Check()
    private var control: [UInt8] = []
    private var pingToAnswer: [UInt8]?
    private var isClosed = false

    init() throws(SystemCallFailure) {
        codec = try FrameCodec()
        control.reserveCapacity(125)
    }

    deinit { message.deallocate() }

    /// Bytes from the server. They are read by `next` and `skip`, and must stay where they are until all of them are: until `next` has
    /// returned nil or thrown, or `skip` was called.
    func feed(_ bytes: UnsafeRawBufferPointer) {
        guard breach == nil, !isClosed else { return }
        let (admitted, breach) = inspector.inspect(bytes)
        codec.feed(UnsafeRawBufferPointer(rebasing: bytes[..<admitted]))
        self.breach = breach
    }

    /// What has come next; nil when more bytes are needed. After a breach, and after `close`, nothing comes any more.
    func next() throws(WebSocketBreach) -> Incoming? {
        do throws(WebSocketBreach) {
            while !isClosed {
                guard let piece = try codec.next() else {
                    guard let breach else { return nil }
                    throw breach
                }
                if let incoming = try piece.opcode >= 8 ? takeControl(piece) : takeData(piece) { return incoming }
            }
            return nil
        } catch {
            isClosed = true
            throw error
        }
    }

    /// Reads past all that has come, for whoever stops before `next` has returned nil: bytes that were counted here and are gone before
    /// they are decoded would make the next ones be taken for something else. True when the server says goodbye in them.
    func skip() throws(WebSocketBreach) -> Bool {
        while let incoming = try next() {
            if case .close = incoming { return true }
        }
        return false
    }

    /// The answer to the newest ping that has none yet, and that ping is answered. Older ones need no answer (RFC 6455, 5.5.3).
    func takePong() -> [UInt8]? {
        guard let payload = pingToAnswer else { return nil }
        pingToAnswer = nil
        return codec.controlFrame(10, payload)
    }

    func ping() -> [UInt8] { codec.controlFrame(9, []) }

    /// A close frame; without a code it is empty.
    func close(code: UInt16?) -> [UInt8] {
        codec.controlFrame(8, code.map { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] } ?? [])
    }

    private func takeData(_ piece: FrameCodec.Piece) throws(WebSocketBreach) -> Incoming? {
        if piece.opcode != 0 { isText = piece.opcode == 1 }
        if isText {
            // The inspector has refused what has no room; whatever it was told, nothing is written past the end.
            guard piece.payload.count <= message.count - messageLength else { throw .messageTooLarge }
            guard utf8.accepts(piece.payload) else { throw .text }
            UnsafeMutableRawBufferPointer(rebasing: message[messageLength...]).copyMemory(from: piece.payload)
            messageLength += piece.payload.count
        }
        guard piece.endsFrame, piece.isFinal else { return nil }
        defer { (messageLength, utf8) = (0, UTF8Check()) }
        guard isText else { return .binary }
        guard utf8.isComplete else { throw .text }
        return .text(UnsafeRawBufferPointer(rebasing: message[..<messageLength]))
    }

    private func takeControl(_ piece: FrameCodec.Piece) throws(WebSocketBreach) -> Incoming? {
        control.append(contentsOf: piece.payload)
        guard piece.endsFrame else { return nil }
        defer { control.removeAll(keepingCapacity: true) }
        switch piece.opcode {
        case 9:
            pingToAnswer = control
            return .ping
        case 10: return .pong
        default:
            isClosed = true
            return try closing()
        }
    }

    private func closing() throws(WebSocketBreach) -> Incoming {
        guard !control.isEmpty else { return .close(code: nil, reason: []) }
        guard control.count >= 2 else { throw .closeCode(nil) }
        let code = UInt16(control[0]) << 8 | UInt16(control[1])
        guard Self.mayBeSent(code) else { throw .closeCode(code) }
        let reason = Array(control[2...])
        var utf8 = UTF8Check()
        guard reason.withUnsafeBytes({ utf8.accepts($0) }), utf8.isComplete else { throw .text }
        return .close(code: code, reason: reason)
    }

    /// The codes that a close frame may carry: RFC 6455, 7.4, and the register of IANA.
    private static func mayBeSent(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
