import NLOSCore
import Testing

@Suite struct TransientSequenceTests {
    private static let first = Step(sequence: 41, monotonicNs: 1000, verdict: nil)

    struct Step: Sendable {
        var session = "lab"
        let sequence: UInt64
        let monotonicNs: UInt64
        let verdict: Rejection?
    }

    @Test(arguments: [
        [first, Step(sequence: 42, monotonicNs: 1001, verdict: nil), Step(sequence: 43, monotonicNs: 9999, verdict: nil)],
        [first, Step(sequence: 41, monotonicNs: 1001, verdict: .replayedSequence)],
        [first, Step(sequence: 40, monotonicNs: 1001, verdict: .replayedSequence)],
        [first, Step(sequence: 43, monotonicNs: 1001, verdict: .invalidField("sequence"))],
        [first, Step(sequence: 42, monotonicNs: 1000, verdict: .invalidField("monotonicNs"))],
        [first, Step(sequence: 42, monotonicNs: 999, verdict: .invalidField("monotonicNs"))],
        [first, Step(session: "lab2", sequence: 42, monotonicNs: 1001, verdict: .sessionChanged)],
        // The session comes first, then the sequence, then the clock.
        [first, Step(session: "lab2", sequence: 41, monotonicNs: 0, verdict: .sessionChanged)],
        [first, Step(sequence: 41, monotonicNs: 0, verdict: .replayedSequence)],
        [first, Step(sequence: 43, monotonicNs: 0, verdict: .invalidField("sequence"))],
        // What is refused does not move the guard.
        [
            first, Step(sequence: 44, monotonicNs: 5000, verdict: .invalidField("sequence")),
            Step(session: "lab2", sequence: 42, monotonicNs: 5000, verdict: .sessionChanged),
            Step(sequence: 42, monotonicNs: 1001, verdict: nil),
        ],
        [
            Step(sequence: 9_007_199_254_740_991, monotonicNs: .max, verdict: nil),
            Step(sequence: 9_007_199_254_740_991, monotonicNs: .max, verdict: .replayedSequence),
        ],
    ])
    func runs(steps: [Step]) throws {
        var guardian = TransientSequence()
        for step in steps {
            let frame = try frame(step)
            if let verdict = step.verdict {
                #expect(throws: verdict) { try guardian.accept(frame) }
            } else {
                try guardian.accept(frame)
            }
        }
    }

    private func frame(_ step: Step) throws -> TransientFrame {
        let name = SafeLabel("x")!
        return try TransientFrame(
            sessionId: SafeLabel(step.session)!, sequence: step.sequence, capturedAtUnixMs: 0, monotonicNs: step.monotonicNs,
            evidence: .synthetic, sensor: SensorIdentity(sensorId: name, sensorModel: name, firmwareVersion: name), binWidthPs: 250,
            startBin: 0,
            pose: .fixed,
            zones: TransientZones(wallPointsM: [.zero], distancesM: [1], ambient: [0], histograms: Array(repeating: 0, count: 8)))
    }
}
