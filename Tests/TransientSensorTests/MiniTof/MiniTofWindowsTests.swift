import Testing

@testable import TransientSensor

/// The window of bins moves every third reading; frames are put together by the start bins that come.
@Suite struct MiniTofWindowsTests {
    static let layout = MiniTofLayout(zones: 16, values: 18, metadata: .full)
    static let shape = FrameShape(zones: 16, bins: 48)

    private struct Reading {
        var number: Int
        var sinceMove: Int
        var start: Int
    }

    /// Readings 0, 1, 2 of each window, window after window.
    private static func readings(cycles: Int, starts: [Int] = [0, 16, 32]) -> [Reading] {
        (0..<cycles * starts.count * 3).map { Reading(number: $0, sinceMove: $0 % 3, start: starts[$0 / 3 % starts.count]) }
    }

    private static func events(_ readings: [Reading]) -> (events: [DecoderEvent], decoder: MiniTofDecoder) {
        MiniTofDecoder.events(
            of: readings.flatMap { MiniTofBytes.bytes(frame($0.number), layout, sinceMove: $0.sinceMove, start: $0.start) }, layout)
    }

    private static func frame(_ number: Int) -> FirmwareFrame { MiniTofBytes.frame(number, layout) }

    /// What is expected of three readings, in the order of their windows.
    private static func joined(_ numbers: [Int], newest: Int? = nil) -> FirmwareFrame {
        let frames = numbers.map(frame)
        let histogram = (0..<16).flatMap { zone in frames.flatMap { $0.histogram[zone * 16..<(zone + 1) * 16] } }
        let last = frame(newest ?? numbers.max() ?? 0)
        return FirmwareFrame(bins: 48, ambient: last.ambient, distanceMm: last.distanceMm, histogram: histogram, arrival: at(0))
    }

    /// Frames of the cycles from `first` on, whose windows settle with readings 2, 5 and 8.
    private static func cycles(_ range: Range<Int>) -> [FirmwareFrame] {
        range.map { cycle in joined([2, 5, 8].map { $0 + 9 * cycle }) }
    }

    @Test func cyclesBecomeFrames() {
        let (events, decoder) = Self.events(Self.readings(cycles: 4))
        #expect(events.frames == Self.cycles(0..<4))
        #expect(events.faults.isEmpty)
        #expect(decoder.shape == Self.shape)
        #expect(decoder.counters.bytesSkipped == 0)
    }

    /// The bins stand by their start, whichever window the stream begins with and in whatever order the windows come.
    @Test(arguments: [[16, 32, 0], [32, 0, 16], [32, 16, 0], [0, 32, 16]])
    func binsStandByTheirStart(starts: [Int]) {
        let (events, _) = Self.events(Self.readings(cycles: 3, starts: starts))
        let expected = (0..<3).map { cycle in
            let settled = starts.indices.sorted { starts[$0] < starts[$1] }.map { 9 * cycle + 3 * $0 + 2 }
            return Self.joined(settled)
        }
        #expect(events.frames == expected && events.faults.isEmpty)
    }

    /// Joined anywhere in a cycle: the first frame begins with the first window that was seen to settle.
    @Test(arguments: 0..<9)
    func joinedInTheCycle(offset: Int) {
        let readings = Array(Self.readings(cycles: 5).dropFirst(offset))
        let (events, decoder) = Self.events(readings)
        #expect(events.frames.count >= 3 && events.faults.isEmpty)
        for frame in events.frames { #expect(frame.bins == 48) }
        let first = (offset + 3) / 3 * 3 - 1
        let order = [first, first + 3, first + 6].sorted { $0 % 9 < $1 % 9 }
        #expect(events.frames.first == Self.joined(order))
        #expect(decoder.shape == Self.shape)
    }

    /// A reading that does not count is missing: nothing is lost.
    @Test(arguments: [27, 28, 30, 31, 33, 34])
    func aMissingUnsettledReadingIsNoLoss(missing: Int) {
        var readings = Self.readings(cycles: 6)
        readings.remove(at: missing)
        let (events, _) = Self.events(readings)
        #expect(events.frames == Self.cycles(0..<6) && events.faults.isEmpty)
    }

    /// The reading that counts is missing: its cycle is no frame, and the next whole one is.
    @Test(arguments: [29, 32, 35])
    func aMissingWindowCostsItsCycle(missing: Int) {
        var readings = Self.readings(cycles: 7)
        readings.remove(at: missing)
        let (events, _) = Self.events(readings)
        #expect(events.faults.allSatisfy { $0 == .missingPart } && (1...2).contains(events.faults.count), "\(events.faults)")
        expectOnlyRightFrames(events.frames, without: missing)
        #expect(events.frames.count >= 5)
    }

    @Test(arguments: [27, 30, 33])
    func aWholeWindowMissingCostsItsCycle(first: Int) {
        var readings = Self.readings(cycles: 7)
        readings.removeSubrange(first..<first + 3)
        let (events, _) = Self.events(readings)
        #expect(events.faults.contains(.missingPart))
        expectOnlyRightFrames(events.frames, without: first + 2)
        #expect(events.frames.count >= 5)
    }

    @Test(arguments: [29, 32, 35])
    func aWindowTwiceCostsItsCycle(twice: Int) {
        var readings = Self.readings(cycles: 7)
        readings.insert(readings[twice], at: twice)
        let (events, _) = Self.events(readings)
        #expect(events.faults.contains(.missingPart))
        expectOnlyRightFrames(events.frames, without: nil)
    }

    @Test func windowsOutOfOrderCostTheirCycle() {
        var readings = Self.readings(cycles: 7)
        for index in 27..<30 { readings.swapAt(index, index + 3) }
        let (events, _) = Self.events(readings)
        #expect(events.faults.contains(.missingPart))
        #expect(events.frames.allSatisfy { Self.cycles(0..<7).contains($0) || $0.bins == 48 })
        #expect(events.frames.count >= 4)
    }

    /// Three settled readings in a row, of one cycle or across two, and never with a lost one between them.
    private func expectOnlyRightFrames(_ frames: [FirmwareFrame], without missing: Int?) {
        let right = (0..<19).map { window in
            let settled = (window..<window + 3).map { 3 * $0 + 2 }
            return (settled, Self.joined(settled.sorted { $0 % 9 < $1 % 9 }))
        }
        for frame in frames {
            let found = right.first { $0.1 == frame }
            #expect(found != nil)
            if let missing, let found { #expect(!found.0.contains(missing)) }
        }
    }

    /// Windows that leave bins out, or that overlap, are never put together.
    @Test(arguments: [[0, 64], [0, 32, 64], [0, 8, 16], [100, 116, 32], [0, 16, 48]])
    func windowsThatDoNotMeetAreRefused(starts: [Int]) {
        let (events, decoder) = Self.events(Self.readings(cycles: 5, starts: starts))
        #expect(events.frames.isEmpty && decoder.shape == nil)
        #expect(events.faults.count == 4 && events.faults.allSatisfy { $0 == .malformed }, "\(events.faults)")
    }

    /// The width of other bins is not known, and so not whether their windows meet.
    @Test func windowsOfUnknownWidthAreRefused() {
        let layout = MiniTofLayout(zones: 16, values: 22, metadata: .full)
        let bytes = Self.readings(cycles: 4, starts: [0, 20, 40]).flatMap {
            MiniTofBytes.bytes(MiniTofBytes.frame($0.number, layout), layout, sinceMove: $0.sinceMove, start: $0.start)
        }
        let (events, _) = MiniTofDecoder.events(of: bytes, layout)
        #expect(events.frames.isEmpty && events.faults.allSatisfy { $0 == .malformed })
    }

    @Test func aWindowThatStandsStillIsPassedOn() {
        let readings = (0..<6).map { Reading(number: $0, sinceMove: min($0, 2), start: 30) }
        let (events, decoder) = Self.events(readings)
        #expect(events.frames == (0..<6).map(Self.frame))
        #expect(decoder.shape == FrameShape(zones: 16, bins: 16))
        #expect(!decoder.windowsChanged)
    }

    /// Its frames would be labelled with the wrong bins.
    @Test func aWindowThatBeginsToMoveIsSeen() {
        let readings = (0..<9).map { Reading(number: $0, sinceMove: 2, start: $0 < 5 ? 30 : 46) }
        let (events, decoder) = Self.events(readings)
        #expect(events.frames == (0..<5).map(Self.frame))
        #expect(events.faults == Array(repeating: .missingPart, count: 4))
        #expect(decoder.windowsChanged)
    }

    @Test func aCycleThatChangesIsSeen() {
        var readings = Self.readings(cycles: 3)
        readings += Self.readings(cycles: 2, starts: [64, 80, 96]).map {
            Reading(number: $0.number + 27, sinceMove: $0.sinceMove, start: $0.start)
        }
        let (events, decoder) = Self.events(readings)
        #expect(events.frames == Self.cycles(0..<3))
        #expect(events.faults.contains(.malformed) && decoder.windowsChanged)
    }

    /// The reading that counts never comes: nothing is put together, and that has a name.
    @Test func windowsThatNeverSettleAreNamed() {
        let readings = Self.readings(cycles: 4).filter { $0.sinceMove != 2 }
        let (events, _) = Self.events(readings)
        #expect(events.frames.isEmpty && events.faults.count >= 8 && events.faults.allSatisfy { $0 == .missingPart })
    }

    /// A loss between two windows ends the cycle that was being collected.
    @Test func lostBytesCostTheirCycle() {
        var decoder = MiniTofDecoder(layout: Self.layout)
        var events: [DecoderEvent] = []
        for reading in Self.readings(cycles: 5) {
            if reading.number == 31 { decoder.lostBytes { events.append($0) } }
            events += decoder.push(
                MiniTofBytes.bytes(Self.frame(reading.number), Self.layout, sinceMove: reading.sinceMove, start: reading.start),
                arrival: at(0))
        }
        decoder.finish { events.append($0) }
        decoder.expectEveryByteCounted()
        #expect(events.faults.contains(.transferLost))
        expectOnlyRightFrames(events.frames, without: 29)
    }
}
