import Testing

@testable import TransientSensor

/// A streaming board that is sent something, and what it says from then on.
private func afterSending(
    _ bytes: [UInt8], seconds: Double = 8, _ change: (inout EmulationOptions) -> Void = { _ in }
) -> Bench {
    var bench = Bench(.matteWall, FirmwareFaults(), change)
    bench.run(seconds: 4)
    bench.bytes = []
    bench.send(bytes)
    bench.run(seconds: seconds)
    return bench
}

private func rowLengths(_ bench: Bench) -> Set<Int> {
    let last = bench.lines.lastIndex(of: "D") ?? 0
    let start = bench.lines[..<last].lastIndex(of: "D") ?? 0
    return Set(bench.lines[(start + 1)..<last].map { $0.split(separator: " ").count })
}

/// Rows of the last whole frame.
private func rows(_ bench: Bench) -> [[Int]] {
    let frames = bench.lines.split(separator: "D", omittingEmptySubsequences: false)
    return frames.dropLast().last?.map { $0.split(separator: " ").compactMap { Int($0) } } ?? []
}

struct PacketTests {
    @Test func aPacketTakesEffectAndIsAnnounced() {
        let bench = afterSending(packet())
        #expect(
            bench.words == [
                "Applying sensor configuration...", "Resolution: 16", "Sensor configuration applied and ranging started.",
            ])
        #expect(rows(bench).count == 16)
        #expect(rowLengths(bench) == [11])
    }

    @Test func thePiecesOfAPacketMayComeAnyTimeApart() {
        var bench = Bench()
        bench.run(seconds: 4)
        for byte in packet() {
            bench.send([byte])
            bench.run(seconds: 0.7)
        }
        bench.expect("Resolution: 16")
    }

    @Test(arguments: [
        (packet(resolution: 32), "vl53lmz_set_resolution failed : 127"),
        (packet(resolution: 0), "vl53lmz_set_resolution failed : 127"),
        (packet(mode: 0), "vl53lmz_set_ranging_mode failed : 127"),
        (packet(mode: 2), "vl53lmz_set_ranging_mode failed : 127"),
        (packet(integrationMs: 1), "vl53lmz_set_integration_time_ms failed : 127"),
        (packet(integrationMs: 1001), "vl53lmz_set_integration_time_ms failed : 127"),
        (packet(columns: 5), "vl53lmz_cnh_create_agg_map failed : 127"),
        (packet(from: (1, 0)), "vl53lmz_cnh_create_agg_map failed : 127"),
        (packet(merge: (1, 2)), "vl53lmz_cnh_create_agg_map failed : 127"),
        (packet(columns: 0), "vl53lmz_cnh_calc_required_memory : 127"),
        (packet(bins: 76), "vl53lmz_cnh_calc_required_memory : 127"),
        (packet(resolution: 64, bins: 19, columns: 8, rows: 8), "vl53lmz_cnh_calc_required_memory : 127"),
        (packet(resolution: 64, bins: 38, columns: 8, rows: 4), "vl53lmz_cnh_calc_required_memory : 127"),
    ])
    func whatCannotBeIsRefusedAndTheDefaultComesBack(bytes: [UInt8], reason: String) {
        let bench = afterSending(bytes)
        let resolution = Int(bytes[0]) | Int(bytes[1]) << 8
        #expect(bench.words.count == 8)
        #expect(bench.words.prefix(2) == ["Applying sensor configuration...", "Resolution: \(resolution)"])
        #expect(bench.words[2].hasPrefix("ERROR at process_config(") && bench.words[2].hasSuffix(") : " + reason), "\(bench.words[2])")
        #expect(
            bench.words[3...] == [
                "Error: process_config failed", "VL53LMZ ULD ready! (Version: VL53LMZ_2.0.10)", "Applying sensor configuration...",
                "Resolution: 64", "Sensor configuration applied and ranging started.",
            ])
        #expect(rows(bench).count == 64)
        #expect(rowLengths(bench) == [21])
    }

    @Test(arguments: [
        (packet(mode: 3), 16, 11), (packet(integrationMs: 2), 16, 11), (packet(integrationMs: 1000), 16, 11),
        (packet(bins: 75, subsample: 1), 16, 78), (packet(resolution: 64, columns: 8, rows: 8), 64, 11),
        (packet(resolution: 64, bins: 37, subsample: 1, columns: 8, rows: 4), 32, 40),
        (packet(columns: 1, rows: 1), 1, 11), (packet(columns: 2, rows: 3), 6, 11),
        // Cut to eight bits, as the firmware does.
        (packet(hz: 256 + 30, bins: 256 + 9, subsample: 256 + 2), 16, 12),
    ])
    func whatTheFirmwareTakesHasItsShape(bytes: [UInt8], zones: Int, tokens: Int) {
        let bench = afterSending(bytes)
        #expect(!bench.text.contains("rror"))
        #expect(rows(bench).count == zones)
        #expect(rowLengths(bench) == [tokens])
    }

    @Test func aMergeOfNothingGivesRowsThatMeanNothing() {
        let bench = afterSending(packet(merge: (0, 0)))
        #expect(rows(bench).count == 16)
        #expect(rows(bench).allSatisfy { $0[3...].allSatisfy { $0 == 0 } })
    }

    /// The row's number picks the distance from the sensor's own zones, so that merged rows have a neighbour's distance.
    @Test func mergedRowsHaveTheDistanceOfTheZoneWithTheirNumber() {
        var wall = Wall()
        wall.slopeY = 0.8
        var bench = Bench(SimulatedScene(name: "steep", content: .wall(wall)))
        bench.run(seconds: 4)
        bench.send(packet(resolution: 64, merge: (4, 4), columns: 2, rows: 2))
        bench.run(seconds: 5)
        let distances = rows(bench).map { $0[2] }
        #expect(distances.count == 4)
        // All four from the top row of the grid, where the wall is nearest; the lower half is further by hundreds of millimetres.
        #expect(distances.allSatisfy { abs($0 - distances[0]) < 60 })
    }

    @Test(arguments: [(EmulationOptions.ExcessRate.clamped, true), (.stopsFrames, false)])
    func aRateThatIsTooHighIsClampedOrStopsTheFrames(excess: EmulationOptions.ExcessRate, streams: Bool) {
        var bench = afterSending(packet(resolution: 64, hz: 30, columns: 8, rows: 8)) { $0.excessRate = excess }
        let applied = bench.lines.lastIndex(of: "Sensor configuration applied and ranging started.") ?? 0
        #expect(bench.lines[applied...].contains("D") == streams)
        bench.send(packet())
        bench.expect("Resolution: 16", "a board that sends no frames still takes a packet")
    }

    @Test(arguments: [0, 1])
    func belowTwoHertzNothingStreams(hz: Int) {
        let bench = afterSending(packet(hz: hz))
        #expect(bench.lines.last == "Sensor configuration applied and ranging started.")
    }

    @Test(arguments: [EmulationOptions.FrameStop.afterFrame, .afterRow], 0...7)
    func aFrameEndsAtARowWhenAPacketIsComplete(stop: EmulationOptions.FrameStop, delay: Int) throws {
        var bench = Bench { options in
            options.frameStop = stop
            options.burstBytes = 37
        }
        bench.run(seconds: 4)
        bench.expect("D\n")
        bench.run(seconds: Double(delay) * 0.004)
        bench.send(packet())
        bench.expect("Resolution: 16\n")
        let applying = try #require(bench.lines.lastIndex(of: "Applying sensor configuration..."))
        let marker = try #require(bench.lines[..<applying].lastIndex(of: "D"))
        let last = bench.lines[(marker + 1)..<applying]
        #expect(last.allSatisfy { $0.split(separator: " ").count == 21 }, "never inside a row")
        #expect(last.last.map { $0.hasPrefix("\(last.count - 1) ") } == true)
        #expect(stop == .afterFrame ? last.count == 64 : last.count < 64)
    }

    @Test func onlyOnePacketIsHeldWhileOneIsApplied() {
        var bench = Bench()
        bench.run(seconds: 4)
        bench.send(packet(bins: 8))
        bench.run(seconds: 1)
        bench.send(packet(bins: 9))
        bench.send(packet(bins: 10))
        bench.run(seconds: 10)
        #expect(bench.words.filter { $0 == "Resolution: 16" }.count == 2)
        #expect(rowLengths(bench) == [12], "the first of the two; the second was lost whole")
        #expect(bench.board.bytesOverrun == 26)
    }

    @Test func aPacketThatEndsInThePauseIsThrownAwayAndAPartialOneStays() {
        var bench = Bench()
        bench.run(seconds: 4)
        bench.send(packet(mode: 7))
        bench.expect("process_config failed")
        bench.send(packet(bins: 9) + packet(bins: 10).prefix(10))
        bench.expect("ranging started")
        bench.send(Array(packet(bins: 10).dropFirst(10)))
        bench.run(seconds: 6)
        #expect(bench.words.filter { $0 == "Resolution: 16" }.count == 2, "the refused one and the one in two parts")
        #expect(rowLengths(bench) == [13])
    }

    /// Any 26 bytes are answered: by frames, by an error, or (a rate that gives none) by waiting for the next packet.
    @Test func noPacketStopsTheBoard() {
        var random = SeededGenerator(seed: 9)
        var bench = Bench()
        var accepted = 0
        for _ in 0..<40 {
            let small = random.happens(0.8)
            let words = (0..<13).map { index -> Int in
                if index == 0 && small { return [16, 64].randomElement(using: &random)! }
                if index == 1 && small { return [1, 3].randomElement(using: &random)! }
                return Int.random(in: 0...(small ? index < 7 ? 40 : 3 : 65_535), using: &random)
            }
            bench.bytes = []
            bench.send(words.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] })
            bench.expect("Resolution: \(words[0])\n")
            bench.run(seconds: 1.2)
            if bench.words.contains("Error: process_config failed") { bench.expect("ranging started") } else { accepted += 1 }
        }
        #expect((3...37).contains(accepted))
    }

    @Test func aHostThatFloodsAStoppedBoardLosesItsBytes() {
        var bench = Bench()
        for _ in 0..<100 { bench.send(Array(repeating: 0, count: 1000)) }
        #expect(bench.board.bytesOverrun == 100_000 - 4096)
    }
}

struct MisalignmentTests {
    @Test(arguments: [1, 2, 7, 13, 25])
    func strayBytesShiftEveryLaterPacket(stray: Int) {
        var faults = FirmwareFaults()
        faults.strayBytes = stray
        var bench = Bench(.matteWall, faults, joining: .midStream)
        for _ in 0..<3 {
            bench.send(packet())
            bench.run(seconds: 8)
        }
        #expect(!bench.words.contains("Resolution: 16"), "\(stray)")
        #expect(bench.words.contains("Error: process_config failed"))
    }

    /// One zero at a time, and the next only when frames are seen to go on: the packet that completes ends in zeros and is refused,
    /// and the receiver is empty.
    @Test(arguments: [0, 1, 2, 13, 24, 25])
    func singleZerosRealignIt(stray: Int) {
        var faults = FirmwareFaults()
        faults.strayBytes = stray
        var bench = Bench(.matteWall, faults, joining: .midStream)
        var streams = true
        while streams {
            bench.send([0])
            bench.run(seconds: 0.2)
            let before = bench.bytes.count
            bench.run(seconds: 0.2)
            streams = bench.bytes.count > before
        }
        bench.expect("ULD ready!")
        bench.expect("\nD\n")
        bench.send(packet())
        bench.expect("Resolution: 16")
        bench.expect("ranging started")
    }

    /// From the last frame to the first word the board loads its sensor for 1.2 s, and zeros sent then shift it anew.
    @Test func zerosSentUntilTheFirstWordAreTooMany() {
        var bench = Bench(joining: .midStream)
        var zeros = 0
        while !bench.text.contains("Applying") {
            bench.send([0])
            zeros += 1
            bench.run(seconds: 0.06)
        }
        #expect((27..<52).contains(zeros))
        bench.expect("ranging started")
        bench.send(packet())
        bench.run(seconds: 5)
        #expect(!bench.words.contains("Resolution: 16"))
    }
}
