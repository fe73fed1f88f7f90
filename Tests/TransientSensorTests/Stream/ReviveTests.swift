import NLOSCore
import Synchronization
import Testing

@testable import TransientSensor

/// B23: a line that has gone silent is opened again, once, before it is given up.
@Suite struct ReviveTests {
    /// A device that says what it is told to, and counts how often it is opened again.
    private final class Device: ByteSource {
        let origin = FrameSource.live
        let path = "usb:1-4"
        let readiness: CInt = -1
        let bytesLost: UInt64 = 0
        var keepsOwnTime = false
        var canRevive = true
        var reviveFailure: SensorError?
        /// What the next reads end with, one each.
        var readFailures: [SensorError] = []
        /// Thrown by every write.
        var writeFailure: SensorError?
        private(set) var revivals = 0
        private var said: [[UInt8]] = []
        let clocks: Clocks

        init(_ clocks: Clocks) { self.clocks = clocks }

        func say(_ text: String) { said.append(Array(text.utf8)) }

        func drain(_ body: (UnsafeRawBufferPointer, Arrival) -> Void) throws(SensorError) -> Drained {
            for bytes in said { bytes.withUnsafeBytes { body($0, .now(clocks)) } }
            said = []
            if !readFailures.isEmpty { throw readFailures.removeFirst() }
            return .idle
        }

        func send(_ bytes: [UInt8]) throws(SensorError) {
            if let writeFailure { throw writeFailure }
        }
        func close() {}

        func revive() throws(SensorError) -> Bool {
            revivals += 1
            if let reviveFailure { throw reviveFailure }
            if canRevive { said.append([]) }
            return canRevive
        }
    }

    /// A stream over such a device, and a clock that moves when told to.
    private final class Watch {
        let device: Device
        let stream: SensorStream
        private(set) var outputs: [SessionOutput] = []
        private let ms: ManualMilliseconds

        init(_ mode: VL53L8CHSession.Mode = .join) {
            let ms = ManualMilliseconds()
            let clocks = Clocks(monotonicNs: { ms.now * 1_000_000 }, bootNs: { ms.now * 1_000_000 }, unixMs: { ms.now })
            self.ms = ms
            device = Device(clocks)
            stream = SensorStream(source: device, session: VL53L8CHSession(mode: mode, path: device.path), clocks: clocks)
        }

        func begin() throws {
            try stream.start { outputs.append($0) }
            try frames(0..<3)
        }

        func frames(_ numbers: Range<Int>) throws {
            for number in numbers {
                device.say(FirmwareText.text(FirmwareText.values(frame: number, zones: 64, bins: 18)))
                try wait(100)
            }
        }

        func wait(_ milliseconds: UInt64) throws {
            ms.now += milliseconds
            _ = try stream.service { outputs.append($0) }
        }

        /// Long enough for the session to notice, and then for the stream to act.
        func silence() throws {
            for _ in 0..<6 { try wait(1_000) }
        }

        var gaps: [GapReason] { outputs.compactMap { if case .gap(let reason, _) = $0 { reason } else { nil } } }
        var reopenings: Int { outputs.count { $0 == .notice(Message(text: "usb:1-4: silent; opened again")) } }
        var frameCount: Int { outputs.count { if case .frame = $0 { true } else { false } } }
    }

    @Test func aSilenceReopensOnce() throws {
        let watch = Watch()
        try watch.begin()
        for _ in 0..<8 { try watch.wait(1_000) }
        #expect(watch.device.revivals == 1 && watch.reopenings == 1)
        // What the device lost meanwhile is a hole for the session.
        #expect(watch.gaps == [.silence, .bytesLost])
    }

    /// The moment is told to whoever waits.
    @Test func theAttemptIsMadeWhenItIsDue() throws {
        let watch = Watch()
        try watch.begin()
        try watch.wait(1_500)
        #expect(watch.gaps == [.silence])
        #expect(watch.stream.deadlineNs == 5_301_000_000)
        try watch.wait(3_499)
        #expect(watch.device.revivals == 0)
        try watch.wait(1)
        #expect(watch.device.revivals == 1)
    }

    /// What a restart of the firmware looks like: it mends itself.
    @Test func aLineThatSpeaksAgainByItselfIsLeftAlone() throws {
        let watch = Watch()
        try watch.begin()
        for round in 1...3 {
            try watch.wait(4_000)
            try watch.frames(round * 3..<round * 3 + 3)
        }
        #expect(watch.gaps == [.silence, .silence, .silence])
        #expect(watch.device.revivals == 0)
    }

    @Test func everySilenceHasItsOwnAttempt() throws {
        let watch = Watch()
        try watch.begin()
        let before = watch.frameCount
        for round in 1...3 {
            try watch.silence()
            try watch.frames(round * 3..<round * 3 + 3)
        }
        #expect(watch.device.revivals == 3 && watch.reopenings == 3)
        #expect(watch.frameCount > before)
    }

    @Test func aHalfFrameFromBeforeIsNotKept() throws {
        let watch = Watch()
        try watch.begin()
        let kept = watch.frameCount
        let frame = FirmwareText.text(FirmwareText.values(frame: 9, zones: 64, bins: 18))
        watch.device.say(String(frame.prefix(500)))
        try watch.wait(10)
        try watch.silence()
        watch.device.say(String(frame.dropFirst(500)))
        try watch.wait(10)
        watch.device.say("D\n")
        try watch.wait(10)
        #expect(watch.outputs.contains(.rejected(.transferLost)))
        #expect(watch.frameCount == kept)
    }

    @Test func silentForGoodIsAnErrorThatNamesTheLastResort() throws {
        let watch = Watch()
        try watch.begin()
        let error = #expect(throws: SensorError.self) { for _ in 0..<20 { try watch.wait(1_000) } }
        #expect(error == .silent(path: "usb:1-4", seconds: 10))
        #expect(error?.message.next?.contains("update the firmware of its debug probe") == true)
        #expect(watch.device.revivals == 1)
    }

    @Test func aDeviceThatDoesNotOpenAgainEndsTheStream() throws {
        let watch = Watch()
        try watch.begin()
        watch.device.reviveFailure = .unplugged(path: "usb:1-4")
        #expect(throws: SensorError.unplugged(path: "usb:1-4")) { try watch.silence() }
        #expect(watch.reopenings == 0 && watch.gaps == [.silence])
    }

    @Test func aSourceWithoutADeviceIsNotSaidToHaveBeenOpened() throws {
        let watch = Watch()
        try watch.begin()
        watch.device.canRevive = false
        try watch.silence()
        #expect(watch.device.revivals == 1 && watch.reopenings == 0)
    }

    @Test func timeOfItsOwnIsNoSilence() throws {
        let watch = Watch()
        watch.device.keepsOwnTime = true
        try watch.begin()
        try watch.wait(7_000)
        try watch.frames(3..<5)
        #expect(watch.gaps == [.silence])
        #expect(watch.device.revivals == 0)
    }

    private static let failed = SensorError.usb(path: "usb:1-4", operation: "read", failure: .ioError)
    private static let said = SessionOutput.notice(Message(text: "usb:1-4: the line failed and the board is still there; opened again"))

    @Test(
        "a read that fails, or an unplug of a board that is there, is a reset by another program: it is opened again and goes on",
        arguments: [failed, .unplugged(path: "usb:1-4")])
    func aFailedReadReopens(error: SensorError) throws {
        let watch = Watch()
        try watch.begin()
        let before = watch.frameCount
        watch.device.readFailures = [error]
        try watch.wait(100)
        try watch.frames(3..<6)
        #expect(watch.device.revivals == 1 && watch.outputs.contains(Self.said))
        #expect(watch.gaps == [.bytesLost])
        #expect(watch.frameCount >= before + 2)
    }

    @Test("one that fails again at once ends the stream; much later it is opened again")
    func failuresInARowEndIt() throws {
        let watch = Watch()
        try watch.begin()
        watch.device.readFailures = [Self.failed]
        try watch.wait(100)
        for round in 1...8 {
            try watch.wait(500)
            try watch.frames(round * 3..<round * 3 + 3)
        }
        watch.device.readFailures = [Self.failed, Self.failed]
        try watch.wait(100)
        #expect(watch.device.revivals == 2)
        #expect(throws: Self.failed) { try watch.wait(4_900) }
        #expect(watch.device.revivals == 2)
    }

    @Test("what cannot be opened again ends it, with the reason")
    func aBoardThatIsGoneByThen() throws {
        let watch = Watch()
        try watch.begin()
        watch.device.readFailures = [Self.failed]
        watch.device.reviveFailure = .unplugged(path: "usb:1-4")
        #expect(throws: SensorError.unplugged(path: "usb:1-4")) { try watch.wait(100) }

        let pulled = Watch()
        try pulled.begin()
        pulled.device.readFailures = [.unplugged(path: "usb:1-4")]
        pulled.device.reviveFailure = .busy(path: "usb:1-4", node: "/dev/bus/usb/001/004")
        #expect(throws: SensorError.unplugged(path: "usb:1-4")) { try pulled.wait(100) }

        let port = Watch()
        try port.begin()
        port.device.readFailures = [Self.failed]
        port.device.canRevive = false
        #expect(throws: Self.failed) { try port.wait(100) }
        #expect(!port.outputs.contains(Self.said))
    }

    private static let writing = SensorError.usb(path: "usb:1-4", operation: "write", failure: .ioError)

    /// The board is to be configured, and what is written to it fails.
    private func failingWrite(_ failure: SensorError = Self.writing) throws -> Watch {
        let watch = Watch(.configure(VL53L8CHConfiguration(rateHz: 15, startBin: 0, bins: 8, subsample: 16)))
        watch.device.writeFailure = failure
        try watch.stream.start { _ in }
        watch.device.say("D\n")
        try watch.wait(10)
        return watch
    }

    @Test("a write that fails as the board is pulled out is the unplug that the read tells of a moment later")
    func aWriteIntoAnUnplug() throws {
        let watch = try failingWrite()
        try watch.wait(300)
        watch.device.readFailures = [.unplugged(path: "usb:1-4")]
        watch.device.reviveFailure = .unplugged(path: "usb:1-4")
        #expect(throws: SensorError.unplugged(path: "usb:1-4")) { try watch.wait(10) }
    }

    @Test("a write that fails by itself ends the stream a second later, at a moment that is told; another failure at once")
    func aWriteThatFails() throws {
        let watch = try failingWrite()
        #expect(try #require(watch.stream.deadlineNs) <= 1_011_000_000)
        try watch.wait(999)
        #expect(throws: Self.writing) { try watch.wait(1) }
        let timeout = SensorError.usb(path: "usb:1-4", operation: "write", failure: .timeout)
        #expect(throws: timeout) { _ = try self.failingWrite(timeout) }
    }

    @Test("a write that fails in a reset is forgotten once the line is open again")
    func aWriteIntoAReset() throws {
        let watch = try failingWrite()
        watch.device.writeFailure = nil
        watch.device.readFailures = [.unplugged(path: "usb:1-4")]
        try watch.wait(10)
        #expect(watch.device.revivals == 1)
        try watch.wait(1_500)
    }

    @Test(
        "a second stall and a dead library are no reset: nothing is opened again",
        arguments: [
            SensorError.stalledEndpoint(path: "usb:1-4"),
            .usb(path: "usb:1-4", operation: "handle events", failure: .ioError),
        ])
    func otherEndsAreEnds(error: SensorError) throws {
        let watch = Watch()
        try watch.begin()
        watch.device.readFailures = [error]
        #expect(throws: error) { try watch.wait(100) }
        #expect(watch.device.revivals == 0)
    }
}

private final class ManualMilliseconds: Sendable {
    private let value = Atomic<UInt64>(1)
    var now: UInt64 {
        get { value.load(ordering: .relaxed) }
        set { value.store(newValue, ordering: .relaxed) }
    }
}
