import Testing

@testable import TransientSensor

/// The bus may cut the bytes anywhere, and a program may join a stream anywhere.
@Suite struct MiniTofSplitTests {
    static let layouts = [
        MiniTofBytes.small, MiniTofLayout(zones: 16, values: 5), MiniTofLayout(zones: 16, values: 6, metadata: .full),
        MiniTofLayout(zones: 16, values: 6, metadata: .distances),
    ]

    @Test(arguments: [nil, MiniTofBytes.small])
    func sameEventsForAnySplit(layout: MiniTofLayout?) {
        var damaged = MiniTofBytes.stream(4..<5)
        damaged.remove(at: 40)
        let bytes =
            Array(MiniTofBytes.boot.utf8) + MiniTofBytes.stream(0..<3) + damaged + MiniTofBytes.stream(5..<6).prefix(90)
            + Array(("\r\n" + MiniTofBytes.boot + "some words\r\n\n").utf8) + MiniTofBytes.stream(6..<8)
        let (expected, whole) = MiniTofDecoder.events(of: bytes, layout)
        #expect(expected.frames == [0, 1, 2, 6, 7].map { MiniTofBytes.frame($0) })
        #expect(expected.faults == [.malformed, .damagedByReset])
        #expect(expected.lines.count == 7)
        for cut in 0...bytes.count {
            let (events, decoder) = MiniTofDecoder.events(of: bytes, layout, cuts: [cut])
            #expect(events == expected, "cut at \(cut)")
            #expect(decoder.counters == whole.counters, "cut at \(cut)")
        }
        for size in 1...64 {
            let cuts = Array(stride(from: size, to: bytes.count, by: size))
            #expect(MiniTofDecoder.events(of: bytes, layout, cuts: cuts).events == expected, "pieces of \(size)")
        }
    }

    /// Joining in frame 1 gives exactly frames 2 and 3, whether the layout is known or learned.
    @Test(arguments: layouts, [true, false])
    func joinedInTheMiddle(layout: MiniTofLayout, isKnown: Bool) {
        // The window stands still, and that takes four frames to see.
        let frames = layout.metadata == .full ? 5 : 2
        let first = MiniTofBytes.stream(0..<1, layout)
        let rest = MiniTofBytes.stream(1..<frames + 1, layout)
        for offset in 0..<first.count {
            let (events, decoder) = MiniTofDecoder.events(of: first[offset...] + rest, isKnown ? layout : nil)
            let expected = ((offset == 0 ? 0 : 1)..<frames + 1).map { MiniTofBytes.frame($0, layout) }
            #expect(events == expected.map(DecoderEvent.frame), "joined at \(offset)")
            #expect(decoder.counters.bytesSkipped == UInt64(offset == 0 ? 0 : first.count - offset), "joined at \(offset)")
        }
    }

    @Test func aFrameArrivesWithItsLastByte() {
        let stream = MiniTofBytes.stream(0..<1)
        var known = MiniTofDecoder(layout: MiniTofBytes.small)
        #expect(known.push(stream.dropLast(), arrival: at(1)).isEmpty)
        #expect(known.push([0xff], arrival: at(2)).frames.map(\.arrival) == [at(2)])
        // While the layout is learned a frame waits for another one, and still carries its own arrival.
        var learning = MiniTofDecoder()
        #expect(learning.push(stream, arrival: at(1)).isEmpty)
        #expect(learning.push(stream, arrival: at(2)).isEmpty)
        #expect(learning.push(stream, arrival: at(3)).frames.map(\.arrival) == [at(1), at(2), at(3)])
        #expect(learning.layout == MiniTofBytes.small)
    }
}
