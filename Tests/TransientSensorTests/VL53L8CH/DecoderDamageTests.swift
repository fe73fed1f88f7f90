import Testing

@testable import TransientSensor

/// One byte lost, bent or added anywhere: never a frame with wrong numbers, and never more than the frames that it touches.
@Suite struct DecoderDamageTests {
    /// Row numbers of one and two digits, and few bins, so that every place can be tried.
    static let shape = FrameShape(zones: 12, bins: 3)
    static let good = (0..<3).map { FirmwareText.values(frame: $0, zones: 12, bins: 3) }
    static let texts = good.map { Array(FirmwareText.text($0).utf8) }

    enum Damage: CaseIterable {
        case deleted, changed, inserted

        func apply(_ byte: UInt8, at place: Int, to bytes: [UInt8]) -> [UInt8] {
            switch self {
            case .deleted: Array(bytes[..<place] + bytes[(place + 1)...])
            case .changed: bytes[..<place] + [byte] + bytes[(place + 1)...]
            case .inserted: bytes[..<place] + [byte] + bytes[place...]
            }
        }
    }

    /// Bytes that a bent line can show, one of each meaning in the grammar.
    static let bytes: [UInt8] = Array("07- \n\rD.+".utf8) + [0x00, 0x80, 0xff]

    /// The middle one of three frames is damaged. The first comes out untouched, the last too (but for a marker that is lost with it),
    /// and the middle one not at all, unless the text still is a frame: then only the value of one number differs, which nobody can see.
    @Test(arguments: Damage.allCases, [shape, nil])
    func oneByte(damage: Damage, shape: FrameShape?) {
        let middle = Self.texts[1]
        // Frames more in front and behind, so that a learned shape is learned from others than the damaged one and before its marker.
        let (before, after) = (Self.texts[0] + Self.texts[0] + Self.texts[0], Self.texts[2] + Self.texts[2])
        var undetectable = 0
        for place in middle.indices {
            for byte in damage == .deleted ? [0] : Self.bytes where damage != .changed || byte != middle[place] {
                let bent = damage.apply(byte, at: place, to: middle)
                let (events, decoder) = VL53L8CHDecoder.events(of: before + bent + after, shape: shape)
                let frames = events.frames
                #expect(frames.starts(with: [Self.good[0], Self.good[0], Self.good[0]]))
                // The last frame can only be spoiled by what is left of the one before when its own marker is touched: never here.
                #expect(frames.suffix(2) == [Self.good[2], Self.good[2]], "\(damage) \(byte) at \(place)")
                let middles = frames.dropFirst(3).dropLast(2)
                if bentNumber(bent, middle) || cutLastNumber(bent, middle) {
                    undetectable += 1
                    #expect(middles.count == 1 && middles.first != Self.good[1] && events.faults.isEmpty, "\(damage) \(byte) at \(place)")
                } else if middles.isEmpty {
                    #expect(events.faults.count <= 1 && decoder.counters.bytesSkipped > 0)
                } else {
                    // What was added stands between frames, or is the sign of a zero.
                    #expect(Array(middles) == [Self.good[1]], "\(damage) \(byte) at \(place)")
                }
                #expect(accounted(decoder))
            }
        }
        #expect(undetectable > 0)
    }

    /// The undetectable case, exactly: the same lines and tokens, every token still a number, and one of them another number that is
    /// not the row's own. A digit or a sign was lost, changed or added inside it.
    private func bentNumber(_ bent: [UInt8], _ good: [UInt8]) -> Bool {
        let (bentLines, goodLines) = (
            bent.split(separator: 0x0a, omittingEmptySubsequences: false), good.split(separator: 0x0a, omittingEmptySubsequences: false)
        )
        guard bentLines.count == goodLines.count else { return false }
        var differing = 0
        for (bentLine, goodLine) in zip(bentLines, goodLines) {
            let bentTokens = bentLine.split(separator: 0x20, omittingEmptySubsequences: false)
            let goodTokens = goodLine.split(separator: 0x20, omittingEmptySubsequences: false)
            guard bentTokens.count == goodTokens.count else { return false }
            for (place, (bentToken, goodToken)) in zip(bentTokens, goodTokens).enumerated() where bentToken != goodToken {
                guard isNumber(bentToken), goodToken != [UInt8(ascii: "D")] else { return false }
                // Written differently and the same number: `-0`.
                let same = Int64(String(decoding: bentToken, as: UTF8.self)) == Int64(String(decoding: goodToken, as: UTF8.self))
                guard !same, place > 0 else { return false }
                differing += 1
            }
        }
        return differing == 1
    }

    /// The other one: a line feed bent or added into the last number of the last row. The frame is out before what follows can tell.
    private func cutLastNumber(_ bent: [UInt8], _ good: [UInt8]) -> Bool {
        let same = zip(bent, good).prefix { $0 == $1 }.count
        guard same < bent.count, bent[same] == 0x0a, good[same...].allSatisfy({ $0 == 0x0a || (0x30...0x39).contains($0) }) else {
            return false
        }
        return same < good.count - 1 && (0x30...0x39).contains(good[same - 1])
    }

    private func isNumber(_ token: ArraySlice<UInt8>) -> Bool {
        let digits = token.first == UInt8(ascii: "-") ? token.dropFirst() : token
        return !digits.isEmpty && digits.allSatisfy { (0x30...0x39).contains($0) } && (digits.first != 0x30 || digits.count == 1)
    }

    /// Rows missing, swapped or repeated: two instants never make one frame, and the frame behind is whole.
    @Test(arguments: [shape, nil])
    func rowsMissingSwappedRepeated(shape: FrameShape?) {
        let lines = FirmwareText.text(Self.good[1]).split(separator: "\n").map(String.init)
        let (marker, rows) = (lines[0], Array(lines.dropFirst()))
        var damaged: [[String]] = []
        for count in [1, 2, 5, 11] {
            damaged.append(Array(rows.dropFirst(count)))
            damaged.append(Array(rows.dropLast(count)))
            damaged.append(Array(rows[..<((12 - count) / 2)] + rows[((12 - count) / 2 + count)...]))
        }
        for row in 0..<11 {
            var swapped = rows
            swapped.swapAt(row, row + 1)
            damaged.append(swapped)
            damaged.append(Array(rows[...row] + rows[row...]))
        }
        for rows in damaged {
            let bent = Array(([marker] + rows).joined(separator: "\n").utf8) + [0x0a]
            let stream = Self.texts[0] + Self.texts[0] + bent + Self.texts[2] + Self.texts[2]
            let (events, _) = VL53L8CHDecoder.events(of: stream, shape: shape)
            #expect(events.frames == [Self.good[0], Self.good[0], Self.good[2], Self.good[2]])
            #expect(events.faults.count == 1)
        }
    }

    struct BadRow: Sendable {
        let row: String
        let fault: FrameFault
    }

    /// What a row of the wrong kind is called. The expected shape is one zone of three bins.
    @Test(arguments: [
        BadRow(row: "0 1 2 3 4", fault: .rowShape), BadRow(row: "0 1 2 3 4 5 6", fault: .rowShape), BadRow(row: "0 1 2", fault: .rowShape),
        BadRow(row: "0", fault: .rowShape), BadRow(row: "0 1 2 3 4 50 1 2 3 4 5", fault: .rowShape),
        BadRow(row: "1 1 2 3 4 5", fault: .rowOrder), BadRow(row: "-1 1 2 3 4 5", fault: .rowOrder),
        BadRow(row: "0 1 2 3 4 05", fault: .notANumber), BadRow(row: "0 1 2 3 4 -", fault: .notANumber),
        BadRow(row: "0 1 2 3 4 -05", fault: .notANumber), BadRow(row: "0 1 2 3 4 --5", fault: .notANumber),
        BadRow(row: "0 1 2 3 4 +5", fault: .notANumber), BadRow(row: "0 1 2 3 4 5.0", fault: .notANumber),
        BadRow(row: "0 1 2 3  5", fault: .notANumber), BadRow(row: "0 1 2 3 4 5 ", fault: .notANumber),
        BadRow(row: " 0 1 2 3 4 5", fault: .notANumber), BadRow(row: "0\t1 2 3 4 5", fault: .notANumber),
        BadRow(row: "0 1 2 3 4 5\r", fault: .notANumber), BadRow(row: "0 1 2 3 4 0x5", fault: .notANumber),
        BadRow(row: "0 1 2 3 4 5\u{0}", fault: .notANumber), BadRow(row: "0 1 2 3 4 \u{ff}", fault: .notANumber),
        BadRow(row: "0 1 2 3 4 9223372036854775808", fault: .outOfRange),
        BadRow(row: "0 1 2 3 4 -9223372036854775809", fault: .outOfRange),
        BadRow(row: "0 1 2 3 4 99999999999999999999999999", fault: .outOfRange), BadRow(row: "", fault: .notANumber),
        BadRow(row: "hello", fault: .notANumber), BadRow(row: String(repeating: "1 ", count: 4_000), fault: .outOfRange),
    ])
    func namesOfFaults(bad: BadRow) {
        let stream = Array("D\n\(bad.row)\nD\n0 1 2 3 4 5\nD\n".utf8)
        let events = VL53L8CHDecoder.events(of: stream, shape: FrameShape(zones: 1, bins: 3)).events
        #expect(events.faults == [bad.fault])
        #expect(events.frames.map(\.histogram) == [[3, 4, 5]])
    }

    @Test func markerBeforeTheLastRow() {
        let events = VL53L8CHDecoder.events(of: Array("D\n0 1 2 3\nD\n0 1 2 3\n1 1 2 3\n".utf8), shape: FrameShape(zones: 2, bins: 1))
            .events
        #expect(events.faults == [.missingZone])
        #expect(events.frames.count == 1)
    }

    @Test func carriageReturnsAreDamage() {
        let stream = FirmwareText.stream(frames: 0..<3, zones: 12, bins: 3).utf8.flatMap { $0 == 0x0a ? [0x0d, 0x0a] : [$0] }
        let (events, decoder) = VL53L8CHDecoder.events(of: stream, shape: Self.shape)
        #expect(events.isEmpty)
        #expect(decoder.counters.bytesSkipped == stream.count)
    }

    /// Values that the sensor prints, and the ends of what 64 bits hold.
    @Test func numbersAreKept() {
        let row = "0 -12 0 0 -0 -3 65536 10000000 99999999 100000000 -99999999 9223372036854775807 -9223372036854775808"
        let expected: [Int64] = [0, 0, -3, 65_536, 10_000_000, 99_999_999, 100_000_000, -99_999_999, .max, .min]
        // With room behind the row it is read eight bytes at a time where that is possible, without room byte by byte.
        for padding in [0, 400] {
            let stream = Array("D\n\(row)\n".utf8) + Array(repeating: UInt8(ascii: "x"), count: padding)
            let frames = VL53L8CHDecoder.events(of: stream, shape: FrameShape(zones: 1, bins: 10)).events.frames
            #expect(frames.map(\.histogram) == [expected])
            #expect(frames.map(\.ambient) == [[-12]])
        }
    }

    @Test func lastRowWithoutItsLineFeedIsNoRow() {
        let (events, decoder) = VL53L8CHDecoder.events(of: Array(Self.texts[0].dropLast()), shape: Self.shape)
        #expect(events.isEmpty)
        #expect(decoder.counters.bytesSkipped == UInt64(Self.texts[0].count - 1))
    }

    /// A line feed lost in front of a marker costs one frame and not two.
    @Test func fusedMarkerStartsAFrame() {
        let stream = Array((Self.texts[0].dropLast() + Self.texts[1]))
        let (events, decoder) = VL53L8CHDecoder.events(of: stream, shape: Self.shape)
        #expect(events == [.rejected(.notANumber), .frame(Self.good[1])])
        #expect(decoder.bytesInFrames == UInt64(Self.texts[1].count))
    }

    @Test func lostBytesSpoilTheOpenFrameOnly() {
        var decoder = VL53L8CHDecoder(shape: Self.shape)
        var events = decoder.push(Self.texts[0] + Self.texts[1].prefix(90), arrival: at(0))
        decoder.lostBytes { events.append($0) }
        events += decoder.push(Array(Self.texts[1].suffix(90)) + Self.texts[2], arrival: at(0))
        decoder.lostBytes { events.append($0) }
        #expect(events == [.frame(Self.good[0]), .rejected(.transferLost), .frame(Self.good[2])])
    }

    /// A line without an end is counted and forgotten, whoever sends it; what it costs is told while it goes on.
    @Test(arguments: [shape, nil], ["D\n0 ", ""])
    func endlessLine(shape: FrameShape?, start: String) {
        var decoder = VL53L8CHDecoder(shape: shape)
        var events = decoder.push(Array(start.utf8), arrival: at(0))
        let piece = Array(repeating: UInt8(ascii: "7"), count: 1_000)
        for _ in 0..<1_000 { events += decoder.push(piece, arrival: at(0)) }
        #expect(decoder.bytesHeld <= VL53L8CHDecoder.longestLine(bins: FrameTable.mostBins))
        #expect(decoder.counters.bytesSkipped >= 1_000_000)
        #expect(events.faults == (start.isEmpty ? [] : [.outOfRange]))
        events += decoder.push([0x0a] + Self.texts[1] + Self.texts[2] + Array("D\n".utf8), arrival: at(0))
        #expect(events.frames == [Self.good[1], Self.good[2]])
        #expect(events.faults == (start.isEmpty ? [] : [.outOfRange]))
    }
}

extension DecoderDamageTests {
    /// Longer than its bound by one byte, and not a byte less, in whatever pieces it comes.
    @Test(arguments: [1, 7, 10_000])
    func overlongLineIsToldWhereItExceedsItsBound(piece: Int) {
        let bound = VL53L8CHDecoder.longestLine(bins: Self.shape.bins)
        var decoder = VL53L8CHDecoder(shape: Self.shape)
        var events = decoder.push(Array("D\n".utf8), arrival: at(0))
        let line = Array(repeating: UInt8(ascii: "7"), count: bound)
        for start in stride(from: 0, to: bound, by: piece) {
            events += decoder.push(Array(line[start..<min(start + piece, bound)]), arrival: at(0))
        }
        #expect(events.isEmpty)
        events += decoder.push([UInt8(ascii: "7")], arrival: at(0))
        #expect(events == [.rejected(.outOfRange)])
        // Told once, and a restart does not tell it again.
        events += decoder.push(Array("7\n\n\nVL53LMZ CC Hardware Driver\n".utf8), arrival: at(0))
        #expect(events == [.rejected(.outOfRange), .log(.banner("VL53LMZ CC Hardware Driver"))])
    }

    /// Between frames such a line is no frame that was lost: all of it is skipped bytes, and the next frame is whole.
    @Test func overlongLineBetweenFramesIsSkippedBytes() {
        let line = Array(repeating: UInt8(ascii: "7"), count: 5_000) + [0x0a]
        let (events, decoder) = VL53L8CHDecoder.events(of: Self.texts[0] + line + Self.texts[1], shape: Self.shape)
        #expect(events == [.frame(Self.good[0]), .frame(Self.good[1])])
        #expect(decoder.counters.bytesSkipped == 5_001)
    }
}

/// Every byte that came is in a frame, in text, or skipped. Only after `finish`.
func accounted(_ decoder: VL53L8CHDecoder) -> Bool {
    decoder.counters.bytesReceived == decoder.bytesInFrames + decoder.bytesInText + decoder.counters.bytesSkipped
}
