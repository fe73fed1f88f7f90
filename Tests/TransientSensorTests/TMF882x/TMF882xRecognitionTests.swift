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

    @Test func anotherFamilyIsNot() {
        var recognizer = FirmwareRecognizer(at: LineCoding(baud: 115_200))
        var board = EmulatedVL53L8CH(EmulatorPlan(scene: .matteWall, seed: 3))
        var known: Set<String> = []
        board.advance(toNs: 8_000_000_000) { if let profile = recognizer.hear($0) { known.insert(profile.name) } }
        #expect(known == [SensorProfile.nucleoVL53L8CH.name])
    }
}
