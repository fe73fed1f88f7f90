import Foundation
import NLOSCore
import Testing

@testable import TransientSensor

private func text(_ text: String) -> [UInt8] { Array(text.utf8) }

@Suite struct PcapReplayTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    @Test(arguments: [false, true], [false, true])
    func readsEveryKindOfUSBCapture(bigEndian: Bool, nanoseconds: Bool) throws {
        for linkType in [189, 220] as [UInt32] {
            var file = CaptureFile(bigEndian: bigEndian, nanoseconds: nanoseconds, linkType: linkType)
            file.descriptor(vendorId: 0x0483, productId: 0x374b)
            file.event("S", endpoint: 0x82, status: -115, length: 512)
            file.event(data: text("D\n"), fraction: 100)
            file.event("S", endpoint: 0x02, status: -115, data: text("in"), fraction: 150)
            file.event("C", endpoint: 0x02, length: 2, fraction: 160)
            file.event(data: text("0, 1\n"), fraction: 200)
            let replay = try replay(folder.holding(file.bytes))
            #expect(replay.ids == USBIDs(vendorId: 0x0483, productId: 0x374b))
            let played = play(replay)
            #expect(played.pieces == [text("D\n"), text("0, 1\n")])
            #expect(played.sent == [text("in")])
            let step: UInt64 = nanoseconds ? 100 : 100_000
            #expect(played.arrivals.map(\.monotonicNs) == [1, 1 + step])
            #expect(played.holes.isEmpty)
            #expect(played.failure == nil)
        }
    }

    /// B16: a transfer of no bytes is a transfer, and no end.
    @Test func emptyTransfersAreNothing() throws {
        var file = CaptureFile()
        for size in [64, 0, 64, 0, 0, 10] { file.event(data: [UInt8](repeating: UInt8(size), count: size)) }
        let played = try play(file: folder.holding(file.bytes))
        #expect(played.pieces.map(\.count) == [64, 64, 10])
        #expect(played.holes.isEmpty)
    }

    @Test(
        arguments: [
            (0, 0), (-2, 0), (-104, 0), (-108, 0), (-121, 0), (-19, 0),  // nothing more came, and nothing is missing
            (-32, 1), (-75, 1), (-71, 1), (-84, 1), (-110, 1), (Int32.min, 1),
        ] as [(Int32, Int)])
    func aFailedTransferIsAHole(status: Int32, holes: Int) throws {
        var file = CaptureFile()
        file.event(data: text("before"))
        file.event(status: status, data: text("partly"))
        file.event(data: text("after"))
        let played = try play(file: folder.holding(file.bytes))
        #expect(played.pieces == ["before", "partly", "after"].map(text))
        #expect(played.holes == [Int](repeating: 2, count: holes))
    }

    @Test func whatTheCaptureLeftOutIsCounted() throws {
        var file = CaptureFile()
        file.event(data: text("abc"), length: 10)
        file.event(data: text("def"))
        file.event(length: 512)
        let replay = try replay(folder.holding(file.bytes))
        let played = play(replay)
        #expect(played.bytes == text("abcdef"))
        #expect(played.holes == [1, 2])
        #expect(replay.bytesLost == 7 + 512)
    }

    @Test func theSensorIsFoundAmongOthers() throws {
        var file = CaptureFile()
        file.event(endpoint: 0x81, device: 3, data: [UInt8](repeating: 0x55, count: 4096))  // a disk
        file.descriptor(vendorId: 0x0483, productId: 0x374b)
        file.event(endpoint: 0x81, data: text("debug"))  // the debug probe's own endpoint
        file.event(data: text("D\n"))
        file.event("S", endpoint: 0x02, device: 3, data: text("to the disk"))
        file.event(data: text("0, 1, 2\n"), seconds: 1_700_000_001)
        let replay = try replay(folder.holding(file.bytes))
        let played = play(replay)
        #expect(played.bytes == text("D\n0, 1, 2\n"))
        #expect(played.sent.isEmpty)
    }

    @Test(arguments: [true, false])
    func twoSensorsAreNotGuessedBetween(known: Bool) throws {
        var file = CaptureFile()
        for device in [3, 4] as [UInt8] {
            if known { file.descriptor(vendorId: 0x0483, productId: 0x374b, device: device) }
            file.event(device: device, data: [UInt8](repeating: 1, count: known ? Int(device) : 5))
        }
        let path = try folder.holding(file.bytes)
        let why = "it holds more than one device that could be the sensor: bus 1 device 3, bus 1 device 4"
        #expect(throws: SensorError.badRecording(file: path, why: why)) { _ = try replay(path) }
    }

    /// The choice is made without reading a long recording twice: what comes after 16 MiB of a board takes no part in it.
    @Test func aBoardThatHasSaidEnoughIsTaken() throws {
        var file = CaptureFile()
        file.descriptor(vendorId: 0x0483, productId: 0x374b)
        let chunk = [UInt8](repeating: 1, count: 1 << 17)
        for _ in 0..<128 { file.event(data: chunk) }
        file.descriptor(vendorId: 0x0483, productId: 0x374b, device: 8)
        file.event(device: 8, data: chunk)
        #expect(try play(file: folder.holding(file.bytes)).pieces.count == 128)
    }

    @Test func aRecordingTakesNoBytes() throws {
        var file = CaptureFile()
        file.event(data: text("x"))
        let replay = try replay(folder.holding(file.bytes))
        #expect(throws: SensorError.cannotSend(path: replay.path)) { try replay.send([1]) }
        replay.close()
        replay.close()
        #expect(try replay.drain { _, _ in } == .finished)
    }

    @Test func timeNeverGoesBack() throws {
        var file = CaptureFile()
        for seconds in [100, 50, 101, 0, UInt32.max] as [UInt32] { file.event(data: text("x"), seconds: seconds) }
        let arrivals = try play(file: folder.holding(file.bytes)).arrivals
        #expect(arrivals.map(\.monotonicNs) == [1, 1, 1_000_000_001, 1_000_000_001, 4_294_967_195_000_000_001])
        #expect(arrivals.map(\.unixMs) == [100_000, 50_000, 101_000, 0, 4_294_967_295_000])
    }

    @Test func itsOwnPaceIsKept() throws {
        var file = CaptureFile()
        for milliseconds in [0, 20, 500] as [UInt32] { file.event(data: text("\(milliseconds)"), fraction: milliseconds * 1_000_000) }
        let hand = HandClock()
        let replay = try replay(folder.holding(file.bytes), .recorded, hand.clocks)
        var heard: [String] = []
        func drain() throws -> Drained { try replay.drain { bytes, _ in heard.append(String(decoding: bytes, as: UTF8.self)) } }

        #expect(isReadable(replay.readiness, milliseconds: 1000))
        #expect(try drain() == .more)
        #expect(try drain() == .idle)
        #expect(!isReadable(replay.readiness, milliseconds: 0))
        hand.pass(ms: 19)
        #expect(try drain() == .idle)
        hand.pass(ms: 1)
        #expect(isReadable(replay.readiness, milliseconds: 1000))  // the timer runs on the kernel's clock
        #expect(try drain() == .more)
        #expect(heard == ["0", "20"])
        #expect(try drain() == .idle)
        hand.pass(ms: 100_000)
        #expect(try drain() == .more)
        #expect(heard == ["0", "20", "500"])
        #expect(try drain() == .finished)
        #expect(try drain() == .finished)
    }

    @Test func fastIsAlwaysReady() throws {
        var file = CaptureFile()
        for second in 0..<3 as Range<UInt32> { file.event(data: text("x"), seconds: second * 1000) }
        let replay = try replay(folder.holding(file.bytes))
        for _ in 0..<3 {
            #expect(isReadable(replay.readiness, milliseconds: 1000))
            #expect(try replay.drain { _, _ in } == .more)
        }
        #expect(isReadable(replay.readiness, milliseconds: 1000))
        #expect(try replay.drain { _, _ in } == .finished)
    }

    @Test func everyWayOutClosesEveryDescriptor() async {
        await #expect(processExitsWith: .success) {
            let folder = try Folder()
            var file = CaptureFile()
            file.event(data: text("x"))
            let good = try folder.holding(file.bytes, "good.pcap")
            let bad = try folder.holding(text("no capture at all"), "bad.pcap")
            let other = try folder.holding(CaptureFile(linkType: 1).bytes, "ethernet.pcap")
            let held = open(good, O_RDONLY)
            try #require(try openDescriptors(on: folder.path) == 1)  // the count can see one
            close(held)
            for _ in 0..<64 {
                try #require(play(file: good).bytes == text("x"))
                try #require(throws: SensorError.self) { _ = try replay(bad) }
                try #require(throws: SensorError.self) { _ = try replay(other) }
                try #require(throws: SensorError.self) { _ = try replay(folder.path) }
            }
            try #require(try openDescriptors(on: folder.path) == 0)
            // The test runner has some of its own; 64 rounds would leave 64.
            try #require(try openDescriptors(on: "anon_inode:[timerfd]") < 32)
        }
    }
}
