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

    @Test func eachNthFrameIsTheOneBefore() throws {
        let frames = try bench("frozen-frame=3").measured
        #expect(frames.count > 8)
        for index in frames.indices.dropFirst() { #expect((frames[index] == frames[index - 1]) == (index % 3 == 2), "frame \(index)") }
        let frozen = try bench("frozen-frame=1").measured
        #expect(frozen.count > 8 && frozen.allSatisfy { $0 == frozen[0] && $0.zones == 64 }, "even the first has something to show")
    }

    @Test func aFrozenFrameHasTheShapeThatIsConfigured() throws {
        var bench = try bench("frozen-frame=1")
        bench.send(packet())
        bench.expect("Resolution: 16\nSensor configuration applied")
        bench.run(seconds: 1)
        #expect(bench.measured.last?.zones == 16 && bench.measured.last?.bins == 8)
    }

    @Test func thereAreNoDistances() throws {
        let bench = try bench("no-distance")
        #expect(!bench.measured.isEmpty && bench.measured.allSatisfy { $0.distanceMm == Array(repeating: 0, count: 64) })
        #expect(bench.measured.allSatisfy { $0.histogram.contains { $0 > 5_000 } }, "the light is there all the same")
    }

    @Test func distancesScatter() throws {
        func deviation(_ fault: String) throws -> Double {
            let values = try bench(fault, seconds: 20).measured.map { Double($0.distanceMm[0]) }
            let mean = values.reduce(0, +) / Double(values.count)
            return (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)).squareRoot()
        }
        #expect((35...65).contains(try deviation("distance-noise=50")))
        #expect(try deviation("delay=0") < 5)
        #expect(try bench("distance-noise=1000").measured.allSatisfy { $0.distanceMm.allSatisfy { $0 >= 0 } })
    }

    @Test func theLightChangesOnce() throws {
        let frames = try bench("brighter-after=5").measured
        #expect(frames.count > 8)
        for (index, frame) in frames.enumerated() {
            let ambient = Double(frame.ambient.reduce(0, +)) / Double(frame.ambient.count)
            #expect((ambient / 2_400).rounded() == (index < 5 ? 1 : 16), "frame \(index)")
        }
    }

    @Test func strayBytesWaitInTheReceiver() throws {
        var bench = try bench("misaligned=3")
        bench.send(Array(packet().prefix(23)))
        bench.expect("Resolution: 21569", "the bytes of 'AT' are its first word")
    }
}
