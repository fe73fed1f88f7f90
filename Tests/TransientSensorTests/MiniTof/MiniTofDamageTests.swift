import Testing

@testable import TransientSensor

/// Bytes are lost, bent and added: never a wrong frame, every loss has a name, and the next frame is right.
@Suite struct MiniTofDamageTests {
    static let layouts = [
        MiniTofBytes.small, MiniTofLayout(zones: 16, values: 5), MiniTofLayout(zones: 16, values: 6, metadata: .distances),
    ]

    @Test(arguments: layouts, [true, false])
    func everyByteDeleted(layout: MiniTofLayout, isKnown: Bool) {
        damageEachByte(layout, isKnown) { bytes, index in
            bytes.remove(at: index)
        }
    }

    @Test(arguments: layouts, [true, false])
    func aByteInsertedAtEachPlace(layout: MiniTofLayout, isKnown: Bool) {
        for byte in [UInt8(0x00), 0x0a, 0x3f, 0x41, 0xff] {
            damageEachByte(layout, isKnown) { bytes, index in
                bytes.insert(byte, at: index)
            }
        }
    }

    /// Frame 3 of 6 is damaged; by then the layout is known.
    private func damageEachByte(_ layout: MiniTofLayout, _ isKnown: Bool, _ damage: (inout [UInt8], Int) -> Void) {
        let before = MiniTofBytes.stream(0..<3, layout)
        let after = MiniTofBytes.stream(4..<6, layout)
        let others = [0, 1, 2, 4, 5].map { MiniTofBytes.frame($0, layout) }
        let all = (0..<6).map { MiniTofBytes.frame($0, layout) }
        for index in MiniTofBytes.stream(3..<4, layout).indices {
            var bytes = MiniTofBytes.stream(3..<4, layout)
            let whole = bytes
            damage(&bytes, index)
            let (events, decoder) = MiniTofDecoder.events(of: before + bytes + after, isKnown ? layout : nil)
            if events.frames == all {
                // An FF beside a mark, or the loss of one of two equal bytes that stand for each other: nothing is missing.
                #expect(decoder.counters.bytesSkipped > 0 || bytes == whole, "at \(index)")
            } else {
                #expect(events.frames == others, "at \(index)")
                #expect(events.faults.count == 1, "at \(index): \(events.faults)")
            }
        }
    }

    /// A bent number cannot be seen unless it is none; everything else can.
    @Test(arguments: layouts, [true, false])
    func everyByteChanged(layout: MiniTofLayout, isKnown: Bool) {
        let before = MiniTofBytes.stream(0..<3, layout)
        let after = MiniTofBytes.stream(4..<6, layout)
        for index in MiniTofBytes.stream(3..<4, layout).indices {
            for flip in [UInt8(0x01), 0x10, 0x80, 0xff] {
                var bytes = MiniTofBytes.stream(3..<4, layout)
                bytes[index] ^= flip
                let (events, _) = MiniTofDecoder.events(of: before + bytes + after, isKnown ? layout : nil)
                var frames = events.frames
                let others = [0, 1, 2, 4, 5].map { MiniTofBytes.frame($0, layout) }
                if frames.count == 6 {
                    let bent = frames.remove(at: 3)
                    #expect(differences(bent, MiniTofBytes.frame(3, layout)) <= 1, "at \(index)")
                } else {
                    #expect((1...2).contains(events.faults.count), "at \(index): \(events.faults)")
                }
                #expect(frames == others, "at \(index)")
            }
        }
    }

    private func differences(_ one: FirmwareFrame, _ other: FirmwareFrame) -> Int {
        let pairs = [(one.ambient, other.ambient), (one.distanceMm, other.distanceMm), (one.histogram, other.histogram)]
        return pairs.reduce(0) { $0 + zip($1.0, $1.1).count { $0 != $1 } }
    }

    @Test(arguments: [
        (Float.nan, FrameFault.notANumber), (.infinity, .notANumber), (-.infinity, .notANumber), (.leastNonzeroMagnitude, .notANumber),
        (-Float(bitPattern: 0x0000_00ff), .notANumber), (0x1p31, .outOfRange), (-.greatestFiniteMagnitude, .outOfRange),
        (0x1p-41, .outOfRange),
    ])
    func whatIsNoNumberDropsItsFrame(value: Float, fault: FrameFault) {
        let layout = MiniTofLayout(zones: 16, values: 6, metadata: .distances)
        // A record of a zone is seven words with its mark: the number of zone 0, its ambient level, a bin, and two distances.
        for word in [0, 1, 2, 5, 16 * 7, 16 * 7 + 15] {
            var bytes = MiniTofBytes.stream(3..<4, layout)
            bytes.replaceSubrange(4 * word..<4 * word + 4, with: MiniTofBytes.bytes(value))
            let (events, _) = MiniTofDecoder.events(
                of: MiniTofBytes.stream(0..<3, layout) + bytes + MiniTofBytes.stream(4..<6, layout), layout)
            #expect(events.frames == [0, 1, 2, 4, 5].map { MiniTofBytes.frame($0, layout) }, "word \(word)")
            // An FF in front of a zone's number is taken for one too many behind a mark.
            let begins = word == 0 && MiniTofBytes.bytes(value)[0] == 0xff
            #expect(events.faults == [begins ? .malformed : fault], "word \(word)")
        }
    }

    @Test(arguments: [Float(0x1p-40), -0x1p-40, -0.0, 1_073_741_824, -1_073_741_824])
    func theLimitsAreNumbers(value: Float) {
        var bytes = MiniTofBytes.stream(0..<1)
        bytes.replaceSubrange(8..<12, with: MiniTofBytes.bytes(value))
        let frame = MiniTofDecoder.events(of: bytes, MiniTofBytes.small).events.frames.first
        #expect(frame?.histogram[0] == Int64(value * 1_000))
    }

    @Test func theCutIsTowardZero() {
        let bytes = (0..<16).flatMap { MiniTofBytes.record([Float($0), 0.5, 1.9999, -1.9999, 0.0009, -0.0009]) }
        let frame = MiniTofDecoder.events(of: bytes, MiniTofBytes.small).events.frames.first
        #expect(frame?.ambient == Array(repeating: 500, count: 16))
        #expect(frame?.histogram.prefix(4) == [1_999, -1_999, 0, 0])
    }

    /// `FF FF FF FF` across two values, at each of the three offsets: no record ends there.
    @Test(arguments: 1...3, [true, false])
    func aMarkAcrossTwoNumbersIsNone(offset: Int, isKnown: Bool) {
        var bytes = MiniTofBytes.stream(3..<4)
        let zone7 = 7 * 28
        for index in zone7 + 8 + offset..<zone7 + 12 + offset { bytes[index] = 0xff }
        let (events, decoder) = MiniTofDecoder.events(
            of: MiniTofBytes.stream(0..<3) + bytes + MiniTofBytes.stream(4..<6), isKnown ? MiniTofBytes.small : nil)
        #expect(events.frames == [0, 1, 2, 4, 5].map { MiniTofBytes.frame($0) })
        #expect(events.faults.count == 1 && [.notANumber, .outOfRange].contains(events.faults[0]), "\(events.faults)")
        #expect(decoder.counters.bytesSkipped == UInt64(bytes.count))
    }

    /// Bytes are known to be missing: only their frame is lost.
    @Test func lostBytesCostTheirFrame() {
        let stream = MiniTofBytes.stream(0..<4)
        for cut in [1, 27, 28, 100] {
            var decoder = MiniTofDecoder(layout: MiniTofBytes.small)
            var events = decoder.push(Array(stream.prefix(448 + cut)), arrival: at(0))
            decoder.lostBytes { events.append($0) }
            events += decoder.push(Array(stream.dropFirst(448 + cut + 9)), arrival: at(0))
            #expect(events.frames == [0, 2, 3].map { MiniTofBytes.frame($0) }, "\(cut)")
            #expect(events.faults == (cut < 28 ? [] : [.transferLost]), "\(cut)")
            decoder.finish { _ in }
            decoder.expectEveryByteCounted()
        }
    }

    /// Memory stays flat and every byte is counted, whatever comes.
    @Test(arguments: [UInt64(1), 2, 3, 4])
    func nothingComesOfNoise(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var decoder = MiniTofDecoder()
        let held = decoder.bytesHeld
        for round in 0..<400 {
            let bytes: [UInt8] = (0..<997).map { _ in
                let draw = random.next()
                // Marks and line feeds in plenty.
                return draw & 0x30 == 0 ? 0xff : draw & 0xc0 == 0 ? 0x0a : UInt8(truncatingIfNeeded: draw >> 8)
            }
            if round % 50 == 49 { decoder.lostBytes { _ in } }
            #expect(decoder.push(bytes, arrival: at(0)).frames.isEmpty)
        }
        for byte in [UInt8(0xff), 0x00, 0x41] {
            #expect(decoder.push(Array(repeating: byte, count: 100_000), arrival: at(0)).frames.isEmpty)
        }
        decoder.finish { _ in }
        decoder.expectEveryByteCounted()
        #expect(decoder.bytesHeld <= 2 * held)
    }
}
