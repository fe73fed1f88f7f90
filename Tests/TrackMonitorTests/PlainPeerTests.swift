import Glibc
import NLOSCore
import Testing

@testable import TrackMonitor

/// A session against something that never gets as far as TLS.
struct PlainPeerTests {
    private func makeSession(_ listener: LoopbackListener, _ change: (inout MonitorConfiguration) -> Void = { _ in }) throws
        -> MonitorSession
    {
        var configuration = MonitorConfiguration(
            endpoint: try MonitorEndpoint("wss://127.0.0.1:\(listener.port)/api/v1/nlos/ws"), clocks: .kernel)
        change(&configuration)
        return try MonitorSession(configuration, token: testToken())
    }

    private func end(of session: MonitorSession) throws -> Disconnection {
        while true {
            var entry = pollfd(fd: session.readiness, events: CShort(POLLIN), revents: 0)
            guard poll(&entry, 1, 30_000) == 1 else { throw Missing("an end") }
            while let event = session.next() {
                if case .disconnected(let end) = event { return end }
            }
        }
    }

    @Test("A server that speaks plain HTTP never sees the token, and the message names the cause") func plainHTTP() throws {
        let listener = try LoopbackListener()
        let session = try makeSession(listener)
        let peer = listener.accepted()
        let answer = "HTTP/1.1 400 Bad Request\r\n\r\n"
        _ = answer.withCString { send(peer, $0, strlen($0), 0) }
        shutdown(peer, CInt(SHUT_WR))
        var heard: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = recv(peer, &buffer, buffer.count, 0), count > 0 { heard += buffer[..<count] }
        close(peer)
        let end = try end(of: session)
        #expect(end.reason == .tls)
        #expect(end.detail.text.hasSuffix("what answers there does not speak TLS"))
        #expect(!String(decoding: heard, as: UTF8.self).contains("Authorization"))
    }

    @Test("A server that says nothing is given up at the limit of the handshake") func silent() throws {
        let listener = try LoopbackListener()
        let end = try end(of: try makeSession(listener) { $0.limits.tls = 0.1 })
        #expect(end.reason == .tls)
        #expect(end.detail.text.contains("0.1 s"))
        #expect(end.mayPass)
    }

    @Test("Stopped in mid-handshake it ends at once, by its owner's wish") func stopped() throws {
        let listener = try LoopbackListener()
        let session = try makeSession(listener) { $0.limits.tls = 600 }
        let peer = listener.accepted()
        session.stop()
        #expect(try end(of: session).reason == .closedByUser)
        close(peer)
    }

    @Test("Let go of, a session ends without being stopped") func letGo() throws {
        let listener = try LoopbackListener()
        var session: MonitorSession? = try makeSession(listener) { $0.limits.tls = 600 }
        let peer = listener.accepted()
        #expect(session != nil)
        session = nil
        // Its thread is gone, and so is its socket: after the greeting comes the end.
        var buffer = [UInt8](repeating: 0, count: 4096)
        var count = 1
        while count > 0 { count = recv(peer, &buffer, buffer.count, 0) }
        #expect(count == 0 || errno == ECONNRESET)
        close(peer)
    }

    @Test("An authority's file that cannot be used is named before anything is sent", arguments: ["/nonexistent/ca.pem", "/dev/null"])
    func authorities(file: String) throws {
        let listener = try LoopbackListener()
        let end = try end(of: try makeSession(listener) { $0.trust.authoritiesFile = file })
        #expect(end.reason == .tls)
        #expect(end.detail.text.contains(file))
    }
}
