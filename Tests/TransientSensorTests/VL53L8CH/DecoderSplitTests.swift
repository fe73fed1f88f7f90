import Testing

@testable import TransientSensor

/// The bus may cut the bytes anywhere, and a program may join a stream anywhere.
@Suite struct DecoderSplitTests {
    static let bytes = Array(
        (FirmwareText.banner + FirmwareText.ready + FirmwareText.applied(zones: 16) + FirmwareText.stream(frames: 0..<2, zones: 16, bins: 8)
            + "Error: vl53lmz_results_extract_block failed: 2\n" + FirmwareText.stream(frames: 2..<4, zones: 16, bins: 8)
            + "D\n0 1 2 3\nnoise\n" + FirmwareText.stream(frames: 4..<5, zones: 16, bins: 8)).utf8)

    @Test(arguments: [nil, FrameShape(zones: 16, bins: 8)])
    func sameEventsForAnySplit(shape: FrameShape?) {
        let (expected, whole) = VL53L8CHDecoder.events(of: Self.bytes, shape: shape)
        #expect(expected.frames == (0..<5).map { FirmwareText.values(frame: $0, zones: 16, bins: 8) })
        #expect(expected.lines.count == 6)
        #expect(expected.faults == [.rowShape])
        for cut in 0...Self.bytes.count {
            let (events, decoder) = VL53L8CHDecoder.events(of: Self.bytes, shape: shape, cuts: [cut])
            #expect(events == expected, "cut at \(cut)")
            #expect(decoder.counters == whole.counters, "cut at \(cut)")
        }
        for size in 1...64 {
            let cuts = Array(stride(from: size, to: Self.bytes.count, by: size))
            #expect(VL53L8CHDecoder.events(of: Self.bytes, shape: shape, cuts: cuts).events == expected, "pieces of \(size)")
        }
    }

    /// Joining in frame 1 gives exactly frames 2 and 3, whether the shape is known or learned.
    @Test(arguments: [nil, FrameShape(zones: 16, bins: 8)])
    func joinedInTheMiddle(shape: FrameShape?) {
        let first = Array(FirmwareText.stream(frames: 0..<1, zones: 16, bins: 8).utf8)
        let rest = Array(FirmwareText.stream(frames: 1..<3, zones: 16, bins: 8).utf8)
        for offset in 0..<first.count {
            let (events, decoder) = VL53L8CHDecoder.events(of: first[offset...] + rest, shape: shape)
            let expected = ((offset == 0 ? 0 : 1)..<3).map { FirmwareText.values(frame: $0, zones: 16, bins: 8) }
            #expect(events == expected.map(DecoderEvent.frame), "joined at \(offset)")
            let skipped = offset == 0 ? 0 : first.count - offset
            #expect(decoder.counters.bytesSkipped + decoder.bytesInText == skipped, "joined at \(offset)")
        }
    }

    @Test func frameArrivesWithItsLastByte() {
        let stream = Array(FirmwareText.stream(frames: 0..<1, zones: 16, bins: 8).utf8)
        var known = VL53L8CHDecoder(shape: FrameShape(zones: 16, bins: 8))
        #expect(known.push(Array(stream.dropLast()), arrival: at(1)).isEmpty)
        #expect(known.push([UInt8(ascii: "\n")], arrival: at(2)).frames.map(\.arrival) == [at(2)])
        // While the shape is learned a frame waits for another one, and still carries its own arrival.
        var learning = VL53L8CHDecoder(shape: nil)
        #expect(learning.push(stream, arrival: at(1)).isEmpty)
        #expect(learning.push(stream, arrival: at(2)).isEmpty)
        #expect(learning.push(Array("D\n".utf8), arrival: at(3)).frames.map(\.arrival) == [at(1), at(2)])
        #expect(learning.shape == FrameShape(zones: 16, bins: 8))
        #expect(learning.push(Array(stream.dropFirst(2)), arrival: at(4)).frames.map(\.arrival) == [at(4)])
    }
}
