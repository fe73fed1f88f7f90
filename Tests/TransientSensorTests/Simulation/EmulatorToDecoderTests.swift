import Testing

@testable import TransientSensor

/// The emulated firmware's bytes through the decoder: exactly the numbers that the board meant come out.
struct EmulatorToDecoderTests {
    private func decode(_ bytes: [UInt8], shape: FrameShape?) -> ([FirmwareFrame], VL53L8CHDecoder) {
        var decoder = VL53L8CHDecoder(shape: shape)
        let arrival = Arrival(monotonicNs: 0, unixMs: 0)
        var frames: [FirmwareFrame] = []
        let take = { (event: DecoderEvent) in if case .frame(let frame) = event { frames.append(frame) } }
        decoder.push(bytes, arrival: arrival).forEach(take)
        decoder.finish(take)
        return (frames, decoder)
    }

    @Test(arguments: SimulatedScene.all.map(\.name), [Joining.atReset, .midStream])
    func theDefaultStream(scene: String, joining: Joining) throws {
        var bench = Bench(try .named(scene), seed: 3, joining: joining)
        bench.run(seconds: 6)
        let (frames, decoder) = decode(bench.bytes, shape: nil)
        #expect(bench.board.framesPrinted > 20)
        #expect(frames == Array(bench.measured.prefix(Int(bench.board.framesPrinted))))
        #expect(decoder.counters.rejected.isEmpty)
        #expect(decoder.shape == FrameShape(zones: 64, bins: 18))
    }

    @Test(arguments: SimulatedScene.all.map(\.name))
    func aConfiguredStream(scene: String) throws {
        var bench = Bench(try .named(scene), seed: 4)
        bench.run(seconds: 4)
        bench.send(VL53L8CHConfiguration.reference.packet)
        bench.expect("Resolution: 16\n")
        bench.expect("ranging started.\n")
        let start = bench.bytes.count
        let before = bench.measured.count
        bench.run(seconds: 5)
        let (frames, decoder) = decode(Array(bench.bytes[start...]), shape: VL53L8CHConfiguration.reference.shape)
        #expect(frames.count > 50)
        #expect(frames == Array(bench.measured[before...].prefix(frames.count)))
        #expect(bench.measured.count - before - frames.count <= 1, "but for the one that was being printed")
        #expect(decoder.counters.rejected.isEmpty)
    }

    @Test(.enabled(if: RecordedFrames.folder != nil, Comment(rawValue: RecordedFrames.absence)))
    func realNumbersGoThroughUnchanged() throws {
        for given in [[try RecordedFrames.liveBlock()], try RecordedFrames.nlos()] {
            var bench = Bench(.recorded(given))
            while bench.board.framesPrinted < given.count { bench.run(seconds: 1) }
            let (frames, _) = decode(bench.bytes, shape: nil)
            #expect(Array(frames.prefix(given.count)) == given)
        }
        #expect(try RecordedFrames.nlos().count == 30)
        #expect(try RecordedFrames.nlos().allSatisfy { $0.histogram.contains { $0 > 1000 } })
    }

    /// Everything the board can say beside frames is known to the decoder.
    @Test func everyWordIsUnderstood() throws {
        var bench = Bench(.matteWall, try FaultSwitches(["extract-error=5"]).firmware)
        bench.run(seconds: 4)
        for words in [packet(mode: 9), packet(resolution: 5), packet(bins: 90), packet(columns: 7), packet(integrationMs: 0), packet()] {
            bench.send(words)
            bench.run(seconds: 8)
        }
        var decoder = VL53L8CHDecoder(shape: nil)
        let lines = decoder.push(bench.bytes, arrival: Arrival(monotonicNs: 0, unixMs: 0)).compactMap { event in
            if case .log(let line) = event { line } else { nil }
        }
        #expect(lines.count == bench.words.count)
        #expect(lines.contains(.ready(version: EmulatedVL53L8CH.version)))
        #expect(lines.count { if case .error = $0 { true } else { false } } == bench.words.count { $0.lowercased().hasPrefix("error") })
    }
}
