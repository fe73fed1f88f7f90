import NLOSCore

/// A WebSocket with a server, from the upgrade to the end.
struct Conversation {
    private let channel: SecureChannel
    private let limits: MonitorLimits
    private let webSocket: WebSocketLayer
    private let plain = PlainBuffer()
    private var waiting: Waiting
    private var stream: TrackStream
    private var liveness: Liveness
    /// Whether the server's goodbye has come behind what ended the session.
    private var heardGoodbye = false

    init(_ channel: SecureChannel, _ waiting: Waiting, _ stream: TrackStream, limits: MonitorLimits) throws(SystemCallFailure) {
        self.channel = channel
        self.waiting = waiting
        self.stream = stream
        self.limits = limits
        webSocket = try WebSocketLayer()
        liveness = Liveness(limits: limits, bootNs: waiting.clocks.bootNs())
    }

    /// Follows the stream to its end. `first` came with the answer to the upgrade.
    mutating func run(startingWith first: [UInt8]) -> SessionEnd {
        let end = follow(first)
        // Clear first, then say goodbye, then report.
        stream.finish(end.clearReason)
        sayGoodbye(after: end)
        return end
    }

    private mutating func follow(_ first: [UInt8]) -> SessionEnd {
        do throws(SessionEnd) {
            try first.withUnsafeBufferPointer { bytes throws(SessionEnd) in try take(UnsafeRawBufferPointer(bytes)) }
            // TLS may have more than what the upgrade has read, and the socket is silent about that.
            try takeDecrypted()
            while true { try step() }
        } catch {
            return error
        }
    }

    private mutating func step() throws(SessionEnd) {
        try send()
        let deadline = min(stream.nextDeadlineBootNs, liveness.nextDeadlineBootNs)
        let wake = waiting.wait(channel.descriptor, readable: channel.mayReceive, writable: channel.wantsToSend, until: deadline)
        // Whatever passes from here on is the next step's: what ends the session is looked at before the silence is.
        let now = waiting.clocks.bootNs()
        // What may not be shown any more goes before anything new is looked at.
        if wake.contains(.clockStep) { try stream.clockStep() }
        try stream.tick()
        if wake.contains(.stop) { throw .stopped }
        if wake.contains(.readable) { try receive() }
        switch liveness.due(bootNs: now) {
        case .ping: try write(webSocket.ping())
        case .idle: throw .idle(seconds: limits.idle)
        case nil: break
        }
    }

    private mutating func receive() throws(SessionEnd) {
        let receipt = try channel.receive()
        if receipt == .some { liveness.heard(bootNs: waiting.clocks.bootNs()) }
        try takeDecrypted()
        if case .ended(let errno) = receipt { throw .lost(errno: errno) }
    }

    private mutating func send() throws(SessionEnd) {
        // One answer at a time: what a flood of pings asks for does not pile up while the server reads nothing.
        if !channel.wantsToSend, let pong = webSocket.takePong() { try write(pong) }
        do throws(SessionEnd) { try channel.flush() } catch {
            // The server may have said goodbye before it stopped listening.
            while try channel.receive() == .some { try takeDecrypted() }
            throw error
        }
    }

    private func write(_ frame: [UInt8]) throws(SessionEnd) {
        try frame.withUnsafeBufferPointer { bytes throws(SessionEnd) in try channel.write(UnsafeRawBufferPointer(bytes)) }
    }

    private mutating func takeDecrypted() throws(SessionEnd) {
        while true {
            switch try channel.read(into: plain.bytes) {
            case .bytes(let count): try take(UnsafeRawBufferPointer(rebasing: plain.bytes[..<count]))
            case .nothing: return
            case .ended: throw .lost(errno: 0)
            }
        }
    }

    private mutating func take(_ bytes: UnsafeRawBufferPointer) throws(SessionEnd) {
        webSocket.feed(bytes)
        do throws(SessionEnd) {
            while let incoming = try next() {
                switch incoming {
                case .text(let message): try stream.text(message)
                case .binary: try stream.binary()
                case .ping, .pong: break
                case .close(let code, let reason): throw .serverClosed(code: code, reason: reason)
                }
            }
        } catch {
            // The rest is read while it is here, though it counts no more. A breach in it is the second fault of a lost stream.
            do throws(WebSocketBreach) { heardGoodbye = try webSocket.skip() } catch {}
            throw error
        }
    }

    private mutating func next() throws(SessionEnd) -> WebSocketLayer.Incoming? {
        do throws(WebSocketBreach) {
            return try webSocket.next()
        } catch {
            // The one breach that is also a verdict on a message.
            if error == .messageTooLarge { stream.reject(.messageTooLarge) }
            throw .webSocket(error)
        }
    }

    // MARK: - The end

    /// Says why it ends, where there is somebody to hear it, and waits for the server's own goodbye, but not for long.
    private mutating func sayGoodbye(after end: SessionEnd) {
        var isLastWord = heardGoodbye
        var code = end.closeCode
        if case .serverClosed(let theirs, _) = end { (code, isLastWord) = (theirs, true) }
        guard isLastWord || code != nil, !waiting.stop.isUrgent else { return }
        // Both have said it: all that is left to wait for is that the server closes the connection.
        let deadline = waiting.deadline(in: isLastWord ? limits.close / 3 : limits.close)
        do throws(SessionEnd) {
            try write(webSocket.close(code: code))
            while true {
                try channel.flush()
                let wake = waiting.wait(channel.descriptor, readable: true, writable: channel.wantsToSend, until: deadline)
                // Asked once more, the owner does not want to wait.
                if wake.contains(.stop) || wake.contains(.deadline) { break }
                if wake.contains(.readable), try discard() { break }
            }
            channel.tls.end()
            try channel.flush()
        } catch {
            // The connection is over anyhow.
        }
    }

    /// Reads on past everything but the server's goodbye. True once there is nothing more to wait for.
    private mutating func discard() throws(SessionEnd) -> Bool {
        if case .ended = try channel.receive() { return true }
        while true {
            switch try channel.read(into: plain.bytes) {
            case .bytes(let count):
                webSocket.feed(UnsafeRawBufferPointer(rebasing: plain.bytes[..<count]))
                do throws(WebSocketBreach) { if try webSocket.skip() { return true } } catch { throw .webSocket(error) }
            case .nothing: return false
            case .ended: return true
            }
        }
    }
}

/// Where decrypted bytes stand while they are read; used over and over.
private final class PlainBuffer {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 32 * 1024, alignment: 16)
    deinit { bytes.deallocate() }
}
