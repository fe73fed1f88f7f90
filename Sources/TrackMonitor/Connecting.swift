import Glibc
import NLOSCore

extension Waiting {
    /// A TCP connection to the first address of the host that takes one, within `seconds` for the name and all addresses together.
    mutating func connect(to host: String, _ port: UInt16, within seconds: Double) throws(SessionEnd) -> TCPSocket {
        let deadline = deadline(in: seconds)
        let addresses = try resolve(host, port, until: deadline)
        var last = SessionEnd.nameNotFound(code: EAI_NONAME, errno: 0)
        for (index, address) in addresses.enumerated() {
            // A dead address does not eat the time of those behind it.
            let now = clocks.bootNs()
            let share = interval(from: now, to: deadline) / UInt64(addresses.count - index)
            let failed: CInt
            do throws(ConnectFailure) {
                return try attempt(address, until: now + share)
            } catch {
                switch error {
                case .end(let end): throw end
                case .errno(let code): failed = code
                }
            }
            last = .unreachable(address: address.text, errno: failed, addresses: addresses.count)
        }
        throw last
    }

    /// Why one address was not it: the session's end, or an errno that leaves hope for the next.
    private enum ConnectFailure: Error {
        case end(SessionEnd)
        case errno(CInt)
    }

    private mutating func attempt(_ address: SocketAddress, until deadline: UInt64) throws(ConnectFailure) -> TCPSocket {
        let socket: TCPSocket
        do throws(SystemCallFailure) { socket = try TCPSocket(connectingTo: address) } catch { throw .errno(error.errno) }
        let wake: Wake
        do throws(SessionEnd) {
            wake = try waitQuietly(socket.descriptor, writable: true, until: deadline)
        } catch { throw .end(error) }
        let code = wake.contains(.writable) ? socket.connectError() : ETIMEDOUT
        guard code == 0 else { throw .errno(code) }
        return socket
    }

    private mutating func resolve(_ host: String, _ port: UInt16, until deadline: UInt64) throws(SessionEnd) -> [SocketAddress] {
        let resolver: Resolver
        do throws(SystemCallFailure) {
            resolver = try Resolver(host: host, port: port)
        } catch { throw .system(error) }
        while true {
            let wake = try waitQuietly(resolver.descriptor, readable: true, until: deadline)
            switch resolver.outcome {
            case .found(let addresses): return addresses
            case .failed(let code, let errno): throw .nameNotFound(code: code, errno: errno)
            case nil: if wake.contains(.deadline) { throw .nameTimeout }
            }
        }
    }
}
