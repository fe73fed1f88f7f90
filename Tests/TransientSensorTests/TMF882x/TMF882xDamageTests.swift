import Testing

@testable import TransientSensor

/// Damage never makes a frame that the board did not send, is counted, and leaves the next frame whole.
struct TMF882xDamageTests {
    static let layout = TMF882xLayout(side: 3, hasHistograms: true)
    static let frames = (1...3).map { small(layout, seed: $0) }
    static let texts = frames.indices.map { TMF882xLog.lines(frames[$0], layout, number: 20 + $0) }

    /// Small counts keep the lines short.
    private static func small(_ layout: TMF882xLayout, seed: Int) -> FirmwareFrame {
        let full = TMF882xLog.frame(layout, seed: UInt64(seed))
        var frame = FirmwareFrame(
            bins: full.bins, ambient: full.ambient, distanceMm: full.distanceMm.map { $0 + Int64(seed) },
            histogram: full.histogram.indices.map { Int64(($0 + seed) % 10) }, arrival: full.arrival)
        frame.confidence = full.confidence
        frame.reference = full.reference?.map { $0 % 10 }
        frame.temperatureC = full.temperatureC
        return frame
    }

    @Test(arguments: layouts(of: [3, 8]), [1, 2, 3, 7, 63, 64, 65, 1_000])
    func anySplitGivesTheSameEvents(layout: TMF882xLayout, piece: Int) {
        let stream = mixed(layout)
        let whole = TMF882xDecoder.events(of: stream, layout)
        let pieces = TMF882xDecoder.events(of: stream, layout, piece: piece)
        #expect(whole.events == pieces.events && whole.decoder.counters == pieces.decoder.counters)
        #expect(whole.events.frames.count >= 2 && whole.decoder.accountsForAll)
        // A whole line that is lost leaves a gap in the count, a part of a frame a damaged one.
        #expect(whole.events.faults.isEmpty == (layout.zones == 9 && !layout.hasHistograms))
    }

    /// Two pieces, parted at every byte.
    @Test func everySplitPoint() {
        let layout = TMF882xLayout(side: 3, hasHistograms: true)
        let stream = bytes(of: Self.texts[0] + ["TMF882x state=measure", "#Raw,65,0,1,2"] + Self.texts[1])
        let whole = TMF882xDecoder.events(of: stream, layout)
        #expect(whole.events.frames == Array(Self.frames[..<2]))
        var first = TMF882xDecoder(layout: layout)
        var before: [TMF882xEvent] = []
        for cut in stream.indices {
            var second = first
            var events = before + second.push(Array(stream[cut...]), arrival: Arrival(monotonicNs: 0, unixMs: 0))
            second.finish()
            if events != whole.events || second.counters != whole.decoder.counters { Issue.record("cut at \(cut)") }
            events = first.push([stream[cut]], arrival: Arrival(monotonicNs: 0, unixMs: 0))
            before += events
        }
    }

    private static func layouts(of sides: [Int]) -> [TMF882xLayout] {
        sides.flatMap { side in [true, false].map { TMF882xLayout(side: side, hasHistograms: $0) } }
    }

    /// Frames, words, a cut row, bytes that are nothing, and a line without end.
    private func mixed(_ layout: TMF882xLayout) -> [UInt8] {
        let frames = (0..<4).map { TMF882xLog.lines(TMF882xLog.frame(layout, seed: UInt64($0)), layout, number: 4 * $0) }
        return bytes(of: frames[0] + ["#Conf,Period=33ms,KIter=537 SPAD=1 Pers=0", "#Raw,65,3,7", "", "  h ... help"])
            + bytes(of: Array(frames[1].dropLast(1))) + [0, 255, 13] + Array(repeating: 0x37, count: 1_500) + [0x0a]
            + bytes(of: frames[2] + frames[3])
    }

    /// Bytes of the middle frame deleted, changed and inserted: a sample of the rows, and the last 160, which are of the `#Obj` line.
    @Test func aSampleOfTheBytesOfAFrame() { #expect(damage(Self.frames, Self.layout, where: Self.isSampled) > 4_000) }

    /// The same of a stream of distances alone, at every byte.
    @Test func everyByteOfDistances() {
        let layout = TMF882xLayout(side: 3, hasHistograms: false)
        #expect(damage(Self.frames.map(\.depthOnly), layout) { _, _, _ in true } > 1_700)
    }

    /// Of a row's first twelve bytes every third, all changes; deep inside, where one place is like another, every seventh byte deleted
    /// and every 41st changed.
    private static func isSampled(_ change: Change, at place: Int, of text: [UInt8]) -> Bool {
        let inLine = place - (text[..<place].lastIndex(of: 0x0a) ?? -1)
        if inLine < 12 && place % 3 == 0 || place > text.count - 160 { return true }
        if case .deleted = change { return place % 7 == 0 }
        return place % 41 == 0
    }

    /// How many damages were tried.
    private func damage(
        _ frames: [FirmwareFrame], _ layout: TMF882xLayout, where matters: (Change, _ place: Int, _ text: [UInt8]) -> Bool
    ) -> Int {
        let texts = frames.indices.map { bytes(of: TMF882xLog.lines(frames[$0], layout, number: 20 + $0)) }
        let bent = texts[1]
        var upToHere = TMF882xDecoder(layout: layout)
        #expect(upToHere.push(texts[0], arrival: Arrival(monotonicNs: 0, unixMs: 0)).frames == [frames[0]])
        var damages = 0
        for place in bent.indices {
            for change in Change.all where matters(change, place, bent) {
                let damaged = change.applied(to: bent, at: place)
                if Self.isRightAllTheSame(damaged, lines: layout.hasHistograms ? 31 : 1) { continue }
                damages += 1
                var decoder = upToHere
                let events = decoder.push(Array(damaged[place...]) + texts[2], arrival: Arrival(monotonicNs: 0, unixMs: 0))
                decoder.finish()
                // A line that is cut behind its first objects is whole without the others.
                if events.frames == Array(frames[1...]), decoder.counters.bytesSkipped > 0 { continue }
                let loss = events.faults.count + Int(events.missing)
                if events.frames != [frames[2]] || loss != 1 || !decoder.accountsForAll {
                    Issue.record("\(change) at \(place): \(events.faults), \(events.frames.count) frames, \(events.missing) missing")
                }
            }
            _ = upToHere.push([bent[place]], arrival: Arrival(monotonicNs: 0, unixMs: 0))
        }
        return damages
    }

    enum Change {
        case deleted, lineFeed, letter, comma, digit, nul
        case inserted(UInt8)
        static let all: [Change] = [
            .deleted, .lineFeed, .letter, .comma, .digit, .nul, .inserted(0x0a), .inserted(0xff), .inserted(0x2c), .inserted(0x23),
            .inserted(0x30),
        ]

        func applied(to text: [UInt8], at place: Int) -> [UInt8] {
            var text = text
            switch self {
            case .deleted: text.remove(at: place)
            case .lineFeed: text[place] = 0x0a
            case .letter: text[place] = 0x41
            case .comma: text[place] = 0x2c
            case .digit: text[place] = text[place] == 0x36 ? 0x39 : 0x36
            case .nul: text[place] = 0
            case .inserted(let byte): text.insert(byte, at: place)
            }
            return text
        }
    }

    /// A digit that becomes another one, or is one more or less, leaves lines that nobody can tell from right ones: there is no checksum.
    private static func isRightAllTheSame(_ text: [UInt8], lines count: Int) -> Bool {
        guard text.last == 0x0a else { return false }
        let meaning = text.split(separator: 0x0a)
        guard meaning.count == count else { return false }
        return meaning.enumerated().allSatisfy { index, line in
            let fields = line.split(separator: 0x2c, omittingEmptySubsequences: false)
            let isObjects = index == count - 1
            guard fields.count == (isObjects ? 78 : 131), fields[0].elementsEqual((isObjects ? "#Obj" : "#Raw").utf8) else { return false }
            let numbers = fields.dropFirst().map { field -> Int? in
                guard !field.isEmpty, field.allSatisfy({ (0x30...0x39).contains($0) }), field.count == 1 || field.first != 0x30 else {
                    return nil
                }
                return Int(String(decoding: field, as: UTF8.self))
            }
            guard numbers.allSatisfy({ $0 != nil }), numbers[0] == 65 else { return false }
            if !isObjects { return numbers[1] == index && numbers.dropFirst(2).allSatisfy { $0! <= 255 } }
            let pairs = numbers.dropFirst(5).map { $0! }
            return numbers[1]! <= 255 && numbers[2]! <= 127 && numbers[3]! <= 255 && numbers[4]! <= Int(UInt32.max)
                && stride(from: 0, to: pairs.count, by: 2).allSatisfy { pairs[$0] <= 65_535 && pairs[$0 + 1] <= 255 }
        }
    }

    /// B37: a row missing, doubled, or in another's place.
    @Test(arguments: [3, 4, 8])
    func rowsMissingRepeatedSwapped(side: Int) {
        let layout = TMF882xLayout(side: side, hasHistograms: true)
        let frames = (0..<3).map { TMF882xLog.frame(layout, seed: UInt64($0)) }
        let texts = frames.indices.map { TMF882xLog.lines(frames[$0], layout, number: 4 * $0) }
        for row in texts[1].indices where texts[1][row].hasPrefix("#Raw") && (side < 8 || row % 7 == 0) {
            var missing = texts[1]
            missing.remove(at: row)
            var doubled = texts[1]
            doubled.insert(doubled[row], at: row)
            var swapped = texts[1]
            swapped.swapAt(row, (row + 3) % 30)
            for lines in [missing, doubled] + (swapped == texts[1] ? [] : [swapped]) {
                let (events, decoder) = TMF882xDecoder.events(of: bytes(of: texts[0] + lines + texts[2]), layout)
                #expect(events.frames == [frames[0], frames[2]] && events.faults == [.missingPart], "row \(row)")
                #expect(decoder.accountsForAll)
            }
        }
    }

    /// Histograms are due and do not come: no frame with old ones.
    @Test(arguments: [3, 4, 8])
    func objectsWithoutTheirRows(side: Int) {
        let layout = TMF882xLayout(side: side, hasHistograms: true)
        let frames = (0..<3).map { TMF882xLog.frame(layout, seed: UInt64($0)) }
        let texts = frames.indices.map { TMF882xLog.lines(frames[$0], layout, number: 4 * $0) }
        let bare = texts[1].filter { $0.hasPrefix("#Obj") }
        let events = TMF882xDecoder.events(of: bytes(of: texts[0] + bare + texts[2]), layout).events
        #expect(events.frames == [frames[0], frames[2]] && events.faults == [.missingPart])
    }

    /// A result of the four of an 8x8 frame is lost: the frame is, and none of it is in the next.
    @Test func aResultOfAnEightByEightFrameIsLost() {
        for hasHistograms in [true, false] {
            let layout = TMF882xLayout(side: 8, hasHistograms: hasHistograms)
            let frames = (0..<4).map { TMF882xLog.frame(layout, seed: UInt64($0)) }
            let texts = frames.indices.map { TMF882xLog.lines(frames[$0], layout, number: 4 * $0) }
            let perResult = texts[0].count / 4
            for lost in 0..<4 {
                var lines = texts[1]
                lines.removeSubrange(lost * perResult..<(lost + 1) * perResult)
                let (events, decoder) = TMF882xDecoder.events(of: bytes(of: texts[0] + lines + texts[2] + texts[3]), layout)
                #expect(events.frames == [frames[0], frames[2], frames[3]] && events.faults == [.missingPart], "result \(lost)")
                #expect(decoder.accountsForAll && decoder.counters.framesMissing == 0)
            }
            // From the middle of one to the middle of the next.
            let lines = texts[1].prefix(2 * perResult) + texts[2].dropFirst(perResult)
            let (events, decoder) = TMF882xDecoder.events(of: bytes(of: texts[0] + lines + texts[3]), layout)
            #expect(events.frames == [frames[0], frames[3]] && events.faults == [.missingPart, .missingPart])
            #expect(decoder.counters.framesMissing == 0)
        }
    }

    /// Lengths that `#Obj` lines are known to have, and others.
    @Test func lengthsOfObjectLines() {
        let layout = TMF882xLayout(side: 3, hasHistograms: false)
        let line = TMF882xLog.lines(Self.frames[0].depthOnly, layout, number: 9)[0]
        let fields = line.split(separator: ",").map(String.init)
        for count in [42, 60, 77, 78, 79, 5, 6, 41, 43] {
            let cut = (fields + ["0"]).prefix(count).joined(separator: ",")
            let good = TMF882xLog.lines(Self.frames[0].depthOnly, layout, number: 8)
            let events = TMF882xDecoder.events(of: bytes(of: good + [cut]), layout).events
            #expect(events.frames.count == (count == 42 || count == 78 ? 2 : 1), "\(count) fields")
            if count == 60 || count == 77 || count == 79 { #expect(events.faults == [.rowShape]) }
        }
    }

    /// A line without an end costs no memory and is told while it goes on.
    @Test func anEndlessLine() {
        var decoder = TMF882xDecoder(layout: Self.layout)
        var events = decoder.push(bytes(of: Self.texts[0] + Self.texts[1].prefix(7)), arrival: Arrival(monotonicNs: 0, unixMs: 0))
        let piece = Array(repeating: UInt8(ascii: "7"), count: 1_000)
        for _ in 0..<1_000 { events += decoder.push(piece, arrival: Arrival(monotonicNs: 0, unixMs: 0)) }
        #expect(events.faults == [.outOfRange])
        #expect(decoder.counters.bytesSkipped >= 1_000_000)
        events += decoder.push([0x0a] + bytes(of: Self.texts[1] + Self.texts[2]), arrival: Arrival(monotonicNs: 0, unixMs: 0))
        #expect(events.faults == [.outOfRange] && events.frames.last == Self.frames[2])
    }

    @Test func lostBytesSpoilTheOpenFrameOnly() {
        var decoder = TMF882xDecoder(layout: Self.layout)
        var events = decoder.push(bytes(of: Self.texts[0] + Self.texts[1].prefix(9)), arrival: Arrival(monotonicNs: 0, unixMs: 0))
        decoder.lostBytes(judge: { event in
            events.append(event)
            return true
        })
        events += decoder.push(bytes(of: Self.texts[1].suffix(9) + Self.texts[2]), arrival: Arrival(monotonicNs: 0, unixMs: 0))
        decoder.finish()
        #expect(events.frames == [Self.frames[0], Self.frames[2]] && events.faults == [.transferLost] && decoder.accountsForAll)
    }

    /// A reset in the middle of a row, and another measurement after it.
    @Test func aResetInMidStream() {
        let start = ["TMF8828 on an Arduino: commands", "  h ... shows these lines", "TMF8828 state=disabled"]
        let lines = Self.texts[0] + Self.texts[1].prefix(9) + [String(Self.texts[1][9].prefix(100))] + start + Self.texts[2]
        let (events, decoder) = TMF882xDecoder.events(of: bytes(of: lines), Self.layout)
        #expect(events.frames == [Self.frames[0], Self.frames[2]] && events.faults.count == 1 && events.missing == 0)
        #expect(events.contains(.text(.state(.tmf8828, .disabled))) && decoder.accountsForAll)
    }

    /// The bytes of another family make no frame.
    @Test func anotherFamilyIsOnThePort() {
        var board = EmulatedVL53L8CH(EmulatorPlan(scene: .matteWall, seed: 3))
        var text: [UInt8] = []
        board.advance(toNs: 20_000_000_000) { text += Array($0) }
        for layout in [Self.layout, nil] {
            let (events, decoder) = TMF882xDecoder.events(of: text, layout)
            #expect(text.count > 50_000 && events.frames.isEmpty && events.faults.isEmpty && decoder.accountsForAll)
        }
        var other = VL53L8CHDecoder(shape: nil)
        #expect(other.push(bytes(of: Self.texts.flatMap(\.self)), arrival: Arrival(monotonicNs: 0, unixMs: 0)).isEmpty)
    }
}

extension FirmwareFrame {
    var depthOnly: FirmwareFrame {
        var frame = FirmwareFrame(bins: 0, ambient: ambient, distanceMm: distanceMm, histogram: [], arrival: arrival)
        frame.confidence = confidence
        frame.temperatureC = temperatureC
        return frame
    }
}
