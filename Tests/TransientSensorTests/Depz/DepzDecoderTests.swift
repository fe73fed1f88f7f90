import Testing

@testable import TransientSensor

@Suite struct DepzDecoderTests {
    /// Every number of both grids, with histograms and without.
    @Test(arguments: [16, 64], [0, 12, 18])
    func numbers(zones: Int, bins: Int) throws {
        var bytes = DepzBytes(isVL53L8CH: bins > 0)
        var decoder = DepzDecoder()
        for index in 0..<3 {
            let events = decoder.events(of: bytes.frame(index, zones: zones, bins: bins))
            let frame = try #require(events.frames.first)
            let numbers = DepzBytes.numbers(index, zones: zones, bins: bins)
            #expect(frame.distanceMm == numbers.distanceMm && frame.ambient == numbers.ambient)
            #expect(frame.histogram == numbers.histogram && frame.bins == bins)
            #expect(frame.temperatureC == -7 && frame.targetStatus == Array(repeating: 5, count: zones))
            #expect(frame.deviceUs == 5_000_000 + UInt64(index) * 66_300)
        }
        #expect(decoder.shape == FrameShape(zones: zones, bins: bins))
        #expect(decoder.counters.framesMissing == 0 && decoder.counters.bytesSkipped == 0)
    }

    /// Below zero is nearer than the sensor can tell; quarters are cut towards minus infinity. A zone without a target has no status.
    @Test func distancesAndStatus() throws {
        var writer = DepzResultWriter(isVL53L8CH: false)
        var numbers = DepzBytes.numbers(0, zones: 16, bins: 0)
        numbers.distanceMm[3] = -8
        var data = writer.bytes(
            numbers, number: 1, temperatureC: 20, status: (0..<16).map { [5, 9, 10, 12, 255][$0 % 5] })
        // The distances' data; its words are turned round.
        let start = try #require(data.indices.dropLast(4).first { data[$0] == 0xdf && data[$0 + 1] == 0x44 }) + 4
        for (zone, quarters) in [(0, Int16(-1)), (1, -4), (2, 7)] {
            let raw = UInt16(bitPattern: quarters)
            data[(start + 2 * zone) ^ 3] = UInt8(raw & 0xff)
            data[(start + 2 * zone + 1) ^ 3] = UInt8(raw >> 8)
        }
        var bytes = DepzBytes(isVL53L8CH: false)
        var decoder = DepzDecoder()
        let frame = try #require(decoder.events(of: bytes.packets(data, deviceUs: 1)).frames.first)
        #expect(Array(frame.distanceMm.prefix(4)) == [-1, -1, 1, -8])
        #expect(frame.targetStatus == (0..<16).map { [5, 9, 10, 12, 255][$0 % 5] })
    }

    /// 16 histograms for 64 zones: which zones each is made of is not in the stream, so that only depth is taken.
    @Test func mergedHistogramsAreLeftAway() throws {
        var data = Self.words(zones: 64)
        let histograms = Self.words(zones: 16, bins: 20)
        // The end of one frame, with the block of the other one in front of it.
        let block = 16 + 16 + 8 + 8 * 4 + 19 * 16 + 144
        data.insert(contentsOf: histograms[block..<histograms.count - 12], at: data.count - 12)
        var bytes = DepzBytes(isVL53L8CH: true)
        var decoder = DepzDecoder()
        let frame = try #require(decoder.events(of: bytes.packets(data, deviceUs: 1)).frames.first)
        #expect(frame.shape == FrameShape(zones: 64, bins: 0) && frame.histogram.isEmpty)
        #expect(decoder.histograms == FrameShape(zones: 16, bins: 20))
    }

    private static func words(zones: Int, bins: Int = 0) -> [UInt8] {
        var writer = DepzResultWriter(isVL53L8CH: true)
        return writer.bytes(DepzBytes.numbers(0, zones: zones, bins: bins), number: 9, temperatureC: 20)
    }

    /// A header that is right says whose payload is damaged. An answer between the chunks of a frame costs itself only.
    @Test func aDamagedAnswerCostsNoFrame() {
        var bytes = DepzBytes(isVL53L8CH: true, protection: .crc16)
        let frame = bytes.frame(0, bins: 12, chunk: 700)
        var answer = DepzPacket.bytes(id: DepzId.status, sequence: 251, protection: .crc16, payload: [DepzId.startStream, 0])
        answer[answer.count - 1] ^= 1
        let chunkPacket = DepzHeader.bytes + DepzAssembly.chunkHeader + 700 + 2
        var decoder = DepzDecoder()
        let events = decoder.events(of: frame[..<chunkPacket] + answer + frame[chunkPacket...])
        #expect(events.count == 1 && events.frames.count == 1)
        #expect(decoder.counters.rejected.isEmpty && decoder.counters.bytesSkipped == UInt64(answer.count))
        decoder.finish()
        #expect(decoder.isAccounted)
    }

    // MARK: Splits

    @Test(arguments: [DepzProtection.none, .crc32]) func everySplitPoint(protection: DepzProtection) {
        var bytes = DepzBytes(isVL53L8CH: true, protection: protection)
        let stream =
            [0x00, 0xa5, 0xff] + bytes.frame(0) + [0xa5] + bytes.frame(1, chunk: 200) + [0xa5, 0xc3, 1, 2, 3] + bytes.frame(2)
        var whole = DepzDecoder()
        let events = whole.events(of: stream)
        #expect(events.frames.count == 3)
        for split in 0...stream.count {
            var decoder = DepzDecoder()
            #expect(decoder.events(of: Array(stream[..<split])) + decoder.events(of: Array(stream[split...])) == events, "\(split)")
            #expect(decoder.counters == whole.counters)
        }
        var decoder = DepzDecoder()
        #expect(stream.flatMap { decoder.events(of: [$0]) } == events)
        decoder.finish()
        #expect(decoder.isAccounted)
    }

    // MARK: Continuity

    @Test func numbersOfTheSensor() {
        var bytes = DepzBytes(isVL53L8CH: false)
        var decoder = DepzDecoder()
        func events(_ index: Int, number: UInt16) -> [DepzEvent] {
            decoder.events(of: bytes.frame(index, number: number)).map { if case .frame = $0 { .frame(Self.any) } else { $0 } }
        }
        #expect(events(0, number: 65_533) == [.frame(Self.any)])
        #expect(events(1, number: 65_534) == [.frame(Self.any)])
        #expect(events(2, number: 65_534) == [.rejected(.repeated)])
        // Over the end of the count.
        #expect(events(3, number: 1) == [.missing(2, onTheWay: false), .frame(Self.any)])
        // Back, and far forward in no time: the sensor has started anew.
        #expect(events(4, number: 0) == [.restarted, .frame(Self.any)])
        #expect(events(5, number: 9_000) == [.restarted, .frame(Self.any)])
        // Far forward in much time: 200 s.
        #expect(events(3_000, number: 12_000) == [.missing(2_999, onTheWay: false), .frame(Self.any)])
        // The board's clock went back.
        #expect(events(6, number: 12_001) == [.restarted, .frame(Self.any)])
        // Packets are missing, too.
        bytes.outgoing.sequence &+= 1
        #expect(events(7, number: 12_003) == [.missing(1, onTheWay: true), .frame(Self.any)])
        #expect(decoder.counters.framesMissing == 3_002 && decoder.counters.rejected == [.repeated: 1])
    }

    /// A frame that came damaged is refused, and not missing as well: taken, refused and missing make what the sensor measured.
    @Test(arguments: [(1, 0), (1, 1), (2, 1), (1, 3)]) func aRejectedFrameIsNotMissing(rejected: Int, missing: Int) {
        var bytes = DepzBytes(isVL53L8CH: false, protection: .crc16)
        var decoder = DepzDecoder()
        #expect(decoder.events(of: bytes.frame(0)).frames.count == 1)
        for index in 1...rejected {
            var damaged = bytes.frame(index)
            damaged[damaged.count - 1] ^= 1
            #expect(decoder.events(of: damaged) == [.rejected(.checksum)])
        }
        let next = 1 + rejected + missing
        let events = decoder.events(of: bytes.frame(next))
        #expect(events.frames.count == 1 && events.missing == UInt64(missing))
        #expect(events.count == (missing == 0 ? 1 : 2))
        let counters = decoder.counters
        #expect(counters.framesDecoded + counters.rejected.values.reduce(0, +) + (counters.framesMissing ?? 0) == UInt64(next + 1))
        // Only once is it taken away; one that is refused after its number was read is not among those that a jump counts.
        #expect(decoder.events(of: bytes.frame(next + 1, zones: 64)) == [.rejected(.rowShape)])
        #expect(decoder.events(of: bytes.frame(next + 1)) == [.rejected(.repeated)])
        #expect(decoder.events(of: bytes.frame(next + 4)).missing == 2)
    }

    private static let any = FirmwareFrame(bins: 0, ambient: [], distanceMm: [], histogram: [], arrival: DepzDecoder.moment)

    /// One frame of another shape is damage; two are another setting.
    @Test func anotherShape() {
        var bytes = DepzBytes(isVL53L8CH: false)
        var decoder = DepzDecoder()
        _ = decoder.events(of: bytes.frame(0))
        #expect(decoder.events(of: bytes.frame(1, zones: 64)) == [.rejected(.rowShape)])
        #expect(decoder.otherShape == nil)
        #expect(decoder.events(of: bytes.frame(2)).frames.count == 1)
        _ = decoder.events(of: bytes.frame(3, zones: 64))
        _ = decoder.events(of: bytes.frame(4, zones: 64))
        #expect(decoder.otherShape == FrameShape(zones: 64, bins: 0))
    }

    // MARK: Hostile bytes

    /// A header is right and promises more than the board can send: nothing is waited for.
    @Test func anEndlessPacketIsNone() {
        var bytes = DepzBytes(isVL53L8CH: false)
        let endless = DepzPacket.bytes(id: DepzId.chunk, sequence: 0, payload: Array(repeating: 0, count: 2_305)).prefix(7)
        var decoder = DepzDecoder()
        #expect(decoder.events(of: endless + bytes.frame(0)).frames.count == 1)
        #expect(decoder.counters.bytesSkipped == 7)
    }

    @Test func chunksThatDoNotFit() {
        var decoder = DepzDecoder()
        func events(size: UInt16, offset: UInt16, bytes count: Int) -> [DepzEvent] {
            let payload = Array(repeating: UInt8(0), count: 8) + DepzSetting.littleEndian(size) + DepzSetting.littleEndian(offset)
            return decoder.events(of: DepzPacket.bytes(id: DepzId.chunk, sequence: 0, payload: payload + Array(repeating: 0, count: count)))
        }
        #expect(events(size: 8_193, offset: 0, bytes: 100) == [.rejected(.malformed)])
        #expect(events(size: 100, offset: 0, bytes: 101) == [.rejected(.malformed)])
        #expect(events(size: 65_535, offset: 65_535, bytes: 2_000) == [.rejected(.malformed)])
        #expect(events(size: 100, offset: 0, bytes: 0) == [.rejected(.malformed)])
        // Nothing has begun.
        #expect(events(size: 100, offset: 50, bytes: 50) == [])
        #expect(events(size: 100, offset: 0, bytes: 40) == [])
        #expect(events(size: 100, offset: 50, bytes: 50) == [.rejected(.missingPart)])
        #expect(events(size: 100, offset: 0, bytes: 40) == [])
        #expect(events(size: 104, offset: 40, bytes: 60) == [.rejected(.missingPart)])
        #expect(events(size: 100, offset: 0, bytes: 40) == [])
        #expect(events(size: 100, offset: 0, bytes: 40) == [.rejected(.missingPart)])
        decoder.finish()
        #expect(decoder.isAccounted)
    }

    /// Every word of a frame with histograms, set to nothing and to everything: a frame or a fault, never a trap.
    @Test func anyWordMayBeWrong() {
        let data = Self.words(zones: 16, bins: 6)
        for place in stride(from: 0, to: data.count, by: 4) {
            for word in [[UInt8](repeating: 0, count: 4), [0xff, 0xff, 0xff, 0xff], [0x7f, 0xff, 0xff, 0xff], [0xc0, 0x48, 0xff, 0xf4]] {
                var bent = data
                bent.replaceSubrange(place..<place + 4, with: word)
                var bytes = DepzBytes(isVL53L8CH: true)
                var decoder = DepzDecoder()
                let events = decoder.events(of: bytes.packets(bent, deviceUs: 1, chunk: 700))
                #expect(events.count == 1)
                #expect(events.frames.allSatisfy { $0.zones == 16 && [0, 6].contains($0.bins) })
            }
        }
    }

    /// Bytes of another firmware make no frame and no answer, and ours none of theirs.
    @Test func otherFirmwares() {
        var text = SimulatedBoard(scene: .matteWall, seed: 1, startNs: 0, joining: .atReset)
        var decoder = DepzDecoder()
        var events = 0
        text.advance(toNs: 10_000_000_000) { bytes in
            decoder.push(bytes, arrival: DepzDecoder.moment) { (_: DepzEvent) -> Void in events += 1 }
        }
        decoder.finish()
        #expect(events == 0 && decoder.counters.bytesReceived > 100_000)
        #expect(decoder.counters.bytesSkipped == decoder.counters.bytesReceived)

        for profile in [SensorProfile.depzVL53L8CH, .depzVL53L8CX] {
            var board = SimulatedBoard(profile, scene: .matteWall, seed: 1, startNs: 0, joining: .midStream)
            var rows = VL53L8CHDecoder(shape: nil)
            var recognizer = FirmwareRecognizer(at: LineCoding(baud: 2_250_000))
            var found = 0
            var heard: SensorProfile?
            board.advance(toNs: 5_000_000_000) { bytes in
                rows.push(bytes, arrival: DepzDecoder.moment) { (_: DecoderEvent) -> Void in found += 1 }
                heard = heard ?? recognizer.hear(bytes)
            }
            #expect(found == 0)
            #expect(heard?.name == profile.name)
        }
    }

    // MARK: Fixed point

    @Test(arguments: [
        (Int32(1_201_668_000), Int8(26), Int64(17_906)), (-43_141_392, 30, -40), (1, 127, 0), (-1, 127, 0), (.max, 31, 999),
        (.min, 31, -1_000),
        (.min, 0, -2_147_483_648_000), (0, -128, 0), (3, -4, 48_000), (-3, -4, -48_000), (1, -53, 9_007_199_254_740_992_000),
    ])
    func thousandths(mantissa: Int32, exponent: Int8, value: Int64) {
        #expect(BinaryFixedPoint(mantissa: mantissa, exponent: exponent).thousandths == value)
    }

    @Test(arguments: [(Int32(1), Int8(-54)), (1, -128), (.min, -23), (.max, -64)]) func overSixtyFourBits(mantissa: Int32, exponent: Int8) {
        #expect(BinaryFixedPoint(mantissa: mantissa, exponent: exponent).thousandths == nil)
    }

    /// What the emulator writes is read as the same number, as far as 31 bits go.
    @Test func thousandthsThereAndBack() {
        for value in Array(Int64(-2_000)...2_000) + [65_535, 70_000, -65_536, 1_000_000, 2_000_000_000, -2_000_000_000] {
            #expect(DepzResultWriter.fixedPoint(thousandths: value).thousandths == value)
        }
    }
}
