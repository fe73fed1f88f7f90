import Testing

@testable import TrackMonitor

struct LivenessTests {
    private let second: UInt64 = 1_000_000_000

    @Test("A ping at 15 s of silence, the end at 30 s") func silence() {
        var liveness = Liveness(limits: MonitorLimits(), bootNs: second)
        #expect(liveness.nextDeadlineBootNs == 16 * second)
        #expect(liveness.due(bootNs: 16 * second - 1) == nil)
        #expect(liveness.due(bootNs: 16 * second) == .ping)
        #expect(liveness.due(bootNs: 17 * second) == nil)
        #expect(liveness.nextDeadlineBootNs == 31 * second)
        #expect(liveness.due(bootNs: 31 * second - 1) == nil)
        #expect(liveness.due(bootNs: 31 * second) == .idle)
    }

    @Test("Anything from the server starts both anew") func heard() {
        var liveness = Liveness(limits: MonitorLimits(), bootNs: 0)
        #expect(liveness.due(bootNs: 15 * second) == .ping)
        liveness.heard(bootNs: 29 * second)
        #expect(liveness.nextDeadlineBootNs == 44 * second)
        #expect(liveness.due(bootNs: 30 * second) == nil)
        #expect(liveness.due(bootNs: 44 * second) == .ping)
    }

    @Test("A suspend longer than both ends it without a ping") func suspend() {
        var liveness = Liveness(limits: MonitorLimits(), bootNs: 0)
        #expect(liveness.due(bootNs: 3_600 * second) == .idle)
    }
}
