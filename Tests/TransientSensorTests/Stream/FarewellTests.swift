import NLOSCore
import Testing

@testable import TransientSensor

/// What a session has started is stopped when the device is given back, and nothing is said where nothing was started.
@Suite struct FarewellTests {
    /// Starts its board at once; `fails` says what it makes of the first bytes.
    private struct Starter: FirmwareSession {
        var fails = false
        var farewell: [UInt8] = []
        let counters = StreamCounters()
        let timing: BinTiming? = nil
        let shape: FrameShape? = nil
        let firmwareVersion: SafeLabel? = nil
        let deadlineNs: UInt64? = nil

        mutating func start(nowNs: UInt64, _ emit: (SessionOutput) -> Void) {
            farewell = [0x73]
            emit(.send([0x6d]))
        }
        mutating func push(_ chunk: UnsafeRawBufferPointer, _ arrival: Arrival, _ emit: (SessionOutput) -> Void) {
            if fails { emit(.failed(.noFrames(path: "usb:1-4", bytes: 1, seconds: 1))) }
        }
        mutating func lostBytes(nowNs: UInt64, _ emit: (SessionOutput) -> Void) {}
        mutating func tick(nowNs: UInt64, _ emit: (SessionOutput) -> Void) {}
        mutating func finish(_ emit: (SessionOutput) -> Void) {}
    }

    private func stream(_ source: ScriptedSource, fails: Bool = false) -> SensorStream {
        SensorStream(source: source, session: Starter(fails: fails), clocks: HandClock(monotonicNs: 0).clocks)
    }

    @Test func once() throws {
        let source = ScriptedSource([[.text("x")]])
        let stream = stream(source)
        try stream.start { _ in }
        _ = try stream.service { _ in }
        stream.close()
        stream.close()
        #expect(source.sent == [[0x6d], [0x73]])
    }

    @Test func alsoAfterTheSessionGaveUp() throws {
        let source = ScriptedSource([[.text("x")]])
        let stream = stream(source, fails: true)
        try stream.start { _ in }
        #expect(throws: SensorError.self) { try stream.service { _ in } }
        stream.close()
        #expect(source.sent == [[0x6d], [0x73]])
    }

    @Test func notToABoardThatIsGone() throws {
        let source = ScriptedSource([[.text("x")]])
        source.endsWith = .unplugged(path: source.path)
        let stream = stream(source)
        try stream.start { _ in }
        #expect(throws: SensorError.self) { try stream.service { _ in } }
        stream.close()
        #expect(source.sent == [[0x6d]])
    }

    @Test func notWhereNothingWasStarted() {
        let source = ScriptedSource()
        stream(source).close()
        #expect(source.sent.isEmpty)
    }
}
