import NLOSCore
import Testing
import TrackMonitor

@testable import bridge

@Suite struct ReconnectPolicyTests {
    private static let secondNs: UInt64 = 1_000_000_000

    @Test("the bound of the pause doubles up to a minute, and a valid frame takes it back") func bounds() {
        var policy = ReconnectPolicy(random: { 0.999_999 })
        let pauses = (0..<9).map { _ in (Double(policy.next(nowNs: 0)) / 1e9).rounded() }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60])
        policy.validFrame()
        #expect((Double(policy.next(nowNs: 0)) / 1e9).rounded() == 1)
    }

    @Test("the pause is anything from nothing to the bound", arguments: [(0.0, 0.0), (0.25, 1.0), (0.5, 2.0)])
    func jitter(chance: Double, seconds: Double) {
        var policy = ReconnectPolicy(random: { chance })
        for _ in 0..<2 { _ = policy.next(nowNs: 0) }
        #expect(policy.next(nowNs: 7) == 7 + UInt64(seconds * 1e9))
    }

    /// The worst of chances, and a server that closes at once: with a frame first, or without.
    @Test("at most ten attempts in any minute", arguments: [true, false]) func immediateCloses(withFrame: Bool) {
        var policy = ReconnectPolicy(random: { 0 })
        var attempts: [UInt64] = []
        var now: UInt64 = 5 * Self.secondNs
        for _ in 0..<200 {
            attempts.append(now)
            policy.attempted(nowNs: now)
            if withFrame { policy.validFrame() }
            now = max(now + 1, policy.next(nowNs: now + 1))
        }
        for (index, start) in attempts.enumerated() {
            #expect(attempts[index...].count { $0 < start + 60 * Self.secondNs } <= 10)
        }
    }

    @Test("a hundred immediate closes in a run of an hour and more stay apart with ordinary chances too") func ordinaryChances() {
        var seed = 1.0
        var policy = ReconnectPolicy(random: {
            seed = (seed * 16807).truncatingRemainder(dividingBy: 2_147_483_647)
            return seed / 2_147_483_647
        })
        var now: UInt64 = 0
        for _ in 0..<100 {
            policy.attempted(nowNs: now)
            now = policy.next(nowNs: now)
        }
        // Ninety pauses of half a minute on average.
        #expect((1_500...4_500).contains(now / Self.secondNs))
    }

    @Test("a refused certificate, token or redirect is never tried again") func refusals() {
        for reason in Disconnection.Reason.allCases {
            let end = Disconnection(reason: reason, detail: Message(text: ""))
            let refused: Set<Disconnection.Reason> = [.tls, .unauthorized, .forbidden, .redirectRefused, .closedByUser]
            #expect(end.mayPass == !refused.contains(reason))
        }
        #expect(Disconnection(reason: .tls, detail: Message(text: ""), mayPass: true).mayPass)
    }

    @Test("the shell learns how a stream ended") func statuses() {
        func status(_ reason: Disconnection.Reason, _ code: UInt16? = nil) -> bridge.ExitStatus {
            Disconnection(reason: reason, detail: Message(text: ""), closeCode: code).status
        }
        #expect(status(.serverClosed, 1000) == .done)
        #expect(status(.serverClosed, 1001) == .done)
        #expect(status(.serverClosed) == .done)
        for code: UInt16 in [1002, 1008, 1011, 4000] { #expect(status(.serverClosed, code) == .network) }
        #expect(status(.sessionExpired) == .done)
        #expect(status(.closedByUser) == .done)
        for reason: Disconnection.Reason in [
            .authenticationTimeout, .unauthorized, .forbidden, .redirectRefused, .tls, .handshake, .protocol, .idle, .network,
        ] { #expect(status(reason) == .network) }
    }
}
