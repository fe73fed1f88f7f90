import Glibc
import NLOSCore
import Testing

@testable import TrackMonitor

struct ConnectingTests {
    private func makeWaiting(_ stop: StopRequest) throws -> Waiting {
        Waiting(stop: stop, alarms: try KernelAlarms(), clocks: .kernel)
    }

    @Test("A port that listens is connected to, by name and by address", arguments: ["127.0.0.1", "localhost"])
    func connects(host: String) throws {
        let listener = try LoopbackListener()
        var waiting = try makeWaiting(try StopRequest())
        let socket = try waiting.connect(to: host, listener.port, within: 20)
        #expect(socket.descriptor >= 0)
        close(listener.accepted())
    }

    @Test("A port that nobody listens on is refused, with the address and the reason") func refused() throws {
        let listener = try LoopbackListener(backlog: nil)
        var waiting = try makeWaiting(try StopRequest())
        #expect(throws: SessionEnd.unreachable(address: "127.0.0.1", errno: ECONNREFUSED, addresses: 1)) {
            _ = try waiting.connect(to: "127.0.0.1", listener.port, within: 20)
        }
    }

    /// A port whose queue is full: it answers nobody.
    private func fill(_ listener: LoopbackListener) throws -> [TCPSocket] {
        let address = SocketAddress(loopback: listener.port)
        return try (0..<6).map { _ in try TCPSocket(connectingTo: address) }
    }

    @Test("An address that does not answer is given up in time") func unanswered() throws {
        let listener = try LoopbackListener(backlog: 0)
        let crowd = try fill(listener)
        var waiting = try makeWaiting(try StopRequest())
        #expect(throws: SessionEnd.unreachable(address: "127.0.0.1", errno: ETIMEDOUT, addresses: 1)) {
            _ = try waiting.connect(to: "127.0.0.1", listener.port, within: 3)
        }
        withExtendedLifetime(crowd) {}
    }

    @Test("The owner can stop it at any time") func stopped() throws {
        let listener = try LoopbackListener(backlog: 0)
        let crowd = try fill(listener)
        let stop = try StopRequest()
        var waiting = try makeWaiting(stop)
        let owner = try startThread { stop.raise() }
        #expect(throws: SessionEnd.stopped) { _ = try waiting.connect(to: "127.0.0.1", listener.port, within: 600) }
        pthread_join(owner, nil)
        withExtendedLifetime(crowd) {}
    }

    @Test("A name that cannot exist ends as a network failure, by the answer or by the limit") func noName() throws {
        var waiting = try makeWaiting(try StopRequest())
        do throws(SessionEnd) {
            _ = try waiting.connect(to: "nobody.invalid", 443, within: 2)
            Issue.record("connected to nobody")
        } catch { #expect(error.reason == .network) }
    }
}

extension SocketAddress {
    init(loopback port: UInt16) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        self.init(family: AF_INET, bytes: withUnsafeBytes(of: address) { Array($0) })
    }
}
