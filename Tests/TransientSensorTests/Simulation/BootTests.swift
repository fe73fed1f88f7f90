import Testing

@testable import TransientSensor

/// Runs a board for some seconds of its own time and gives back everything it sent.
func text(_ board: inout EmulatedVL53L8CH, untilSeconds seconds: Double) -> String {
    var bytes: [UInt8] = []
    board.advance(toNs: UInt64(seconds * 1e9)) { bytes.append(contentsOf: $0) }
    return String(decoding: bytes, as: UTF8.self)
}

struct BootTests {
    @Test func aBoardSaysWhatItSaysAndStreamsItsDefault() throws {
        var board = EmulatedVL53L8CH(scene: .matteWall, seed: 1)
        let lines = text(&board, untilSeconds: 4).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(
            lines.prefix(9) == [
                "", "", "VL53LMZ CC Hardware Driver", "", "VL53LMZ ULD ready! (Version: VL53LMZ_2.0.10)",
                "Applying sensor configuration...", "Resolution: 64", "Sensor configuration applied and ranging started.", "D",
            ])
        let rows = try #require(lines.dropFirst(9).split(separator: "D").first)
        #expect(rows.count == 64)
        for (index, row) in rows.enumerated() {
            let numbers = row.split(separator: " ", omittingEmptySubsequences: false).map { Int($0) }
            #expect(numbers.count == 21)
            #expect(numbers.first == index)
            #expect(numbers.allSatisfy { $0 != nil })
        }
    }
}
