import Testing

@testable import TransientSensor

struct TMF882xDecoderTests {
    static let layouts = [3, 4, 8].flatMap { side in [true, false].map { TMF882xLayout(side: side, hasHistograms: $0) } }

    /// Every channel of every sub-capture is the zone that the reference's formula names.
    @Test func everyZoneOfEveryGrid() {
        for side in [3, 4, 8] {
            let layout = TMF882xLayout(side: side, hasHistograms: true)
            var seen: Set<Int> = []
            for capture in 0..<layout.capturesPerFrame {
                for channel in layout.zoneChannels {
                    let expected =
                        switch side {
                        case 8: (7 - 2 * ((channel - 1) / 2) - (capture >= 4 ? 1 : 0)) * 8 + 4 * ((channel - 1) % 2) + capture % 4
                        case 4: 8 * capture + channel - 1
                        default: channel - 1
                        }
                    #expect(layout.zone(capture: capture, channel: channel) == expected)
                    #expect(TMF882xModel.zone(side: side, capture: capture, channel: channel) == expected)
                    seen.insert(expected)
                }
            }
            #expect(seen == Set(0..<side * side))
        }
        // Corners of the table in cc-hardware's `tmf8828.py`: the first sub-capture's first channel is bottom left.
        let layout = TMF882xLayout(side: 8, hasHistograms: true)
        #expect(layout.zone(capture: 0, channel: 1) == 56 && layout.zone(capture: 7, channel: 8) == 7)
    }

    /// Counts of all three planes, the reference apart, distances in the order of the zones.
    @Test(arguments: layouts)
    func framesComeBack(layout: TMF882xLayout) {
        let frames = (1...4).map { TMF882xLog.frame(layout, seed: UInt64($0)) }
        let stream = bytes(
            of: frames.indices.flatMap { TMF882xLog.lines(frames[$0], layout, number: 252 + $0 * layout.resultsPerFrame) })
        var decoder = TMF882xDecoder(layout: layout)
        decoder.begin(layout)
        let events = decoder.push(stream, arrival: Arrival(monotonicNs: 0, unixMs: 0))
        decoder.finish()
        #expect(events.frames == frames)
        #expect(events.count == 4 && decoder.accountsForAll && decoder.counters.bytesSkipped == 0)
        #expect(decoder.counters.framesDecoded == 4 && decoder.counters.framesMissing == 0)
    }

    /// A join in the first frame, at about a hundred places of it, gives exactly the others.
    @Test(arguments: layouts)
    func aStreamIsJoinedAnywhere(layout: TMF882xLayout) {
        let frames = (1...3).map { TMF882xLog.frame(layout, seed: UInt64($0)) }
        let texts = frames.indices.map { bytes(of: TMF882xLog.lines(frames[$0], layout, number: 8 + $0 * layout.resultsPerFrame)) }
        for cut in stride(from: 1, through: texts[0].count, by: max(1, texts[0].count / 97)) {
            let (events, decoder) = TMF882xDecoder.events(of: texts[0][cut...] + texts[1] + texts[2], layout)
            #expect(events.frames == Array(frames[1...]) && events.count == 2, "cut at \(cut)")
            #expect(decoder.accountsForAll)
        }
        #expect(TMF882xDecoder.events(of: texts.flatMap(\.self), layout).events.frames == frames)
    }

    /// The layout is learned from what comes and from what the board says of itself.
    @Test func layoutsAreLearned() {
        let words: [Int: [String]] = [3: [], 4: ["TMF882x state=measure"], 8: ["TMF8828 state=measure"]]
        for layout in Self.layouts {
            let frames = (1...4).map { TMF882xLog.frame(layout, seed: UInt64($0)) }
            let lines = frames.indices.flatMap { TMF882xLog.lines(frames[$0], layout, number: 8 + $0 * layout.resultsPerFrame) }
            let said = layout.side == 3 && !layout.hasHistograms ? ["TMF882x state=measure"] : words[layout.side]!
            let (events, decoder) = TMF882xDecoder.events(of: bytes(of: said + lines), nil)
            #expect(decoder.layout == layout)
            #expect(!events.frames.isEmpty && events.frames == Array(frames.suffix(events.frames.count)))
            #expect(events.faults.isEmpty && decoder.accountsForAll)
        }
    }

    /// 4x4 and 8x8 look the same; without a word of the board's no frame is made of either.
    @Test(arguments: [4, 8])
    func anUntoldGridMakesNoFrame(side: Int) {
        let layout = TMF882xLayout(side: side, hasHistograms: true)
        let lines = (1...3).flatMap { TMF882xLog.lines(TMF882xLog.frame(layout), layout, number: layout.resultsPerFrame * $0) }
        let events = TMF882xDecoder.events(of: bytes(of: lines), nil).events
        #expect(!events.isEmpty && events.allSatisfy { $0 == .gridUnknown })
    }

    /// Calibrations come before the first results; they are no counts.
    @Test func calibrationsAreText() {
        let layout = TMF882xLayout(side: 3, hasHistograms: true)
        let frame = TMF882xLog.frame(layout)
        let lines = TMF882xLog.lines(frame, layout, number: 1)
        let calibration = lines.dropLast().map { $0.replacing("#Raw", with: "#Cal") }
        let (events, decoder) = TMF882xDecoder.events(of: bytes(of: calibration + lines), layout)
        #expect(events.frames == [frame] && events.count == 1)
        #expect(decoder.bytesInText == UInt64(bytes(of: calibration).count) && decoder.accountsForAll)
    }

    @Test func carriageReturnsAreAccepted() {
        let layout = TMF882xLayout(side: 3, hasHistograms: true)
        let frame = TMF882xLog.frame(layout)
        let stream = bytes(of: TMF882xLog.lines(frame, layout, number: 1).map { $0 + "\r" })
        #expect(TMF882xDecoder.events(of: stream, layout).events.frames == [frame])
    }

    /// The highest count that three bytes hold.
    @Test func planesAddUp() {
        let layout = TMF882xLayout(side: 3, hasHistograms: true)
        var lines = TMF882xLog.lines(TMF882xLog.frame(layout), layout, number: 1)
        for plane in 0..<3 { lines[10 * plane + 4] = "#Raw,65,\(10 * plane + 4)" + String(repeating: ",255", count: 128) }
        let frame = TMF882xDecoder.events(of: bytes(of: lines), layout).events.frames[0]
        #expect(frame.histogram[3 * 128..<4 * 128].allSatisfy { $0 == 16_777_215 })
    }

    /// Lines of other sensors are left out, whoever speaks first is listened to, and each other one is told of once.
    @Test func threeSensorsAreNotMixed() {
        let layout = TMF882xLayout(side: 3, hasHistograms: true)
        let frames = (0..<9).map { TMF882xLog.frame(layout, seed: UInt64($0)) }
        let lines = (0..<3).flatMap { round -> [String] in
            let each = (0..<3).map { TMF882xLog.lines(frames[3 * round + $0], layout, number: round, address: 67 - $0) }
            return each[0].indices.flatMap { line in each.map { $0[line] } }
        }
        let (events, decoder) = TMF882xDecoder.events(of: bytes(of: lines), layout)
        #expect(events.frames == [frames[0], frames[3], frames[6]])
        #expect(
            events.filter { if case .otherSensor = $0 { true } else { false } } == [.otherSensor(address: 66), .otherSensor(address: 65)])
        #expect(decoder.results.sensors.others[66] == 93 && decoder.results.sensors.others[65] == 93)
        #expect(events.faults.isEmpty && decoder.accountsForAll)
    }
}

/// Rows against a reader that goes number by number.
struct TMF882xRowTests {
    private func read(_ text: String) -> [UInt32]? {
        let room = Array(text.utf8) + [0x0a, 0x2c, 0x2c]
        var counts = Array(repeating: UInt32(0), count: 128)
        let isRight = room.withUnsafeBytes { bytes in
            TMF882xRow.readBytes(bytes.baseAddress!, to: bytes.baseAddress! + text.utf8.count, shift: 0, keep: 0, into: &counts)
        }
        return isRight ? counts : nil
    }

    @Test func everyByteInEveryPlace() {
        for value in 0...255 {
            for bin in [0, 1, 63, 126, 127] {
                var values = Array(repeating: UInt32(value % 10), count: 128)
                values[bin] = UInt32(value)
                #expect(read(values.map(String.init).joined(separator: ",")) == values)
            }
        }
    }

    @Test(arguments: [
        "", "256", "999", "1000", "00", "01", "001", "-1", "+1", " 1", "1 ", "1.0", "a", ":", "/", "1/", "\u{0}", "\u{ff}", "1\r",
    ])
    func whatIsNoByte(token: String) {
        for bin in [0, 1, 64, 126, 127] {
            var values = Array(repeating: "7", count: 128)
            values[bin] = token
            #expect(read(values.joined(separator: ",")) == nil, "bin \(bin)")
        }
    }

    @Test func tooFewAndTooMany() {
        for count in [0, 1, 2, 127, 129, 130, 256] {
            #expect(read(Array(repeating: "12", count: count).joined(separator: ",")) == nil)
        }
    }
}
