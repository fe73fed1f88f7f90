import Glibc
import NLOSCore

/// A TCP connection with TLS on it. Nothing here blocks; `Waiting` says when to come back.
///
/// Who the server is was settled by the handshake (`Waiting.secure`): what TLS says against the stream later may pass.
final class SecureChannel {
    /// Where receiving stops until the server takes what waits for it: what it makes us answer never piles up.
    private static let mostWaiting = 64 * 1024

    let tls: TLSConnection
    private let socket: TCPSocket
    private let inbound = UnsafeMutableRawBufferPointer.allocate(byteCount: 32 * 1024, alignment: 16)
    private let outbound = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 * 1024, alignment: 16)
    private var unsent = 0..<0

    init(_ socket: TCPSocket, _ tls: TLSConnection) {
        self.socket = socket
        self.tls = tls
    }

    deinit {
        inbound.deallocate()
        outbound.deallocate()
    }

    var descriptor: CInt { socket.descriptor }
    var wantsToSend: Bool { !unsent.isEmpty || tls.waiting > 0 }
    var mayReceive: Bool { unsent.count + tls.waiting < Self.mostWaiting }

    /// Sends what the socket takes now.
    func flush() throws(SessionEnd) {
        while wantsToSend {
            if unsent.isEmpty { unsent = 0..<tls.takeOutgoing(into: outbound) }
            switch socket.send(UnsafeRawBufferPointer(rebasing: outbound[unsent])) {
            case .moved(let count): unsent = unsent.lowerBound + count..<unsent.upperBound
            case .wouldBlock: return
            case .failed(let errno): throw .lost(errno: errno)
            }
        }
    }

    enum Receipt: Equatable {
        case some
        case nothing
        /// The server sends nothing more: an errno, or 0 for an orderly end of the TCP connection.
        case ended(errno: CInt)
    }

    /// Takes bytes off the socket, once.
    func receive() throws(SessionEnd) -> Receipt {
        switch socket.receive(into: inbound) {
        case .moved(0): return .ended(errno: 0)
        case .moved(let count):
            do throws(TLSFailure) {
                try tls.received(UnsafeRawBufferPointer(rebasing: inbound[..<count]))
            } catch { throw .damaged(error) }
            return .some
        case .wouldBlock: return .nothing
        case .failed(let errno): return .ended(errno: errno)
        }
    }

    /// Takes what TLS has ready.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(SessionEnd) -> TLSConnection.Reading {
        do throws(TLSFailure) { return try tls.read(into: buffer) } catch { throw .damaged(error) }
    }

    /// Encrypts bytes for the server; `flush` sends them.
    func write(_ bytes: UnsafeRawBufferPointer) throws(SessionEnd) {
        do throws(TLSFailure) { try tls.write(bytes) } catch { throw .damaged(error) }
    }
}

extension Waiting {
    /// Makes the connection a secure one to that server and no other.
    mutating func secure(
        _ socket: TCPSocket, for endpoint: MonitorEndpoint, trust: ServerTrust, within seconds: Double
    ) throws(SessionEnd) -> SecureChannel {
        let deadline = deadline(in: seconds)
        let channel: SecureChannel
        do throws(TLSFailure) {
            channel = SecureChannel(socket, try TLSContext(trust: trust).makeConnection())
            try channel.tls.expect(endpoint, atUnixMs: clocks.unixMs())
        } catch { throw .tls(error) }
        while true {
            do throws(TLSFailure) {
                if try channel.tls.handshake(pinned: trust.publicKeyDigest) { return channel }
            } catch {
                // The server learns why, if it still listens.
                do throws(SessionEnd) { try channel.flush() } catch {}
                throw .tls(error)
            }
            try channel.flush()
            let wake = try waitQuietly(channel.descriptor, readable: true, writable: channel.wantsToSend, until: deadline)
            if wake.contains(.readable), case .ended(let errno) = try channel.receive() { throw .tls(.closed(errno: errno)) }
            if wake.contains(.deadline) { throw .tlsTimeout }
        }
    }
}
