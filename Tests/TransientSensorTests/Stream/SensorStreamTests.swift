import NLOSCore
import Testing

@testable import TransientSensor

/// A source and the real session together: what is kept, what is sent when, and whose time it is.
@Suite struct SensorStreamTests {
    private static let asked = VL53L8CHConfiguration(grid: .zones4x4, rateHz: 30, startBin: 0, bins: 8, subsample: 16)
    private static let good = (0..<4).map { FirmwareText.values(frame: $0, zones: 16, bins: 8) }
    private static let texts = good.map(FirmwareText.text)
    /// The same time as that of `at`.
    private let hand = HandClock(monotonicNs: 0)

    private func stream(
        _ source: ScriptedSource, _ mode: VL53L8CHSession.Mode = .declared(asked), tap: (any StreamTap)? = nil
    ) -> SensorStream {
        SensorStream(source: source, session: VL53L8CHSession(mode: mode, path: source.path), clocks: hand.clocks, tap: tap)
    }

    /// Services until the source has no more, and gives what was said.
    private func serviceAll(_ stream: SensorStream) throws -> [SessionOutput] {
        var outputs: [SessionOutput] = []
        while try stream.service({ outputs.append($0) }) == .more {}
        return outputs
    }

    /// Between two batches as inside one: the frame that the hole is in is dropped and counted, its neighbours are whole.
    @Test(arguments: [true, false])
    func aHoleCostsTheOpenFrame(inOneBatch: Bool) throws {
        let pieces: [ScriptedSource.Piece] = [
            .text(Self.texts[0] + Self.texts[1].prefix(90), atMs: 1), .hole(atMs: 2),
            .text(Self.texts[1].suffix(90) + Self.texts[2], atMs: 3),
        ]
        let stream = stream(ScriptedSource(inOneBatch ? [pieces] : pieces.map { [$0] }))
        try stream.start { _ in }
        let outputs = try serviceAll(stream)
        #expect(
            outputs == [
                .frame(Self.good[0].arrived(at(1))), .rejected(.transferLost), .gap(.bytesLost, atMonotonicNs: at(2).monotonicNs),
                .frame(Self.good[2].arrived(at(3))),
            ])
        #expect(stream.session.counters.rejected == [.transferLost: 1])
        #expect(stream.session.counters.framesDecoded == 2)
    }

    /// A hole between two frames costs neither.
    @Test func aHoleBetweenFramesCostsNone() throws {
        let stream = stream(ScriptedSource([[.text(Self.texts[0]), .hole(), .text(Self.texts[1])]]))
        try stream.start { _ in }
        let outputs = try serviceAll(stream)
        #expect(
            outputs == [
                .frame(Self.good[0]), .gap(.bytesLost, atMonotonicNs: 0), .frame(Self.good[1]),
            ])
        #expect(stream.session.counters.rejected.isEmpty)
    }

    /// The session speaks in the middle of a batch, and the board hears it after it; the rest of the packet comes with the clock.
    @Test func sendsWaitForTheDrain() throws {
        let tap = ListeningTap()
        let source = ScriptedSource([[.text("D\n0 1"), .text(" 2 3\n")]])
        let stream = stream(source, .configure(Self.asked), tap: tap)
        try stream.start { _ in }
        #expect(source.sent.isEmpty)
        _ = try serviceAll(stream)
        let packet = Self.asked.packet
        #expect(source.sent == [Array(packet[..<8])])
        #expect(
            tap.passed == [
                .received(Array("D\n0 1".utf8), at(0)), .received(Array(" 2 3\n".utf8), at(0)), .batchEnded, .sent(Array(packet[..<8])),
            ])
        for _ in 0..<10 {
            hand.pass(ms: 4)
            _ = try serviceAll(stream)
        }
        #expect(source.sent == [Array(packet[..<8]), Array(packet[8..<16]), Array(packet[16..<24]), Array(packet[24...])])
        #expect(source.sentWhileDraining == 0)
    }

    @Test func theTapSeesEveryByteInOrder() throws {
        let tap = ListeningTap()
        let source = ScriptedSource([
            [.text(Self.texts[0], atMs: 1), .hole(atMs: 2)], [], [.text("D\n", atMs: 3)],
        ])
        let stream = stream(source, .configure(Self.asked), tap: tap)
        try stream.start { _ in }
        for _ in 0..<4 {
            _ = try stream.service { _ in }
            hand.pass(ms: 5)
        }
        let packet = Self.asked.packet
        #expect(
            tap.passed == [
                .received(Array(Self.texts[0].utf8), at(1)), .received([], at(2)), .batchEnded, .sent(Array(packet[..<8])),
                .batchEnded, .sent(Array(packet[8..<16])),
                .received(Array("D\n".utf8), at(3)), .batchEnded, .sent(Array(packet[16..<24])),
                .batchEnded, .sent(Array(packet[24...])),
            ])
    }

    /// What a recording does not take was not sent, and is no failure; any other error is one.
    @Test func whatCannotBeSent() throws {
        let tap = ListeningTap()
        var source = ScriptedSource([[.text("D\n")]])
        source.refusesSendsWith = .cannotSend(path: "replay:x")
        var stream = stream(source, .configure(Self.asked), tap: tap)
        try stream.start { _ in }
        _ = try serviceAll(stream)
        #expect(tap.passed == [.received(Array("D\n".utf8), at(0)), .batchEnded])

        source = ScriptedSource([[.text("D\n")]])
        source.refusesSendsWith = .stalledEndpoint(path: "usb:1-4")
        stream = self.stream(source, .configure(Self.asked))
        try stream.start { _ in }
        #expect(throws: SensorError.stalledEndpoint(path: "usb:1-4")) { try self.serviceAll(stream) }
    }

    /// Recorded arrivals are the time: the clock of this machine is never read, and a silence in the recording is one here.
    @Test func aSourceWithItsOwnTimeIsDrivenByItsArrivals() throws {
        let source = ScriptedSource(
            [[.text(Self.texts[0], atMs: 50_000), .text(Self.texts[1], atMs: 53_000)], [.text(Self.texts[2], atMs: 70_000)]],
            keepsOwnTime: true)
        let silent = Clocks(
            monotonicNs: {
                Issue.record("nobody may ask for the time")
                return 0
            }, bootNs: { 0 }, unixMs: { 0 })
        let stream = SensorStream(
            source: source, session: VL53L8CHSession(mode: .declared(Self.asked), path: source.path), clocks: silent)
        var outputs: [SessionOutput] = []
        try stream.start { outputs.append($0) }
        #expect(stream.deadlineNs == nil && outputs.isEmpty)
        #expect(try stream.service { outputs.append($0) } == .more)
        #expect(stream.deadlineNs == nil)
        #expect(
            outputs == [
                .frame(Self.good[0].arrived(at(50_000))), .gap(.silence, atMonotonicNs: at(50_000).monotonicNs),
                .frame(Self.good[1].arrived(at(53_000))),
            ])
        // Seventeen seconds of silence end the session where the recording has them, however fast it is played.
        #expect(throws: SensorError.silent(path: "usb:1-4", seconds: 10)) { try stream.service { _ in } }
    }

    /// Without a time of its own, time is this machine's, and passes without bytes.
    @Test func timePassesWithoutBytes() throws {
        let source = ScriptedSource()
        let stream = stream(source)
        try stream.start { _ in }
        #expect(stream.deadlineNs == hand.clocks.monotonicNs() + 5_000_000_000)
        hand.pass(ms: 4_999)
        #expect(try serviceAll(stream).isEmpty)
        hand.pass(ms: 1)
        #expect(throws: SensorError.silent(path: "usb:1-4", seconds: 5)) { try self.serviceAll(stream) }
    }

    @Test func anErrorComesAfterEverythingReceived() throws {
        let tap = ListeningTap()
        let source = ScriptedSource([[.text(Self.texts[0] + Self.texts[1] + Self.texts[2].dropLast())]])
        source.endsWith = .unplugged(path: "usb:1-4")
        let stream = stream(source, tap: tap)
        var outputs: [SessionOutput] = []
        try stream.start { outputs.append($0) }
        #expect(throws: SensorError.unplugged(path: "usb:1-4")) { _ = try stream.service { outputs.append($0) } }
        #expect(outputs == [.frame(Self.good[0]), .frame(Self.good[1])])
        #expect(tap.passed.first == .received(Array((Self.texts[0] + Self.texts[1] + Self.texts[2].dropLast()).utf8), at(0)))
        // The frame that the plug was pulled in is skipped bytes.
        stream.finish { outputs.append($0) }
        #expect(outputs.count == 2)
        #expect(stream.session.counters.bytesSkipped == UInt64(Self.texts[2].utf8.count - 1))
    }

    /// A failure of the session is thrown once what was said before it has been told.
    @Test func aFailureOfTheSessionIsThrown() throws {
        let source = ScriptedSource([[.text(Self.texts[0] + FirmwareText.notDetected)]])
        let stream = stream(source)
        var outputs: [SessionOutput] = []
        try stream.start { outputs.append($0) }
        let line = String(FirmwareText.notDetected.dropLast())
        #expect(throws: SensorError.sensorMissing(path: "usb:1-4", line: line)) { _ = try stream.service { outputs.append($0) } }
        #expect(outputs == [.frame(Self.good[0]), .log(.error(line, fatal: true))])
    }
}
