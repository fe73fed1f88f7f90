import NLOSCore
import Testing

@testable import TransientSensor

/// Sessions that send nothing.
@Suite struct SessionJoinTests {
    static let boot = FirmwareText.banner + FirmwareText.ready + FirmwareText.applied(zones: 64)

    /// What the shape of a stream says of its bins, with and without the board's start.
    @Test(arguments: [
        ("", 64, 18, BinTiming(binWidthPs: 1_750, startBin: 0, basis: .assumed)),
        ("", 16, 48, BinTiming(binWidthPs: 250, startBin: 30, basis: .assumed)), ("", 16, 8, nil),
        (boot, 64, 18, BinTiming(binWidthPs: 1_750, startBin: 0, basis: .firmwareDefault)),
        // Somebody configured it after it started: only the shape speaks.
        (boot + FirmwareText.applied(zones: 64), 64, 18, BinTiming(binWidthPs: 1_750, startBin: 0, basis: .assumed)),
        (boot + FirmwareText.applied(zones: 16), 16, 48, BinTiming(binWidthPs: 250, startBin: 30, basis: .assumed)),
    ])
    func timing(before: String, zones: Int, bins: Int, timing: BinTiming?) {
        var talk = Talk(.join)
        talk.hear(before)
        #expect(talk.session.timing == nil && talk.session.shape == nil)
        talk.stream(0..<3, zones: zones, bins: bins)
        #expect(talk.frames.count == 3)
        #expect(talk.session.shape == FrameShape(zones: zones, bins: bins))
        #expect(talk.session.timing == timing)
        #expect(talk.notices.count == (timing?.basis == .assumed ? 1 : 0))
        #expect(talk.session.firmwareVersion == (before.isEmpty ? nil : SafeLabel("VL53LMZ_2.0.10")))
        #expect(talk.sent.isEmpty && talk.failures.isEmpty)
    }

    @Test func declared() {
        var stated = VL53L8CHConfiguration(grid: .zones8x8, rateHz: 15, startBin: 4, bins: 18, subsample: 2)
        var talk = Talk(.declared(stated))
        talk.stream(0..<2, zones: 64, bins: 18)
        #expect(talk.frames.count == 2)
        #expect(talk.session.timing == stated.timing(.declared))
        // The board starts anew: its frames look alike and are not what was stated.
        talk.hear(Self.boot)
        talk.stream(2..<4, zones: 64, bins: 18)
        #expect(talk.frames.count == 2)
        #expect(talk.gaps == [.boardReset])
        #expect(talk.failures == [.unsupportedShape(path: "usb:1-4", shape: FrameShape(zones: 64, bins: 18))])
        // What was stated is the default: then a restart changes nothing.
        stated = .firmwareDefault
        talk = Talk(.declared(stated))
        talk.stream(0..<2, zones: 64, bins: 18)
        talk.hear(Self.boot)
        talk.stream(2..<5, zones: 64, bins: 18)
        #expect(talk.frames.count == 5 && talk.failures.isEmpty)
    }

    /// Twenty frames, a restart, twenty frames: all of them, and a gap between.
    @Test func restartInMidStream() {
        var talk = Talk(.join)
        talk.stream(0..<20, zones: 16, bins: 8)
        talk.hear("D\n0 1 2\n" + Self.boot)
        talk.stream(20..<40, zones: 16, bins: 8)
        talk.finish()
        #expect(
            talk.frames
                == (0..<40).map { frame in
                    FirmwareText.values(frame: frame, zones: 16, bins: 8).arrived(at(UInt64(frame + 1) * 100))
                })
        #expect(talk.gaps == [.boardReset])
        #expect(talk.faults == [.damagedByReset])
        #expect(talk.session.counters.framesDecoded == 40)
        #expect(talk.session.counters.rejected == [.damagedByReset: 1])
    }

    /// The board restarts into another shape: nothing of it passes, and the session says so and ends.
    @Test func otherShapeEndsIt() {
        var talk = Talk(.join)
        talk.stream(0..<4, zones: 16, bins: 18)
        talk.hear(Self.boot)
        talk.stream(0..<4, zones: 64, bins: 18)
        #expect(talk.frames.count == 4)
        #expect(talk.failures == [.unsupportedShape(path: "usb:1-4", shape: FrameShape(zones: 64, bins: 18))])
        #expect(talk.session.deadlineNs == nil)
    }

    /// The first line is enough, whether the board then falls silent (another chip) or says the same again every two seconds (no answer).
    @Test(arguments: [FirmwareText.notDetected, "VL53LMZ ULD Loading failed\n"], [true, false])
    func sensorMissing(line: String, startsOver: Bool) {
        var talk = Talk(.join)
        talk.wait(100)
        talk.hear(FirmwareText.banner + line)
        let failure = SessionOutput.failed(.sensorMissing(path: "usb:1-4", line: String(line.dropLast())))
        #expect(talk.outputs.last == failure)
        let said = talk.outputs.count
        for _ in 0..<10 {
            talk.wait(2_000)
            if startsOver { talk.hear("Error: process_config failed\n" + FirmwareText.ready + line) }
        }
        #expect(talk.outputs.count == said)
    }

    @Test func extractionErrorIsAGap() {
        var talk = Talk(.join)
        talk.stream(0..<3, zones: 16, bins: 8)
        talk.hear("Error: vl53lmz_results_extract_block failed: 2\n")
        talk.stream(3..<5, zones: 16, bins: 8)
        #expect(talk.gaps == [.firmwareLost])
        #expect(talk.frames.count == 5)
    }

    @Test func silenceBeforeAndAfter() {
        var talk = Talk(.join)
        talk.wait(4_999)
        #expect(talk.failures.isEmpty)
        talk.wait(1)
        #expect(talk.failures == [.silent(path: "usb:1-4", seconds: 5)])

        talk = Talk(.join)
        talk.stream(0..<3, zones: 16, bins: 8)
        talk.wait(999)
        #expect(talk.gaps.isEmpty)
        talk.wait(1)
        #expect(talk.outputs.last == .gap(.silence, atMonotonicNs: 300_000_000))
        talk.wait(8_999)
        #expect(talk.failures.isEmpty)
        talk.wait(1)
        #expect(talk.failures == [.silent(path: "usb:1-4", seconds: 10)])
        #expect(talk.gaps.count == 1)
    }

    /// Each silence is one gap, and the stream goes on after it.
    @Test func silenceThatEnds() {
        var talk = Talk(.join)
        talk.stream(0..<3, zones: 16, bins: 8)
        for frame in [3, 4] {
            talk.wait(3_000)
            talk.stream(frame..<(frame + 1), zones: 16, bins: 8)
        }
        #expect(talk.gaps == [.silence, .silence])
        #expect(talk.frames.count == 5 && talk.failures.isEmpty)
        // At one frame a second two of them may be missing.
        var slow = Talk(.declared(VL53L8CHConfiguration(rateHz: 1, startBin: 0, bins: 8)))
        slow.stream(0..<1, zones: 16, bins: 8)
        slow.wait(1_999)
        #expect(slow.gaps.isEmpty)
        slow.wait(1)
        #expect(slow.gaps == [.silence])
    }

    /// A recording pauses as long as it did, by its own clock: that is a gap, and the rest is played. A board that does has failed
    /// before its shape was learned.
    @Test(arguments: [(false, 0, true), (true, 4, false)]) func anHourWithoutBytes(isRecorded: Bool, frames: Int, fails: Bool) {
        var session = VL53L8CHSession(mode: .join, path: "replay:x", isRecorded: isRecorded)
        var outputs: [SessionOutput] = []
        for (index, at) in [1, 1_000_000_000, 3_600_000_000_000, 3_601_000_000_000].enumerated() as EnumeratedSequence<[UInt64]> {
            session.tick(nowNs: at) { outputs.append($0) }
            Array("D\n0 1 \(100 + index) 1 2 3 4 5 6 7 8\n".utf8).withUnsafeBytes {
                session.push($0, Arrival(monotonicNs: at, unixMs: 0)) { outputs.append($0) }
            }
        }
        session.finish { outputs.append($0) }
        #expect(outputs.count { if case .frame = $0 { true } else { false } } == frames)
        #expect(outputs.contains { if case .failed(.silent) = $0 { true } else { false } } == fails)
    }

    /// Bytes in plenty and not a line of it known: another line rate.
    @Test func unreadable() {
        var random = SeededGenerator(seed: 1)
        var talk = Talk(.join)
        for _ in 0..<31 {
            talk.hear((0..<100).map { _ in UInt8.random(in: 128...255, using: &random) })
            talk.wait(100)
        }
        #expect(talk.failures == [.unreadable(path: "usb:1-4", bytes: 3_000, baud: 2_250_000)])
        // A few bytes more or less may be noise: that takes longer.
        talk = Talk(.join)
        for _ in 0..<9 {
            talk.hear([0xff])
            talk.wait(1_000)
        }
        #expect(talk.failures.isEmpty)
        talk.hear([0xff])
        talk.wait(1_000)
        #expect(talk.failures == [.unreadable(path: "usb:1-4", bytes: 10, baud: 2_250_000)])
    }

    @Test func lostBytes() {
        var talk = Talk(.join)
        talk.stream(0..<3, zones: 16, bins: 8)
        talk.hear("D\n0 1 2")
        talk.lose()
        talk.stream(3..<4, zones: 16, bins: 8)
        #expect(talk.outputs.suffix(3).dropLast() == [.rejected(.transferLost), .gap(.bytesLost, atMonotonicNs: 300_000_000)])
        #expect(talk.frames.count == 4)
    }

    /// A build that rounds before it scales is noticed once, after many frames, and nothing is corrected.
    @Test(arguments: [(1_000, true), (100, true), (10, false)])
    func coarseScale(step: Int, noticed: Bool) {
        var talk = Talk(.declared(VL53L8CHConfiguration(rateHz: 30, startBin: 0, bins: 8)))
        for frame in 0..<100 {
            talk.hear("D\n" + (0..<16).map { "\($0) 5 1000 0 0 0 \((frame % 3) * step) \(step) 0 \(2 * step) 0\n" }.joined())
        }
        #expect(talk.notices.count == (noticed ? 1 : 0))
        #expect(talk.notices.first?.text.contains("multiple of \(step)") ?? !noticed)
        #expect(talk.frames.count == 100 && talk.frames[1].histogram[6] == Int64(2 * step))
    }
}
