import Testing

@testable import TransientSensor

struct TMF882xRecognitionTests {
    /// The words are the same; the rate tells which sketch it is.
    @Test(arguments: [SensorProfile.tmf882xAms, .tmf882xCCHardware, .tmf882xMiniTof].map(\.name))
    func aSketchIsRecognized(name: String) throws {
        let profile = SensorProfile.named(name)!
        for joining in [Joining.atReset, .midStream] {
            var recognizer = FirmwareRecognizer(at: profile.lineCoding)
            var board = SimulatedBoard(profile, scene: .matteWall, seed: 3, startNs: 0, joining: joining)
            var known: String?
            board.advance(toNs: 8_000_000_000) { known = known ?? recognizer.hear($0)?.name }
            #expect(known == name)
        }
    }

    /// mini_tof's sketch is known by its first words, whether it calibrates before them or behind them.
    @Test(arguments: [true, false])
    func aSilentStartIsRecognized(saysRangeFirst: Bool) {
        let profile = SensorProfile.tmf882xMiniTof
        var options = EmulationOptions()
        options.tmf882x.saysRangeFirst = saysRangeFirst
        var board = SimulatedBoard(profile, scene: .matteWall, options: options, seed: 3, startNs: 0, joining: .atReset)
        var recognizer = FirmwareRecognizer(at: profile.lineCoding)
        var heard: [UInt8] = []
        var known: String?
        // Boot loader and load; the calibration after them.
        for (milliseconds, isKnown) in [(2_100, false), (2_300, saysRangeFirst), (4_100, saysRangeFirst), (4_300, true)] {
            board.advance(toNs: UInt64(milliseconds) * 1_000_000) {
                heard += $0
                known = known ?? recognizer.hear($0)?.name
            }
            #expect((known == profile.name) == isKnown && heard.isEmpty == !isKnown, "after \(milliseconds) ms")
            #expect(!heard.contains(UInt8(ascii: ",")), "no frame yet")
        }
    }

    @Test func anotherFamilyIsNot() {
        var recognizer = FirmwareRecognizer(at: LineCoding(baud: 115_200))
        var board = EmulatedVL53L8CH(EmulatorPlan(scene: .matteWall, seed: 3))
        var known: Set<String> = []
        board.advance(toNs: 8_000_000_000) { if let profile = recognizer.hear($0) { known.insert(profile.name) } }
        #expect(known == [SensorProfile.nucleoVL53L8CH.name])
    }
}
