import Foundation
import NLOSCore
import Testing

@Suite struct TransientEncodeTests {
    /// The line as it must stand, key by key and digit by digit.
    @Test func theLineIsFixedToTheByte() throws {
        let frame = try TransientFrame.decode(Array(TransientMessages.live.utf8))
        #expect(line(frame) == TransientMessages.live)
    }

    @Test func anyFrameReadsBackToItselfAndItsLineToTheSameLine() throws {
        var random = SplitMix64(seed: 5)
        for _ in 0..<60 {
            let frame = try RandomFrames.frame(&random)
            let text = line(frame)
            let again = try TransientFrame.decode(Array(text.utf8))
            #expect(again == frame)
            // Equality takes minus zero for zero; the line does not.
            #expect(line(again) == text)
            #expect(text.utf8.count <= TransientFrame.longestLine)
        }
    }

    /// Another reader, and one that knows nothing of us, finds the same numbers.
    @Test func foundationReadsTheSame() throws {
        var random = SplitMix64(seed: 6)
        for _ in 0..<10 {
            let frame = try RandomFrames.frame(&random)
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line(frame).utf8)) as? [String: Any])
            #expect(object["sequence"] as? UInt64 == frame.sequence)
            #expect(object["monotonicNs"] as? UInt64 == frame.monotonicNs)
            let zones = try #require(object["zones"] as? [[String: Any]])
            #expect(zones.flatMap { $0["histogram"] as? [UInt16] ?? [] } == frame.zones.histograms)
            #expect(zones.map { ($0["distanceM"] as? NSNumber)?.floatValue } == frame.zones.distancesM)
            #expect(zones.map { $0["ambient"] as? UInt32 } == frame.zones.ambient)
            let keys = try #require(object["provenance"] as? [String: Any]).keys.sorted()
            #expect(keys == ["firmwareVersion", "histogramPreserved", "sensorId", "sensorModel", "transientKind", "transport"])
        }
    }

    /// Keys in another order, white space everywhere, another spelling of the numbers: the same frame.
    @Test func anotherWritersLineIsTheSameFrame() throws {
        var random = SplitMix64(seed: 7)
        let frame = try RandomFrames.frame(&random)
        let object = try JSONSerialization.jsonObject(with: Data(line(frame).utf8))
        let pretty = try JSONSerialization.data(withJSONObject: object, options: [.prettyPrinted, .sortedKeys])
        // Foundation widens the reals; what a frame of fewer zones needs stays below the bound.
        try #require(pretty.count <= TransientFrame.longestLine)
        #expect(try TransientFrame.decode(Array(pretty)) == frame)
    }

    @Test func theLargestFrameFitsInALine() throws {
        let longest = SafeLabel(String(repeating: "m", count: 64))!
        let wide = Float(-1.1754945e-38)
        let frame = try TransientFrame(
            sessionId: longest, sequence: TransientFrame.interoperable.upperBound,
            capturedAtUnixMs: TransientFrame.interoperable.upperBound,
            monotonicNs: .max, evidence: .measured(.compactNormalized),
            sensor: SensorIdentity(sensorId: longest, sensorModel: longest, firmwareVersion: longest), binWidthPs: 9999.123, startBin: .max,
            pose: .fixed,
            zones: TransientZones(
                wallPointsM: Array(repeating: Vector3(x: wide, y: wide, z: wide), count: 64),
                distancesM: Array(repeating: 0.010000001, count: 64),
                ambient: Array(repeating: .max, count: 64), histograms: Array(repeating: .max, count: 64 * 128)))
        let text = line(frame)
        #expect(text.utf8.count < TransientFrame.longestLine / 2)
        #expect(try TransientFrame.decode(Array(text.utf8)) == frame)
    }

    private func line(_ frame: TransientFrame) -> String {
        var json = JSONWriter()
        frame.encode(into: &json)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
