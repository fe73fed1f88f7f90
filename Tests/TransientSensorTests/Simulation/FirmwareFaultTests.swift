import Testing

@testable import TransientSensor

private let ready = "VL53LMZ ULD ready! (Version: VL53LMZ_2.0.10)"

private func bench(_ fault: String, joining: Joining = .atReset, seconds: Double = 8) throws -> Bench {
    var bench = Bench(.matteWall, try FaultSwitches([fault]).firmware, joining: joining)
    bench.run(seconds: seconds)
    return bench
}

struct FirmwareFaultTests {
    @Test func theFirstByteComesLate() throws {
        #expect(try bench("delay=2.5", seconds: 2.4).bytes.isEmpty)
        #expect(try bench("delay=2.5", seconds: 2.6).text.contains("CC Hardware Driver"))
        #expect(try bench("delay=2.5", joining: .midStream, seconds: 2.4).bytes.isEmpty)
        #expect(try bench("delay=2.5", joining: .midStream, seconds: 2.7).text.contains("\nD\n") == true)
    }

    @Test func aWrongSensorIsSilentAfterTheReadyLine() throws {
        var bench = try bench("wrong-sensor")
        #expect(bench.words == ["VL53LMZ CC Hardware Driver", ready])
        #expect(bench.board.nextEventNs == nil)
        bench.send(packet())
        bench.run(seconds: 10)
        #expect(bench.words.count == 2)
    }

    @Test(arguments: [
        ("not-detected", "VL53LMZ not detected at requested address"), ("loading-failed", "VL53LMZ ULD Loading failed"),
    ])
    func aSensorThatCannotBeUsedIsReportedAgainAndAgain(fault: String, line: String) throws {
        let words = try bench(fault, joining: .midStream, seconds: 12).words
        #expect(words.prefix(4) == ["VL53LMZ CC Hardware Driver", ready, line, "Error: process_config failed"])
        #expect(words.dropFirst(4).prefix(3) == [ready, line, "Error: process_config failed"])
        #expect(!words.contains("Applying sensor configuration..."))
    }

    @Test func aRefusalHasItsStatus() throws {
        var bench = try bench("refuse=66")
        bench.send(packet())
        bench.expect("vl53lmz_cnh_send_config failed : 66\nError: process_config failed\n")
        bench.expect("Resolution: 64\nSensor configuration applied", "the default is not refused")
    }

    @Test func nothingComesAfterTheFramesThatWereAsked() throws {
        var bench = try bench("silence-after=3")
        #expect(bench.lines.count { $0 == "D" } == 3)
        #expect(bench.lines.last?.hasPrefix("63 ") == true)
        #expect(bench.board.nextEventNs == nil)
        bench.send(packet())
        bench.run(seconds: 10)
        #expect(bench.lines.count { $0 == "D" } == 3)
    }

    @Test func theBoardRestartsInsideARow() throws {
        let bench = try bench("reset-after=4", seconds: 12)
        let lines = bench.lines
        let banners = lines.indices.filter { lines[$0] == "VL53LMZ CC Hardware Driver" }
        #expect(banners.count >= 3)
        let between = lines[banners[0]..<banners[1]]
        #expect(between.count { $0 == "D" } == 5, "four whole frames and a torn one")
        #expect(between.last == "", "the banner's first line feed ends the torn row")
        let torn = try #require(between.last { !$0.isEmpty })
        var meant: [UInt8] = []
        FrameNumbers(bench.measured[4]).print(to: &meant)
        let rows = String(decoding: meant, as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(rows.contains { $0.hasPrefix(torn) } && !rows.contains(torn))
    }

    @Test func eachNthFrameIsAnErrorLine() throws {
        let lines = try bench("extract-error=3", seconds: 6).lines.drop { $0 != "D" }
        let events = lines.filter { $0 == "D" || $0.hasPrefix("Error") }
        #expect(events.count > 8)
        for (index, event) in events.enumerated() {
            #expect(event == (index % 3 == 2 ? "Error: vl53lmz_results_extract_block failed: 2" : "D"))
        }
    }

    @Test func eachNthFrameHasABinThatNoU16Holds() throws {
        let frames = try bench("overflow-bin=2").measured
        #expect(frames.count > 6)
        for (index, frame) in frames.enumerated() {
            #expect(frame.histogram.count { $0 > 65_535 } == (index % 2 == 1 ? 1 : 0))
        }
        #expect(try bench("overflow-bin").text.contains(" 70000"))
    }

    @Test func everyBinIsAMultiple() throws {
        let frames = try bench("histogram-step=1000").measured
        #expect(frames.allSatisfy { $0.histogram.allSatisfy { $0 % 1000 == 0 } })
        #expect(frames.contains { $0.histogram.contains { $0 >= 2000 } })
        #expect(try bench("delay=0").measured.contains { $0.histogram.contains { $0 % 1000 != 0 } })
    }

    @Test func strayBytesWaitInTheReceiver() throws {
        var bench = try bench("misaligned=3")
        bench.send(Array(packet().prefix(23)))
        bench.expect("Resolution: 21569", "the bytes of 'AT' are its first word")
    }
}
