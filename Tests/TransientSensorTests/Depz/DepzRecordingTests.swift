import Foundation
import Testing

@testable import TransientSensor

/// What real boards sent, number by number.
@Suite(.enabled(if: RecordedFrames.folder != nil, "needs the public recordings (NLOS_RECORDINGS)"))
struct DepzRecordingTests {
    /// 46 results, 8 of them sent twice; the expected file leaves the last one, a repeat, away.
    @Test func theStreamOfAVL53L8CX() throws {
        let reads = try DepzRecording.reads("vl53l8cx_8x8_15hz_stream.depzrec")
        let expected = try DepzRecording.vectors("vl53l8_8x8_15hz_3s.expected.json", as: DepzRecording.Expected.self).frames
        #expect(expected.count == 45)
        var decoder = DepzDecoder()
        let events = reads.flatMap { decoder.events(of: $0.bytes) }
        decoder.finish()

        let results = events.filter { if case .frame = $0 { true } else { $0 == .rejected(.repeated) } }
        #expect(results.count == 46)
        let repeats = results.indices.filter { results[$0] == .rejected(.repeated) }
        #expect(repeats == [5, 9, 17, 21, 29, 33, 41, 45])
        #expect(events.frames.count == 38)
        for (place, result) in results.enumerated().dropLast() {
            guard case .frame(let frame) = result else {
                // What the file says of a repeat is what it said of the frame before.
                #expect(expected[place].distanceMm == expected[place - 1].distanceMm)
                continue
            }
            #expect(frame.deviceUs == expected[place].timestampUs)
            #expect(frame.temperatureC == expected[place].siliconTempDegc)
            #expect(frame.distanceMm == expected[place].distanceMm)
            #expect(frame.targetStatus == expected[place].targetStatus)
            #expect(frame.zones == 64 && frame.bins == 0 && frame.histogram.isEmpty)
        }
        #expect(events.frames.first?.distanceMm.min() == -8)
        // Numbers 22 ... 127: 106 frames of the sensor.
        #expect(events.missing == 106 - 38)
        #expect(decoder.counters.framesMissing == 68)
        #expect(decoder.counters.rejected == [.repeated: 8])
        #expect(events.faults.count == 8 && !events.contains(.restarted))
        // Nothing but packets came; skipped are the repeats.
        #expect(decoder.counters.bytesSkipped == 8 * 1_471 && decoder.isAccounted)
    }

    @Test func theStreamOfAVL53L8CH() throws {
        var decoder = DepzDecoder()
        let events = try DepzRecording.reads("vl53l8ch_start_stop.depzrec").flatMap { decoder.events(of: $0.bytes) }
        decoder.finish()
        #expect(events.frames.count == 3)
        #expect(events.frames.map(\.deviceUs) == [13_005_191_551, 13_005_235_911, 13_005_304_084])
        #expect(events.frames.allSatisfy { $0.zones == 64 && $0.bins == 0 })
        #expect(decoder.histograms == nil)
        #expect(events.missing == 1)
        #expect(events.replies.contains(.text(command: DepzId.software, "APP_VL53L8_v0.9")))
        #expect(events.replies.contains(.status(command: DepzId.startStream, code: 0)))
        #expect(events.replies.contains(.status(command: DepzId.stopStream, code: 0)))
        #expect(decoder.counters.bytesSkipped == 0 && decoder.isAccounted)
    }

    /// The same events byte by byte, and in pieces of other sizes than the ones that were read.
    @Test(arguments: [1, 7, 64, 512, 1_471, 4_096])
    func piecesMakeNoDifference(size: Int) throws {
        let bytes = try DepzRecording.reads("vl53l8cx_8x8_15hz_stream.depzrec").flatMap(\.bytes)
        var (whole, pieces) = (DepzDecoder(), DepzDecoder())
        let events = whole.events(of: bytes)
        let others = stride(from: 0, to: bytes.count, by: size).flatMap {
            pieces.events(of: Array(bytes[$0..<min($0 + size, bytes.count)]))
        }
        #expect(events == others)
    }

    /// A session over the recording: frames as they come, nothing that is sent is waited for.
    @Test(arguments: ["depz-vl53l8cx", "depz-vl53l8ch"])
    func aSessionPlaysIt(profile: String) throws {
        let profile = try #require(SensorProfile.named(profile))
        var session = profile.session(.join, at: SessionPlace(path: "replay:x", isRecorded: true))
        var outputs: [SessionOutput] = []
        session.start(nowNs: 0) { outputs.append($0) }
        for read in try DepzRecording.reads("vl53l8cx_8x8_15hz_stream.depzrec") {
            read.bytes.withUnsafeBytes { session.push($0, Arrival(monotonicNs: read.us * 1000, unixMs: 0)) { outputs.append($0) } }
        }
        session.finish { outputs.append($0) }
        #expect(outputs.count { if case .frame = $0 { true } else { false } } == 38)
        #expect(outputs.count { if case .send = $0 { true } else { false } } == 0)
        #expect(outputs.count { if case .failed = $0 { true } else { false } } == 0)
        #expect(session.firmwareVersion?.text == "APP_VL53L8_v0.9")
        #expect(session.counters.framesMissing == 68)
        #expect(session.shape == FrameShape(zones: 64, bins: 0))
        #expect(session.timing == nil && session.farewell.isEmpty)
    }
}
