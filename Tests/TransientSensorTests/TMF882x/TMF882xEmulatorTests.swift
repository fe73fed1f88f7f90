import Testing

@testable import TransientSensor

struct TMF882xEmulatorTests {
    /// The rise of DTR: the boot loader is silent for 1.5 s and swallows what is sent, then help and the state.
    @Test func dtrResetsAnUno() {
        var bench = TMF882xBench(joining: .midStream)
        bench.board.setDTR(false, atNs: 0)
        bench.run(seconds: 2)
        #expect(bench.lines.contains { $0.hasPrefix("#Raw") })
        bench.forget()
        let risen = bench.board.clockNs
        bench.board.setDTR(true, atNs: risen)
        bench.board.receive(Array("em".utf8), atNs: risen + 500_000_000)
        bench.run(seconds: 4)
        #expect(bench.times.first.map { $0 >= risen + 1_500_000_000 } == true)
        #expect(bench.words == ["TMF8828 on an Arduino: commands", "TMF8828 state=disabled"])
        #expect((900...1_500).contains(bench.bytes.count))
        // No second rise without a fall.
        bench.board.setDTR(true, atNs: bench.board.clockNs)
        bench.forget()
        bench.run(seconds: 4)
        #expect(bench.bytes.isEmpty)
    }

    @Test func aBoardWithUSBOfItsOwnIsNotHeardBeforeDTR() {
        var bench = TMF882xBench(.miniTof) { $0.tmf882x.board = .nativeUSB }
        bench.run(seconds: 10)
        #expect(bench.bytes.isEmpty && bench.board.framesPrinted > 0)
        bench.board.setDTR(true, atNs: bench.board.clockNs)
        bench.run(seconds: 2)
        #expect(!bench.objects.isEmpty && bench.words.isEmpty)
    }

    /// One state line for each command, and none for what is no command.
    @Test func everyCommandHasItsStateLine() {
        var bench = TMF882xBench()
        bench.run(seconds: 4)
        for (command, state) in [
            ("h", "TMF8828 state=disabled"), ("m", "TMF8828 state=disabled"), ("E", "TMF882x state=stopped"),
            ("p", "TMF882x state=standby"), ("m", "TMF882x state=standby"), ("w", "TMF882x state=stopped"), ("c", "TMF882x state=stopped"),
            ("z", "TMF882x state=stopped"), ("o", "TMF8828 state=stopped"), ("m", "TMF8828 state=measure"), ("s", "TMF8828 state=stopped"),
            ("k", "TMF8828 state=stopped"), ("#", "TMF8828 state=disabled"), ("e", "TMF8828 state=stopped"),
            ("d", "TMF8828 state=disabled"),
        ] {
            bench.forget()
            bench.type(command)
            #expect(bench.words.filter { $0.contains("state=") } == [state], "\(command)")
        }
        bench.forget()
        bench.type(" \n\r\u{7e}\u{7f}")
        #expect(bench.bytes.isEmpty)
    }

    @Test func loadingSetsEverythingBack() {
        var bench = TMF882xBench()
        bench.run(seconds: 4)
        bench.type("E")
        #expect(bench.words.suffix(6).contains(" DWNL") && bench.words.contains("#Err,mode switch to,1"))
        #expect(bench.words.contains("#Conf,Period=33ms,KIter=537 SPAD=1 Pers=0"))
        bench.forget()
        bench.type("czz")
        #expect(bench.words.filter { $0.hasPrefix("Histogram") } == ["Histogram is 1", "Histogram is 2"])
        #expect(bench.words.contains("#Conf,Period=500ms,KIter=550 SPAD=2 Pers=0"))
        bench.forget()
        bench.type("de")
        #expect(bench.words.contains("#Conf,Period=132ms,KIter=250 SPAD=15 Pers=0") && bench.words.last == "TMF8828 state=stopped")
        bench.forget()
        bench.type("z")
        #expect(bench.words.first == "Histogram is 1")
    }

    /// Two rows are in its table; what lies behind them is no setting, and nothing is measured.
    @Test func theThirdConfigurationOfCCHardwareIsNone() {
        var bench = TMF882xBench(.ccHardware)
        bench.run(seconds: 4)
        bench.type("oEcc")
        let settings = bench.words.filter { $0.hasPrefix("#Conf") }
        #expect(settings.prefix(2) == ["#Conf,Period=16ms,KIter=10000 SPAD=6 Pers=0", "#Conf,Period=8ms,KIter=2500 SPAD=7 Pers=0"])
        #expect(settings.count == 3 && TMF882xText.parse(line: settings[2]).flatMap(Self.side) == nil)
        bench.forget()
        bench.type("zm")
        #expect(bench.objects.isEmpty && bench.words.contains("#Err,inter,0,but no data"))
    }

    private static func side(_ text: TMF882xText) -> Int? {
        if case .configuration(let configuration) = text { configuration.map.side } else { nil }
    }

    /// A tenth of the baud rate in bytes, and not more.
    @Test(arguments: [(TMF882xFirmware.ams, 11_520), (.ccHardware, 200_000), (.miniTof, 100_000)])
    func theLineIsNoFaster(firmware: TMF882xFirmware, bytesPerSecond: Int) {
        var bench = TMF882xBench(firmware, joining: .midStream) { $0.tmf882x.sensorWaits = false }
        bench.run(seconds: 20)
        #expect(bench.bytes.count <= 20 * bytesPerSecond + 512)
        #expect(bench.bytes.count > bytesPerSecond)
    }

    /// A sensor that does not wait goes on while its results are printed; their numbers jump.
    @Test func resultsThatNobodyFetchesAreSkipped() {
        var behind = TMF882xBench(joining: .midStream) { $0.tmf882x.sensorWaits = false }
        behind.run(seconds: 10)
        var waited = TMF882xBench(joining: .midStream)
        waited.run(seconds: 10)
        let steps = { (bench: TMF882xBench) in
            zip(bench.objects.dropFirst(), bench.objects).map { ($0[1] - $1[1] + 256) % 256 }
        }
        // 9.7 kB at 11.5 kB/s against 33 ms.
        #expect(steps(behind).dropFirst().allSatisfy { (20...40).contains($0) } && behind.objects.count >= 5)
        #expect(steps(waited).allSatisfy { $0 == 1 } && waited.objects.count >= 5)
    }

    @Test(arguments: [3, 4, 8])
    func rowsComeBeforeTheirObjects(side: Int) {
        var bench = TMF882xBench(.ccHardware, joining: .midStream) { $0.tmf882x.streamedSide = side }
        bench.run(seconds: 20)
        let perResult = side == 3 ? 30 : 60
        let results = bench.text.split(separator: "#Obj").dropFirst().dropLast()
        #expect(results.count > 2 && results.allSatisfy { $0.matches(of: /#Raw/).count == perResult })
        let first = bench.indexes.firstIndex(of: 0)!
        #expect(bench.indexes[first...].enumerated().allSatisfy { $0.element == $0.offset % 30 })
    }

    /// Calibrations come with the first result and never again.
    @Test func calibrationsComeFirst() {
        var bench = TMF882xBench(.ccHardware)
        bench.run(seconds: 4)
        bench.type("oEzzz")
        bench.forget()
        bench.type("m", seconds: 8)
        let tags = bench.lines.filter { $0.hasPrefix("#") }.map { String($0.prefix(4)) }
        let first = Array(repeating: "#Cal", count: 30) + Array(repeating: "#Raw", count: 30) + ["#Obj"]
        #expect(Array(tags.prefix(61)) == first)
        #expect(!tags.dropFirst(61).contains("#Cal") && tags.count > 100)
    }

    @Test func aWrongRateIsGarbage() {
        var right = TMF882xBench()
        right.run(seconds: 4)
        var wrong = TMF882xBench()
        wrong.board.setLineCoding(LineCoding(baud: 9_600))
        wrong.run(seconds: 4)
        #expect(wrong.bytes.count == right.bytes.count && !wrong.text.contains("state="))
        // What is sent at the wrong rate is no command either.
        wrong.forget()
        wrong.board.setLineCoding(LineCoding(baud: 9_600))
        wrong.type("E")
        wrong.board.setLineCoding(LineCoding(baud: 115_200))
        wrong.forget()
        wrong.type("h")
        #expect(wrong.words.last == "TMF8828 state=disabled")
    }

    @Test func threeSensorsAreMixed() {
        var bench = TMF882xBench(joining: .midStream) { $0.tmf882x.hasThreeSensors = true }
        bench.run(seconds: 20)
        let addresses = bench.lines.dropFirst().compactMap { $0.split(separator: ",").dropFirst().first.flatMap { Int($0) } }
        #expect(Set(addresses) == [65, 66, 67] && addresses.contains(subsequence: [67, 66, 65, 67]))
    }

    @Test func theSameSeedGivesTheSameBytes() {
        var one = TMF882xBench(.ccHardware, joining: .midStream)
        var other = TMF882xBench(.ccHardware, joining: .midStream)
        one.run(seconds: 5)
        for _ in 0..<50 { other.run(seconds: 0.1) }
        #expect(one.bytes == other.bytes && one.bytes.count > 30_000)
    }
}

extension TMF882xText {
    fileprivate static func parse(line: String) -> TMF882xText? { Array(line.utf8).withUnsafeBytes { parse($0) } }
}

extension [Int] {
    fileprivate func contains(subsequence: [Int]) -> Bool {
        indices.contains { self[$0...].starts(with: subsequence) }
    }
}
