import Foundation
import NLOSCore
import Testing

@testable import TransientSensor
@testable import bridge

/// Which rate a source is measured against, and what is refused before the start.
final class ValidationSensorTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "sensor-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// A recording of a simulated board that was sent these bytes first.
    private func recording(sending packet: [UInt8]?, frames: UInt64 = 12) throws -> SensorChoice {
        let file = folder.appending(path: "run.pcap").path()
        let source = try SimulatedSource(scene: .matteWall, pace: .unlimited, clocks: .system)
        let recorder = try Recording(file: file, source: source, replacing: false, clocks: .system)
        if let packet { recorder.sent(packet) }
        let stream = SensorStream(source: source, session: VL53L8CHSession(mode: .join, path: "sim"), clocks: .system, tap: recorder)
        var seen: UInt64 = 0
        while seen < frames { _ = try stream.service { if case .frame = $0 { seen += 1 } } }
        recorder.close()
        return try SensorChoice(ParsedArguments(["--sensor", "replay:\(file)"], for: Validate.spec))
    }

    @Test("What can be configured gets the light setting and has to reach its 30 Hz")
    func simulated() throws {
        let choice = try SensorChoice(ParsedArguments(["--sensor", "sim:matte-wall"], for: Validate.spec))
        let sensor = try ValidationSensor(opening: choice, clocks: .system)
        defer { sensor.opened.source.close() }
        #expect(sensor.request == .light)
        #expect(sensor.attainableHz == 30)
        #expect(sensor.setting == "4x4 zones, 8 bins, 30 Hz")
        #expect(VL53L8CHConfiguration.light.packet.suffix(12) == [0, 0, 0, 0, 1, 0, 1, 0, 4, 0, 4, 0])
    }

    @Test("A recording that shows a setting is measured against what that setting can carry")
    func recordedSetting() throws {
        let setting = VL53L8CHConfiguration(grid: .zones8x8, rateHz: 10, startBin: 0, bins: 8, subsample: 16)
        let sensor = try ValidationSensor(opening: recording(sending: setting.packet), clocks: .system)
        defer { sensor.opened.source.close() }
        #expect(sensor.request == .vl53l8ch(.configure(setting)))
        #expect(sensor.attainableHz == 10)
    }

    @Test("A recording without one is measured against what frames of its shape can reach")
    func recordedShape() throws {
        let sensor = try ValidationSensor(opening: recording(sending: nil), clocks: .system)
        defer { sensor.opened.source.close() }
        #expect((8...9).contains(sensor.attainableHz))
        #expect(sensor.setting == "8x8 zones, 18 bins")
    }

    @Test("A recording of merged zones is refused: its distances are not its zones'")
    func merged() throws {
        var packet = VL53L8CHConfiguration.light.packet
        packet[18] = 2  // columns in one aggregate
        packet[20] = 2
        let choice = try recording(sending: packet)
        do throws(RunFailure) {
            _ = try ValidationSensor(opening: choice, clocks: .system)
            Issue.record("it was opened")
        } catch {
            #expect(error.status == .refused)
            #expect(error.message?.text.contains("merged") == true)
            #expect(ValidationEnd.notOpened(error).status.rawValue == 7)
        }
    }
}
