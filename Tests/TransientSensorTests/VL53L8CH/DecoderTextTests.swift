import Testing

@testable import TransientSensor

/// The firmware's words, and shapes that change.
@Suite struct DecoderTextTests {
    static let shape = FrameShape(zones: 16, bins: 8)
    static let frames = (0..<5).map { FirmwareText.values(frame: $0, zones: 16, bins: 8) }
    static let texts = frames.map(FirmwareText.text)

    static let notFatal = [
        "ERROR at process_config(271) : vl53lmz_set_resolution failed : 127",
        "ERROR at process_config(277) : vl53lmz_set_ranging_mode failed : 127",
        "ERROR at process_config(283) : vl53lmz_set_ranging_frequency_hz failed : 127",
        "ERROR at process_config(289) : vl53lmz_set_integration_time_ms failed : 127",
        "ERROR at process_config(301) : vl53lmz_cnh_init_config failed : 127",
        "ERROR at process_config(310) : vl53lmz_cnh_create_agg_map failed : 127",
        "ERROR at process_config(318) : vl53lmz_cnh_calc_required_memory : 127",
        "ERROR at process_config(326) : vl53lmz_cnh_send_config failed : 255",
        "ERROR at process_config(340) : vl53lmz_add_output_block failed : 66",
        "Error: Creating output config failed: 127", "Error: Starting ranging failed: 66", "Error: process_config failed",
        "Error: vl53lmz_results_extract_block failed: 2", "Error: something that nobody has seen yet", "ERROR",
    ]
    static let lines: [(String, FirmwareLine)] =
        [
            ("VL53LMZ CC Hardware Driver", .banner("VL53LMZ CC Hardware Driver")),
            ("VL53LMZ ULD ready! (Version: VL53LMZ_2.0.10)", .ready(version: "VL53LMZ_2.0.10")),
            ("VL53LMZ ULD ready! (Version: \u{1b}[2J)", .ready(version: "\\x1b[2J")),
            ("Applying sensor configuration...", .applying), ("Resolution: 16", .resolution(16)), ("Resolution: 64", .resolution(64)),
            ("Sensor configuration applied and ranging started.", .applied),
            (
                "VL53LMZ not detected at requested address", .error("VL53LMZ not detected at requested address", fatal: true)
            ), ("VL53LMZ ULD Loading failed", .error("VL53LMZ ULD Loading failed", fatal: true)),
            ("Error: \u{7}", .error("Error: \\x07", fatal: false)),
        ] + notFatal.map { ($0, .error($0, fatal: false)) }

    @Test(arguments: lines.indices)
    func knownLine(index: Int) {
        let (text, line) = Self.lines[index]
        // Between frames it is an event and no damage.
        let between = VL53L8CHDecoder.events(of: Array((Self.texts[0] + text + "\n" + Self.texts[1] + "D\n").utf8), shape: Self.shape)
        #expect(between.events == [.frame(Self.frames[0]), .log(line), .frame(Self.frames[1])])
        #expect(between.decoder.bytesInText == UInt64(text.utf8.count + 1))
        // In a frame it ends it, at a row's end, at a row's beginning and in the middle of one, with the empty lines of a restart before it.
        let cut = Self.texts[1].prefix { $0 != "\n" } + "\n"
        for piece in [cut, cut + Self.texts[1].dropFirst(2).prefix(25) + "\n", cut + "0 1 2 3\n\n"] {
            let inside = VL53L8CHDecoder.events(of: Array((piece + text + "\n" + Self.texts[2]).utf8), shape: Self.shape)
            #expect(inside.events == [.rejected(.damagedByReset), .log(line), .frame(Self.frames[2])], "\(piece)")
        }
    }

    @Test(arguments: [
        "Resolution: ", "Resolution: 016", "Resolution: 16 ", "Resolution: x", "Resolution: 1234567", "VL53LMZ ULD ready!",
        "VL53LMZ ULD ready! (Version: )", "VL53LMZ ULD ready! (Version: 1", "VL53LMZ CC Hardware Drive", "applying sensor configuration...",
        "E",
        "error: small", "Sensor configuration applied and ranging started", "0 1 2", "\u{0}",
    ])
    func unknownLineIsSkipped(text: String) {
        let (events, decoder) = VL53L8CHDecoder.events(of: Array((Self.texts[0] + text + "\n" + Self.texts[1]).utf8), shape: Self.shape)
        #expect(events == [.frame(Self.frames[0]), .frame(Self.frames[1])])
        #expect(decoder.counters.bytesSkipped == UInt64(text.utf8.count + 1))
    }

    /// A board that starts while it is listened to: 64 x 18 before, then 16 x 8.
    @Test func learnedShapeStays() {
        let other = FirmwareText.stream(frames: 0..<3, zones: 64, bins: 9)
        var decoder = VL53L8CHDecoder(shape: nil)
        var events = decoder.push(Array((Self.texts[0] + Self.texts[1] + Self.texts[2]).utf8), arrival: at(0))
        #expect(decoder.shape == Self.shape && decoder.otherShape == nil)
        events = decoder.push(Array(other.utf8), arrival: at(0))
        #expect(events.frames.isEmpty && events.faults == [.rowShape, .rowShape, .rowShape])
        #expect(decoder.otherShape == FrameShape(zones: 64, bins: 9))
        events = decoder.push(Array(Self.texts[3].utf8), arrival: at(0))
        #expect(events.frames == [Self.frames[3]] && decoder.otherShape == nil)
    }

    /// Fewer rows of the same width, and more: one piece of another frame can pass before the first row too many, never a second one.
    @Test(arguments: [4, 15, 17, 64])
    func otherNumberOfRows(zones: Int) {
        let (events, decoder) = VL53L8CHDecoder.events(
            of: Array(FirmwareText.stream(frames: 0..<6, zones: zones, bins: 8).utf8), shape: Self.shape)
        #expect(events.frames.count == (zones > 16 ? 1 : 0))
        #expect(decoder.otherShape == FrameShape(zones: zones, bins: 8))
        #expect(accounted(decoder))
    }

    /// After a restart nothing passes of a shape that begins like the known one.
    @Test func restartMakesCautious() {
        let restart = FirmwareText.banner + FirmwareText.ready + FirmwareText.applied(zones: 64)
        let stream = Self.texts[0] + restart + FirmwareText.stream(frames: 0..<3, zones: 64, bins: 8)
        let (events, decoder) = VL53L8CHDecoder.events(of: Array(stream.utf8), shape: Self.shape)
        #expect(events.frames == [Self.frames[0]])
        #expect(decoder.otherShape == FrameShape(zones: 64, bins: 8))
        // The same shape again costs nothing but the wait for the next marker.
        let same = VL53L8CHDecoder.events(of: Array((Self.texts[0] + restart + Self.texts[1] + Self.texts[2]).utf8), shape: Self.shape)
        #expect(same.events.frames == Array(Self.frames[..<3]) && same.events.faults.isEmpty)
    }

    @Test func twoUnequalFramesTeachNothing() {
        let stream = FirmwareText.stream(frames: 0..<1, zones: 16, bins: 8) + FirmwareText.stream(frames: 1..<2, zones: 4, bins: 8)
        let (events, decoder) = VL53L8CHDecoder.events(of: Array((stream + "D\n").utf8), shape: nil)
        #expect(events.frames.isEmpty && events.faults.count == 1 && decoder.shape == nil)
        #expect(accounted(decoder))
    }

    /// Whatever comes, in whatever pieces: every byte is accounted for, and the pieces make no difference.
    @Test(arguments: 0..<60)
    func anyBytes(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var pieces = [
            "D\n", "D", "\n", "\r\n", "0 1 2 3 4\n", "1 1 2 3 4\n", "2 -1 0 -0 4\n", "0 1 2 3 4 5\n", "junk", "\u{0}\n",
            "0 1 2 3 99999999999999999999\n",
            "Error: x\n", "Applying sensor configuration...\n", String(repeating: "8", count: 300), FirmwareText.banner, FirmwareText.ready,
        ]
        let whole = "D\n0 1 2 3 4\n1 1 2 3 4\n2 1 2 3 4\n"
        pieces += [whole, whole + whole, whole + whole + whole, "D\n0 1 2 3 4\n1 1 2 3 4\n", "D\n0 1 2 3 4 5\n1 1 2 3 4 5\n"]
        let bytes = Array((0..<200).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }.joined().utf8)
        for shape in [nil, FrameShape(zones: 3, bins: 2)] {
            let (expected, whole) = VL53L8CHDecoder.events(of: bytes, shape: shape)
            #expect(accounted(whole))
            #expect(expected.frames.count == Int(whole.counters.framesDecoded))
            #expect(expected.faults.count == Int(whole.counters.rejected.values.reduce(0, +)))
            var cuts: [Int] = []
            while let next = Optional((cuts.last ?? 0) + Int(random.next() % 90)), next < bytes.count { cuts.append(next) }
            let (events, split) = VL53L8CHDecoder.events(of: bytes, shape: shape, cuts: cuts)
            #expect(events == expected)
            #expect(split.counters == whole.counters)
            #expect(split.otherShape == whole.otherShape)
        }
    }
}
