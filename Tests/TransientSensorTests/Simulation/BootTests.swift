import Testing

@testable import TransientSensor

private let ready = "VL53LMZ ULD ready! (Version: VL53LMZ_2.0.10)"
private let applied = "Sensor configuration applied and ranging started."

struct BootTests {
    @Test func aBoardSaysWhatItSaysAndStreamsItsDefault() {
        var bench = Bench()
        bench.run(seconds: 4)
        #expect(
            bench.lines.prefix(9) == [
                "", "", "VL53LMZ CC Hardware Driver", "", ready, "Applying sensor configuration...", "Resolution: 64", applied, "D",
            ])
    }

    /// Every byte after the words is a marker or a row: right number, right count, plain decimals, single spaces.
    @Test(arguments: SimulatedScene.all.map(\.name), [UInt64(1), 7])
    func everyLineIsAMarkerOrARow(scene: String, seed: UInt64) throws {
        var bench = Bench(try .named(scene), seed: seed)
        bench.run(seconds: 6)
        var expected = 64
        var rows = 0
        for line in bench.lines.drop(while: { $0 != "D" }) {
            if line == "D" {
                #expect(expected == 64, "a frame ended early")
                expected = 0
                continue
            }
            let tokens = line.split(separator: " ", omittingEmptySubsequences: false)
            #expect(tokens.count == 21)
            #expect(tokens.allSatisfy { token in Int64(token).map { String($0) == token } ?? false }, "\(line)")
            #expect(Int(tokens[0]) == expected)
            #expect(tokens[2].first != "-")
            expected += 1
            rows += 1
        }
        #expect(rows > 64 * 10)
    }

    @Test func onlyALineRateThatIsRightGivesText() {
        for coding in [LineCoding(baud: 9600), LineCoding(baud: 2_250_000, parity: .even)] {
            var right = Bench()
            var wrong = Bench()
            wrong.board.setLineCoding(coding)
            right.run(seconds: 3)
            wrong.run(seconds: 3)
            #expect(wrong.bytes.count == right.bytes.count, "garbage has the length of the text")
            #expect(!wrong.text.contains("VL53"))
            wrong.board.setLineCoding(LineCoding(baud: 2_250_000))
            wrong.expect("\nD\n", "the right rate mends it")
        }
        var stops = Bench()
        stops.board.setLineCoding(LineCoding(baud: 2_250_000), dataBits: 8, stopBits: 2)
        stops.run(seconds: 3)
        #expect(!stops.text.contains("VL53"))
    }

    @Test func aPacketAtAWrongRateArrivesAsGarbage() {
        var bench = Bench()
        bench.run(seconds: 4)
        bench.board.setLineCoding(LineCoding(baud: 9600))
        bench.send(packet())
        bench.run(seconds: 0.5)
        bench.board.setLineCoding(LineCoding(baud: 2_250_000))
        bench.run(seconds: 5)
        #expect(!bench.words.contains("Resolution: 16"))
        #expect(bench.words.contains("Error: process_config failed"))
    }

    @Test(arguments: 1...20)
    func aLateHostMeetsTheMiddleOfAFrame(seed: Int) throws {
        var bench = Bench(seed: UInt64(seed), joining: .midStream)
        bench.run(seconds: 1)
        #expect(bench.words.isEmpty, "no banner: the board was there before")
        #expect(bench.bytes.first != UInt8(ascii: "D"))
        let first = try #require(bench.lines.firstIndex(of: "D"))
        #expect(first <= 64)
        #expect(bench.lines[(first + 1)...].prefix(64).map { $0.split(separator: " ").count } == Array(repeating: 21, count: 64))
    }

    @Test func theBlackButtonStartsTheBoardAgain() {
        var bench = Bench()
        bench.run(seconds: 4)
        bench.send(packet())
        bench.run(seconds: 4)
        bench.send([0x41])
        bench.run(seconds: 0.1)
        bench.bytes = []
        bench.board.reset(atNs: bench.board.clockNs)
        bench.run(seconds: 4)
        #expect(bench.words == ["VL53LMZ CC Hardware Driver", ready, "Applying sensor configuration...", "Resolution: 64", applied])
        bench.send(packet())
        bench.expect("Resolution: 16", "the stray byte went with the reset")
    }

    @Test func theSameSeedGivesTheSameBytesHoweverTimePasses() {
        var coarse = Bench(.hiddenTarget, seed: 5)
        coarse.board.advance(toNs: 6_000_000_000) { coarse.bytes.append(contentsOf: $0) }
        var fine = Bench(.hiddenTarget, seed: 5)
        for time in stride(from: UInt64(0), through: 6_000_000_000, by: 777_777) {
            fine.board.advance(toNs: time) { fine.bytes.append(contentsOf: $0) }
        }
        fine.board.advance(toNs: 6_000_000_000) { fine.bytes.append(contentsOf: $0) }
        #expect(fine.bytes == coarse.bytes)
        var other = Bench(.hiddenTarget, seed: 6)
        other.run(seconds: 6)
        #expect(other.bytes != coarse.bytes)
    }

    /// The table of the hardware reference: zones along a side, bins, milliseconds on the sensor's bus.
    @Test(arguments: [
        (4, 8, 9), (4, 16, 15), (4, 24, 21), (4, 32, 26), (4, 48, 38), (4, 75, 57), (8, 8, 33), (8, 12, 45), (8, 16, 56), (8, 18, 62),
    ])
    func theBusTakesItsTime(side: Int, bins: Int, ms: Int) {
        let board = BoardConfiguration(packet: packet(resolution: side * side, bins: bins, columns: side, rows: side))
        #expect(Int((Double(board.busNs) / 1_000_000).rounded()) == ms)
    }

    /// 2.9 of the hardware reference: the bus and the printing come one after the other and slow a large frame down.
    @Test(arguments: [
        ([UInt8]?.none, 7.0...9.0), (packet(hz: 60), 55...60), (packet(hz: 30), 29...30.1),
        (packet(hz: 30, bins: 75, subsample: 1), 8...10), (packet(resolution: 64, hz: 15, bins: 8, columns: 8, rows: 8), 13...15.1),
    ])
    func theRateIsWhatTheLineCarries(configuration: [UInt8]?, framesPerSecond: ClosedRange<Double>) {
        var bench = Bench()
        bench.run(seconds: 4)
        if let configuration {
            bench.send(configuration)
            bench.run(seconds: 4)
        }
        let before = bench.board.framesPrinted
        bench.run(seconds: 10)
        #expect(framesPerSecond.contains(Double(bench.board.framesPrinted - before) / 10))
    }
}
