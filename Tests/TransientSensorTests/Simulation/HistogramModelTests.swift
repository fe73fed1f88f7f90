import Foundation
import Testing

@testable import TransientSensor

/// What the hardware reference says of a block: how far, how often negative, how wide when printed.
private struct BlockStatistics {
    let mean, deviation, negativeShare, width: Double
    let least, most: Int64

    init(_ values: [Int64]) {
        let count = Double(values.count)
        let mean = values.reduce(0) { $0 + Double($1) } / count
        self.mean = mean
        deviation = (values.reduce(0) { $0 + (Double($1) - mean) * (Double($1) - mean) } / count).squareRoot()
        negativeShare = Double(values.count { $0 < 0 }) / count
        width = Double(values.reduce(0) { $0 + String($1).utf8.count }) / count
        least = values.min()!
        most = values.max()!
    }
}

private func bins(_ range: Range<Int>, of frame: FirmwareFrame) -> [Int64] {
    (0..<frame.zones).flatMap { row in range.map { frame.histogram[row * frame.bins + $0] } }
}

@Suite(.enabled(if: RecordedFrames.folder != nil, Comment(rawValue: RecordedFrames.absence)))
struct HistogramModelTests {
    static func tangent(_ index: Int) -> Double { tan(((Double(index) + 0.5) / 4 - 0.5) * .pi / 4) }

    /// Frames of many boards with the configuration of the real block, before a wall at the end of its range.
    private static let simulated: [FirmwareFrame] = (0..<200).map { seed in
        let wall = Wall(distanceM: 1.8, slopeX: 0.1, slopeY: 0.1, reflectivity: 0.7, patchiness: 0.8)
        var model = HistogramModel(scene: SimulatedScene(name: "block", content: .wall(wall)), seed: UInt64(seed))
        var numbers = FrameNumbers()
        let words = packet(resolution: 64, hz: 15, start: 10, bins: 20, subsample: 2, merge: (2, 2), columns: 4, rows: 4)
        model.measure(BoardConfiguration(packet: words), atSeconds: 0, into: &numbers)
        return numbers.frame
    }

    @Test func theNoiseIsThatOfTheRealBlock() throws {
        let real = BlockStatistics(bins(3..<14, of: try RecordedFrames.liveBlock()))
        let model = BlockStatistics(Self.simulated.flatMap { bins(3..<14, of: $0) })
        #expect(abs(model.mean - real.mean) < 60, "\(model) against \(real)")
        #expect(abs(model.deviation / real.deviation - 1) < 0.1, "\(model) against \(real)")
        #expect(abs(model.negativeShare - real.negativeShare) < 0.05, "\(model) against \(real)")
        #expect(abs(model.width - real.width) < 0.15, "\(model) against \(real)")
    }

    /// The numbers of the reference: -1,959 to 27,047, 29 % negative, 3.6 characters.
    @Test func aWholeBlockLooksLikeTheRealOne() throws {
        let real = BlockStatistics(try RecordedFrames.liveBlock().histogram)
        #expect(real.least == -1_959 && real.most == 27_047)
        let model = BlockStatistics(Self.simulated.flatMap(\.histogram))
        #expect(abs(model.negativeShare - real.negativeShare) < 0.06, "\(model) against \(real)")
        #expect(abs(model.width - real.width) < 0.2, "\(model) against \(real)")
        #expect((-4000 ..< -1500).contains(model.least))
        #expect((15_000..<65_536).contains(model.most))
    }

    @Test func theCoverGlassIsThatOfTheRealBlock() throws {
        for bin in 0..<3 {
            let real = BlockStatistics(bins(bin..<bin + 1, of: try RecordedFrames.liveBlock()))
            let model = BlockStatistics(Self.simulated.flatMap { bins(bin..<bin + 1, of: $0) })
            // Sixteen real values: as far as their own mean is known.
            #expect(abs(model.mean - real.mean) < 2.5 * real.deviation / 4, "bin \(bin): \(model) against \(real)")
        }
    }
}
