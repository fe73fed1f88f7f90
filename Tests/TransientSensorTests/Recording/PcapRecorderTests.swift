import CLinux
import Foundation
import NLOSCore
import Testing

@testable import TransientSensor

@Suite struct PcapRecorderTests {
    private let folder: Folder
    private let hand = HandClock()

    init() throws { folder = try Folder() }

    private func recorder(
        _ name: String = "run.pcap", _ device: RecordedDevice = .nucleo, origin: FrameSource = .live, replacing: Bool = false
    ) throws(SensorError) -> PcapRecorder {
        try PcapRecorder(
            file: folder.file(name), device: device, origin: origin, replacing: replacing, clocks: hand.clocks)
    }

    @Test func whatWasRecordedIsPlayedBack() throws {
        var recorder = try recorder()
        hand.pass(ms: 10)
        recorder.sent(Array(0..<26))
        hand.pass(ms: 1)
        recorder.received("D\n0, 1", at: .now(hand.clocks))
        hand.pass(ms: 2)
        recorder.received(", 2\n", at: .now(hand.clocks))
        let result = recorder.finish()
        #expect(
            result == RecordingResult(file: folder.file("run.pcap"), records: 5, recordsLost: 0, bytesLost: 0, failure: nil))
        #expect(result.complete)

        let replay = try replay(folder.file("run.pcap"))
        #expect(replay.ids == USBIDs(vendorId: 0x0483, productId: 0x374b))
        #expect(replay.origin == .replay)
        #expect(replay.path == "replay:\(folder.file("run.pcap"))")
        let played = play(replay)
        #expect(played.pieces == ["D\n0, 1", ", 2\n"].map { Array($0.utf8) })
        #expect(played.sent == [Array(0..<26)])
        #expect(
            played.arrivals == [
                Arrival(monotonicNs: 1_000_001, unixMs: 1_700_000_000_011), Arrival(monotonicNs: 3_000_001, unixMs: 1_700_000_000_013),
            ])
        #expect(!replay.isTorn)
        #expect(replay.bytesLost == 0)
    }

    @Test func aHoleIsPlayedBackInItsPlace() throws {
        var recorder = try recorder()
        recorder.received("before", at: .now(hand.clocks))
        recorder.received("", at: .now(hand.clocks))
        recorder.received("after", at: .now(hand.clocks))
        _ = recorder.finish()
        let played = try play(file: folder.file("run.pcap"))
        #expect(played.pieces == ["before", "after"].map { Array($0.utf8) })
        #expect(played.holes == [1])
    }

    /// Nothing that a program made up becomes a measurement by being recorded, not even on a real device's numbers.
    @Test(arguments: [
        (FrameSource.live, RecordedDevice.nucleo, FrameSource.replay), (.live, .port, .replay), (.replay, .nucleo, .replay),
        (.synthetic, .nucleo, .synthetic), (.synthetic, .port, .synthetic),
    ])
    func theLabelSurvives(origin: FrameSource, device: RecordedDevice, replayed: FrameSource) throws {
        var first = try recorder("first.pcap", device, origin: origin)
        first.received("x", at: .now(hand.clocks))
        _ = first.finish()
        let once = try replay(folder.file("first.pcap"))
        #expect(once.origin == replayed)
        var second = try recorder("second.pcap", device, origin: once.origin)
        second.received("x", at: .now(hand.clocks))
        _ = second.finish()
        #expect(try replay(folder.file("second.pcap")).origin == replayed)
    }

    @Test func aSetClockDoesNotBendTheRecording() throws {
        var recorder = try recorder()
        for wall in [1_700_000_000_000, 1_600_000_000_000, 1_900_000_000_000, 0] as [UInt64] {
            hand.setWall(unixMs: wall)
            hand.pass(ms: 5)
            recorder.received("x", at: .now(hand.clocks))
        }
        recorder.received("early", at: Arrival(monotonicNs: 0, unixMs: 0))
        _ = recorder.finish()
        let arrivals = try play(file: folder.file("run.pcap")).arrivals
        #expect(arrivals.map(\.monotonicNs) == [1, 5_000_001, 10_000_001, 15_000_001, 15_000_001])
        #expect(arrivals.map { $0.unixMs - 1_700_000_000_000 } == [5, 10, 15, 20, 20])
    }

    @Test func aLongPieceIsSplitAndWhole() throws {
        var recorder = try recorder()
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 * 31) }
        bytes.withUnsafeBytes { recorder.received($0, at: .now(hand.clocks)) }
        #expect(recorder.finish().complete)
        #expect(try play(file: folder.file("run.pcap")).bytes == bytes)
    }

    /// B92: what is there stays, and two programs never write to one file.
    @Test func nothingIsOverwritten() throws {
        let file = try folder.holding(Array("precious".utf8), "run.pcap")
        #expect(throws: SensorError.system(path: file, operation: "create", errno: EEXIST)) { _ = try recorder() }
        #expect(try contents(file) == Array("precious".utf8))
        var first = try recorder(replacing: true)
        #expect(throws: SensorError.busy(path: file, node: file)) { _ = try recorder(replacing: true) }
        first.received("x", at: .now(hand.clocks))
        _ = first.finish()
        #expect(try play(file: file).bytes == Array("x".utf8))
    }

    @Test func onlyTheOwnerReadsIt() throws {
        _ = try recorder().finish()
        var facts = stat()
        #expect(stat(folder.file("run.pcap"), &facts) == 0)
        #expect(facts.st_mode & 0o777 == 0o600)
    }

    @Test(arguments: [("missing/run.pcap", ENOENT), ("", EISDIR)])
    func aPlaceThatCannotBeWritten(name: String, code: CInt) {
        #expect(throws: SensorError.system(path: folder.file(name), operation: "create", errno: code)) {
            _ = try recorder(name)
        }
    }

    @Test func anAbandonedRecordingIsWhole() throws {
        do {
            var recorder = try recorder()
            recorder.received("kept", at: .now(hand.clocks))
        }
        #expect(try play(file: folder.file("run.pcap")).bytes == Array("kept".utf8))
    }

    /// What was flushed is there whatever becomes of the program: read beside the recorder, before it finishes.
    @Test func whatWasFlushedSurvivesACrash() throws {
        var recorder = try recorder()
        recorder.received("kept", at: .now(hand.clocks))
        recorder.flush()
        #expect(try play(file: folder.file("run.pcap")).bytes == Array("kept".utf8))
        recorder.received("x", at: .now(hand.clocks))
        _ = recorder.finish()
    }
}

/// A disk that takes so many bytes and no more, at every place in a record.
@Suite struct FullDiskTests {
    @Test(arguments: [24, 25, 39, 40, 103, 104, 105, 200, 300, 301])
    func theRecordingEndsAtAWholeRecord(limit: Int) async {
        await #expect(processExitsWith: .success) { [limit] in
            let folder = try Folder()
            let hand = HandClock()
            signal(SIGXFSZ, SIG_IGN)
            var unlimited = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &unlimited)
            var limited = rlimit(rlim_cur: rlim_t(limit), rlim_max: unlimited.rlim_max)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limited)
            var recorder = try PcapRecorder(
                file: folder.file("run.pcap"), device: .port, origin: .live, clocks: hand.clocks)
            // Each is 16 + 64 + 10 = 90 bytes of the file, after its 24.
            for batch in 0..<2 {
                for index in 0..<3 { recorder.received("\(batch)\(index)--------", at: .now(hand.clocks)) }
                recorder.flush()
            }
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &unlimited)  // room again, and still nothing is added
            let result = recorder.finish()
            let kept = (limit - 24) / 90
            try #require(
                result
                    == RecordingResult(
                        file: folder.file("run.pcap"), records: UInt64(kept), recordsLost: UInt64(6 - kept),
                        bytesLost: UInt64(60 - 10 * kept), failure: EFBIG))
            try #require(!result.complete)
            try #require(try contents(folder.file("run.pcap")).count == 24 + 90 * kept)
            if kept > 0 { try #require(try play(file: folder.file("run.pcap")).pieces.count == kept) }
        }
    }

    @Test func aDiskThatIsFullAtTheStartSaysSo() async {
        await #expect(processExitsWith: .success) {
            let folder = try Folder()
            signal(SIGXFSZ, SIG_IGN)
            var limited = rlimit(rlim_cur: 10, rlim_max: 10)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limited)
            let failure = #expect(throws: SensorError.self) {
                _ = try PcapRecorder(file: folder.file("run.pcap"), device: .port, origin: .live, clocks: .kernel)
            }
            try #require(failure == .system(path: folder.file("run.pcap"), operation: "write", errno: EFBIG))
            try #require(!FileManager.default.fileExists(atPath: folder.file("run.pcap")))
        }
    }
}
