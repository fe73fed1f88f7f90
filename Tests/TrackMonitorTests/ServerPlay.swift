import CLinux
import Foundation
import Testing
import TrackServerKit

@testable import NLOSCore
@testable import TrackMonitor

/// What a session told its owner, a word or a few for each event, as a table can list them.
struct Played {
    var words: [String] = []
    var notices: [Message] = []
    var frames: [DisplayableFrame] = []
    var disconnection: Disconnection?

    mutating func take(_ event: MonitorEvent) {
        switch event {
        case .connecting: words.append("connecting")
        case .authenticated(let session): words.append("authenticated \(session.sessionId.text)")
        case .frame(let frame):
            frames.append(frame)
            words.append("frame \(frame.sequence)")
        case .rejected(let rejection):
            words.append((["rejected", rejection.name] + [rejection.field].compactMap { $0 }).joined(separator: " "))
        case .cleared(let reason): words.append("cleared \(reason.rawValue)")
        case .notice(let message): notices.append(message)
        case .disconnected(let end):
            disconnection = end
            words.append(
                (["disconnected", end.reason.rawValue] + [end.closeCode].compactMap { $0.map(String.init) }).joined(separator: " "))
        }
    }
}

/// One session against the track server, with time limits that a test can wait for.
struct Play {
    var host = "localhost"
    var trust: ServerTrust
    var limits = MonitorLimits()
    var clocks = Clocks.kernel

    init() throws { self.init(authority: try TrackServer.shared.get().authority) }

    init(authority: String) {
        trust = ServerTrust(authoritiesFile: authority)
        limits.close = 0.5
    }

    /// Connects, lets the scenario go one step further with each message of it that arrived, and listens to the last event.
    ///
    /// `stoppingWhen`: the user leaves as soon as this is true.
    func callAsFunction(
        _ served: ServedScenario, seconds: Double = 20, stoppingWhen enough: (Played) -> Bool = { _ in false }
    ) throws -> Played {
        try listen(port: served.port, seconds: seconds, stoppingWhen: enough) { try served.go() }
    }

    func listen(
        port: UInt16, seconds: Double = 20, stoppingWhen enough: (Played) -> Bool = { _ in false }, onMessage: () throws -> Void = {}
    ) throws -> Played {
        let bracketed = host.contains(":") ? "[\(host)]" : host
        let endpoint = try MonitorEndpoint("wss://\(bracketed):\(port)/api/v1/nlos/ws")
        var configuration = MonitorConfiguration(endpoint: endpoint, trust: trust, limits: limits, clocks: clocks)
        if host.hasSuffix(".test") { configuration.address = "127.0.0.1" }
        let session = try MonitorSession(configuration, token: testToken())
        var played = Played()
        var left = false
        let limit = Clocks.kernel.monotonicNs() + UInt64(seconds * 1e9)
        while played.disconnection == nil {
            let now = Clocks.kernel.monotonicNs()
            var wait = pollfd(fd: session.readiness, events: Int16(POLLIN), revents: 0)
            guard now < limit, poll(&wait, 1, CInt((limit - now) / 1_000_000 + 1)) > 0 else { throw Late(words: played.words) }
            while let event = session.next() {
                played.take(event)
                switch event {
                case .authenticated, .frame, .rejected: try onMessage()
                default: break
                }
            }
            if !left, enough(played) {
                left = true
                session.stop()
            }
        }
        let detail = played.disconnection?.detail
        #expect(!"\(detail, default: "")".contains(TrackServer.token))
        return played
    }

    struct Late: Error, CustomStringConvertible {
        let words: [String]
        var description: String { "no end in time; so far: \(words)" }
    }
}

/// The token that the track server finds right.
func testToken() throws -> PairingToken {
    var ends: [CInt] = [-1, -1]
    guard pipe2(&ends, O_CLOEXEC) == 0 else { throw POSIXError(.EMFILE) }
    defer { close(ends[0]) }
    _ = TrackServer.token.withCString { write(ends[1], $0, strlen($0)) }
    close(ends[1])
    return try PairingToken.read(from: ends[0])
}

extension Clocks {
    static let kernel = Clocks(
        monotonicNs: { kernelNs(CLOCK_MONOTONIC) }, bootNs: { kernelNs(CLOCK_BOOTTIME) },
        unixMs: { kernelNs(CLOCK_REALTIME) / 1_000_000 })
}

private func kernelNs(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
