import Foundation
import Testing

@testable import TransientSensor

/// DEPZ's own software, as `scripts/test` installs it.
private enum DepzSoftwareHere {
    static let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
    static let python = package.appending(path: ".build/depz-venv/bin/python")
    static let isThere = FileManager.default.isExecutableFile(atPath: python.path())
}

/// DEPZ's own software reads the emulated boards: the same frames, number by number.
@Suite(.enabled(if: DepzSoftwareHere.isThere, "needs Tests/DepzSDK/requirements.txt in .build/depz-venv (scripts/test makes it)"))
struct DepzSoftwareTests {
    struct Told: Decodable {
        let timestamp: UInt64
        let histogram: [Int64]
        let distanceMm: [Int64]
        let targetStatus: [UInt8]
        let siliconTempDegc: Int
    }

    @Test(arguments: [("ch", SensorProfile.depzVL53L8CH.name), ("cx", SensorProfile.depzVL53L8CX.name)])
    func readsTheSame(variant: String, profile: String) throws {
        var board = SimulatedBoard(
            try #require(SensorProfile.named(profile)), scene: .darkWall, seed: 5, startNs: 0, joining: .atReset)
        board.receive(DepzPacket.bytes(id: 0x09, sequence: 0, payload: [2]), atNs: 0)
        board.receive(DepzPacket.bytes(id: 0x35, sequence: 1, payload: DepzSetting.littleEndian(Self.frameBytes(variant))), atNs: 0)
        var bytes: [UInt8] = []
        board.advance(toNs: 3_000_000_000) { bytes.append(contentsOf: $0) }
        var decoder = DepzDecoder()
        let frames = decoder.events(of: bytes).frames
        #expect(frames.count > 30)

        let told = try Self.decoded(bytes, variant)
        // One that was cut by the end of the time is none for either.
        #expect(told.count == frames.count)
        for (frame, told) in zip(frames, told) {
            #expect(frame.deviceUs == told.timestamp && frame.temperatureC == told.siliconTempDegc)
            #expect(frame.distanceMm == told.distanceMm && frame.targetStatus == told.targetStatus)
            #expect(frame.histogram == told.histogram)
        }
        #expect(told[0].targetStatus.contains(255) && told[0].targetStatus.contains(5))
        #expect(told[0].histogram.isEmpty == (variant == "cx"))
    }

    private static func frameBytes(_ variant: String) -> UInt16 {
        UInt16(DepzSensor.frameBytes(zones: 64, bins: variant == "ch" ? 18 : 0, isVL53L8CH: variant == "ch"))
    }

    private static func decoded(_ bytes: [UInt8], _ variant: String) throws -> [Told] {
        let child = Process()
        child.executableURL = DepzSoftwareHere.python
        child.arguments = [DepzSoftwareHere.package.appending(path: "Tests/DepzSDK/decode.py").path(), variant]
        let input = FileManager.default.temporaryDirectory.appending(path: "depz-\(UUID().uuidString)")
        try Data(bytes).write(to: input)
        defer { try? FileManager.default.removeItem(at: input) }
        child.standardInput = try FileHandle(forReadingFrom: input)
        let output = Pipe()
        child.standardOutput = output
        try child.run()
        let said = try output.fileHandleForReading.readToEnd() ?? Data()
        child.waitUntilExit()
        #expect(child.terminationStatus == 0)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try said.split(separator: UInt8(ascii: "\n")).map { try decoder.decode(Told.self, from: $0) }
    }
}
