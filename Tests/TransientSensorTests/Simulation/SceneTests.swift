import Foundation
import Testing

@testable import TransientSensor

private func frames(_ scene: SimulatedScene, _ words: [UInt8], seconds: Double, every interval: Double = 0.2) -> [FirmwareFrame] {
    var model = HistogramModel(scene: scene, seed: 11)
    var numbers = FrameNumbers()
    let configuration = BoardConfiguration(packet: words)
    return stride(from: 0, to: seconds, by: interval).map {
        model.measure(configuration, atSeconds: $0, into: &numbers)
        return numbers.frame
    }
}

/// Mean over frames of one zone's histogram.
private func meanHistogram(_ frames: [FirmwareFrame], zone: Int) -> [Double] {
    (0..<frames[0].bins).map { bin in
        frames.reduce(0) { $0 + Double($1.histogram[zone * $1.bins + bin]) } / Double(frames.count)
    }
}

private let fine = packet(start: 15, bins: 75, subsample: 1)
private let full = packet(resolution: 64, hz: 15, bins: 18, subsample: 7, columns: 8, rows: 8)

struct SceneTests {
    @Test(arguments: SimulatedScene.all.map(\.name))
    func noSceneOverflowsByItself(name: String) throws {
        for words in [fine, full, packet(bins: 75, subsample: 1)] {
            let all = frames(try .named(name), words, seconds: 20)
            #expect(all.allSatisfy { $0.histogram.allSatisfy { $0 < 65_536 } })
            #expect(all.allSatisfy { $0.distanceMm.allSatisfy { (0...10_000).contains($0) } })
            #expect(all.contains { $0.histogram.contains { $0 < 0 } }, "the sensor subtracts ambient light")
        }
    }

    @Test func aMatteWallIsAStillSlightlyTiltedPlane() {
        let all = frames(.matteWall, full, seconds: 10)
        for zone in 0..<64 {
            let values = all.map { Double($0.distanceMm[zone]) }
            let mean = values.reduce(0, +) / Double(values.count)
            let deviation = (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)).squareRoot()
            #expect((1150...1250).contains(mean))
            #expect((0.5...4).contains(deviation))
        }
        #expect(all[0].distanceMm[7] > all[0].distanceMm[0] + 20, "deeper to the right")
    }

    /// Distances are along the axis and histograms along the ray: off the axis the peak is later.
    @Test func thePeakIsAtTheRadialDistance() {
        let all = frames(.matteWall, fine, seconds: 10)
        for zone in 0..<16 {
            let histogram = meanHistogram(all, zone: zone)
            let peak = histogram.indices.max { histogram[$0] < histogram[$1] }!
            let tangents = [zone % 4, zone / 4].map { HistogramModelTests.tangent($0) }
            let ray = (1 + tangents[0] * tangents[0] + tangents[1] * tangents[1]).squareRoot()
            let radialMm = Double(all[0].distanceMm[zone]) * ray
            #expect(abs((Double(15 + peak) + 0.5) * 37.5348 - radialMm) < 60, "zone \(zone)")
            let half = histogram.max()! / 2
            #expect((3...6).contains(histogram.count { $0 > half }), "ten physical bins from foot to foot")
        }
    }

    @Test func aHiddenTargetAddsAWeakLateReturnThatMoves() {
        func echo(_ at: Double) -> [Double] {
            let configuration = BoardConfiguration(packet: packet(start: 35, bins: 75, subsample: 1))
            var hidden = HistogramModel(scene: .hiddenTarget, seed: 4)
            var plain = HistogramModel(scene: .matteWall, seed: 4)
            var numbers = FrameNumbers()
            var sum = Array(repeating: 0.0, count: 75)
            for _ in 0..<300 {
                hidden.measure(configuration, atSeconds: at, into: &numbers)
                for bin in 0..<75 { sum[bin] += Double(numbers.histogram[5 * 75 + bin]) / 300 }
                plain.measure(configuration, atSeconds: at, into: &numbers)
                for bin in 0..<75 { sum[bin] -= Double(numbers.histogram[5 * 75 + bin]) / 300 }
            }
            return sum
        }
        let first = echo(5)
        let second = echo(15)
        for difference in [first, second] {
            let peak = difference.max()!
            #expect((200...5000).contains(peak), "weak: the wall is near 20,000")
            #expect(difference.firstIndex(of: peak)! > 10, "later than the wall's own pulse")
        }
        let shift = second.firstIndex(of: second.max()!)! - first.firstIndex(of: first.max()!)!
        #expect(shift <= -3, "the object came nearer to this zone's wall point")
        #expect(frames(.hiddenTarget, fine, seconds: 1)[0].distanceMm.allSatisfy { $0 > 1000 }, "depth sees the wall only")
    }

    @Test func aDarkWallHasManyZonesWithoutADistance() {
        let all = frames(.darkWall, full, seconds: 10)
        let missing = all.reduce(0) { $0 + $1.distanceMm.count { $0 == 0 } }
        #expect((0.2...0.8).contains(Double(missing) / Double(64 * all.count)))
    }

    @Test func aMovingWallComesAndGoesSlowly() {
        let all = frames(.moving, packet(), seconds: 60, every: 0.5)
        let means = all.map { $0.distanceMm.map(Double.init).reduce(0, +) / 16 }
        let speeds = zip(means, means.dropFirst()).map { abs($1 - $0) / 500 }  // m/s
        #expect(means.min()! > 850 && means.max()! < 1900 && means.max()! - means.min()! > 700)
        #expect(speeds.max()! < 0.17)
        #expect(speeds.count { $0 < 0.045 } < 12, "slower only where it turns")
    }

    @Test func aNearWallIsNearerThanHalfAMetreAndStillSeen() {
        let all = frames(.nearWall, full, seconds: 4)
        #expect(all.allSatisfy { $0.distanceMm.allSatisfy { (280...320).contains($0) } })
    }

    /// Both ways from the axis a corner comes nearer, by a metre for each.
    @Test func aCornerIsDeepestInItsMiddle() throws {
        let row = try #require(frames(.corner, full, seconds: 1).first).distanceMm[24..<32].map(Double.init)
        #expect(row.max()! < 1_400 && row[3] > row[0] + 250 && row[4] > row[7] + 250)
        for (index, depth) in row.enumerated() {
            let across = depth * tan((Double(index) + 0.5 - 4) / 8 * .pi / 4)
            #expect(abs(depth + abs(across) - 1_400) < 40, "column \(index)")
        }
    }

    @Test func recordedFramesAreGivenAsTheyAre() {
        let given = (0..<3).map { index in
            FirmwareFrame(
                bins: 2, ambient: [Int64(index), -5], distanceMm: [0, .min], histogram: [1, -2, .max, 0],
                arrival: Arrival(monotonicNs: 0, unixMs: 0))
        }
        var bench = Bench(.recorded(given))
        bench.run(seconds: 4)
        #expect(bench.measured.prefix(6) == (given + given).prefix(6))
        #expect(bench.text.contains("D\n0 2 0 1 -2\n1 -5 -9223372036854775808 9223372036854775807 0\nD\n0 0 0 1 -2\n"))
    }
}
