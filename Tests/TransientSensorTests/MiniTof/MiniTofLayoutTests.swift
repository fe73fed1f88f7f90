import Testing

@testable import TransientSensor

/// How a stream's layout is learned, and what becomes of another one.
@Suite struct MiniTofLayoutTests {
    @Test(
        arguments: [(14, true, 12), (13, false, 12), (18, true, 16), (17, false, 16)], [nil, MiniTofMetadata.distances, .full])
    func theFirmwaresLayoutsAreLearned(shape: (values: Int, hasAmbient: Bool, bins: Int), metadata: MiniTofMetadata?) {
        let layout = MiniTofLayout(zones: 64, values: shape.values, metadata: metadata)
        let (events, decoder) = MiniTofDecoder.events(of: MiniTofBytes.stream(0..<5, layout))
        #expect(decoder.layout == layout)
        #expect(layout.hasAmbient == shape.hasAmbient && layout.bins == shape.bins)
        #expect(events == (0..<5).map { .frame(MiniTofBytes.frame($0, layout)) })
        #expect(decoder.shape == FrameShape(zones: 64, bins: shape.bins))
        let timing = decoder.timing
        #expect(timing == BinTiming(binWidthPs: shape.bins == 12 ? 2_000 : 250, startBin: 0, basis: .assumed))
    }

    @Test func otherBinsHaveNoTiming() {
        let (events, decoder) = MiniTofDecoder.events(of: MiniTofBytes.stream(0..<3, MiniTofLayout(zones: 64, values: 22)))
        #expect(events.frames.count == 3 && decoder.shape == FrameShape(zones: 64, bins: 20))
        #expect(decoder.timing == nil)
    }

    /// One frame alone, or two that differ, teach nothing.
    @Test func twoEqualFramesAreNeeded() {
        let first = MiniTofBytes.stream(0..<1)
        let other = MiniTofBytes.stream(1..<2, MiniTofLayout(zones: 16, values: 8))
        #expect(MiniTofDecoder.events(of: first).events.isEmpty)
        let (events, _) = MiniTofDecoder.events(of: first + other + first)
        #expect(events.frames.isEmpty && events.faults == [.rowShape])
    }

    /// Runs of records that are no grid of the sensor's are no frames.
    @Test(arguments: [1, 4, 15, 17, 63])
    func otherNumbersOfZonesAreRefused(zones: Int) {
        let bytes = (0..<4).flatMap { _ in (0..<zones).flatMap { MiniTofBytes.record([Float($0), 1, 2, 3]) } }
        let (events, decoder) = MiniTofDecoder.events(of: bytes)
        #expect(events.frames.isEmpty && decoder.layout == nil)
    }

    /// More zones than the expected frame has: no part of the longer frames goes out again, and the layout is named.
    @Test func aLongerFrameIsSeen() {
        let longer = MiniTofLayout(zones: 64, values: 6)
        let (events, decoder) = MiniTofDecoder.events(of: MiniTofBytes.stream(0..<3) + MiniTofBytes.stream(3..<9, longer))
        #expect(events.frames.prefix(3) == (0..<3).map { MiniTofBytes.frame($0) }[...])
        #expect(events.frames.count <= 4)
        #expect(decoder.otherLayout == longer)
    }

    @Test(arguments: [MiniTofLayout(zones: 16, values: 8), MiniTofLayout(zones: 16, values: 6, metadata: .distances)])
    func anotherLayoutIsNamedAndNotTaken(other: MiniTofLayout) {
        let (events, decoder) = MiniTofDecoder.events(of: MiniTofBytes.stream(0..<3) + MiniTofBytes.stream(3..<12, other))
        #expect(decoder.otherLayout == other)
        #expect(events.frames.allSatisfy { $0.bins == 4 && $0.distanceMm.isEmpty })
        #expect(!events.faults.isEmpty)
    }

    /// Damage in many frames puts the layout in doubt; one whole frame confirms it.
    @Test func aDoubtedLayoutIsConfirmedByOneFrame() {
        var bytes = MiniTofBytes.stream(0..<3)
        for frame in 3..<9 { bytes += MiniTofBytes.stream(frame..<frame + 1).dropLast(8) }
        let (events, decoder) = MiniTofDecoder.events(of: bytes + MiniTofBytes.stream(9..<12))
        #expect(events.frames.suffix(2) == [10, 11].map { MiniTofBytes.frame($0) }[...])
        #expect(decoder.otherLayout == nil && decoder.layout == MiniTofBytes.small)
    }

    /// The record of distances is missing in one frame, or damaged.
    @Test func aMissingMetadataRecordIsNamed() {
        let layout = MiniTofLayout(zones: 16, values: 6, metadata: .distances)
        let bytes = MiniTofBytes.stream(0..<2, layout) + MiniTofBytes.stream(2..<3) + MiniTofBytes.stream(3..<5, layout)
        let (events, _) = MiniTofDecoder.events(of: bytes)
        #expect(events.frames == [0, 1, 3, 4].map { MiniTofBytes.frame($0, layout) })
        #expect(events.faults == [.missingPart])
    }

    @Test(arguments: [Float(-1), 0.5, 128, 300])
    func aWindowThatIsNoneIsNamed(start: Float) {
        let layout = MiniTofLayout(zones: 16, values: 6, metadata: .full)
        var bytes = MiniTofBytes.stream(4..<5, layout)
        bytes.replaceSubrange(bytes.count - 8..<bytes.count - 4, with: MiniTofBytes.bytes(start))
        let (events, _) = MiniTofDecoder.events(of: MiniTofBytes.stream(0..<4, layout) + bytes + MiniTofBytes.stream(5..<6, layout))
        #expect(events.frames == [0, 1, 2, 3, 5].map { MiniTofBytes.frame($0, layout) })
        #expect(events.faults == [.malformed])
    }
}
