import NLOSCore
import Testing

/// The depth view: what counts as a distance, and that nothing is made up where none does.
@Suite struct DepthFrameTests {
    private static func frame(
        _ reportedMm: [Int64], grid: ZoneGrid = ZoneGrid(width: 2, height: 2), ambient: [Int64]? = nil, confidence: [Int64]? = nil
    ) -> DepthFrame? {
        DepthFrame(monotonicNs: 5, sequence: 6, grid: grid, reportedMm: reportedMm, ambient: ambient, confidence: confidence)
    }

    @Test(
        arguments: [
            (Int64.min, nil), (-1, nil), (0, nil), (9, nil), (10, 10), (11, 11), (9_999, 9_999), (10_000, 10_000), (10_001, nil),
            (65_546, nil),
            (Int64.max, nil),
        ] as [(Int64, UInt16?)])
    func whatCounts(reported: Int64, distance: UInt16?) throws {
        let frame = try #require(Self.frame([reported, 500, 500, 500]))
        #expect(frame.distancesMm == [distance, 500, 500, 500])
        #expect(frame.coverage == (distance == nil ? 0.75 : 1))
        #expect(frame.ambient == nil && frame.confidence == nil && frame.monotonicNs == 5 && frame.sequence == 6)
    }

    /// Confidence 0 marks a zone as invalid whatever its distance; any other value says nothing about it.
    @Test func confidenceZeroIsNoDistance() throws {
        let frame = try #require(Self.frame([500, 501, 502, 9], ambient: [1, -2, 3, 4], confidence: [0, 1, -1, 7]))
        #expect(frame.distancesMm == [nil, 501, 502, nil])
        #expect(frame.confidence == [0, 1, -1, 7] && frame.ambient == [1, -2, 3, 4])
        #expect(frame.coverage == 0.5)
    }

    /// The codes of the VL53L8's result list: only 5 and 9 are a measurement, and 0 in every zone says that nobody wrote them.
    @Test func targetStatus() throws {
        let grid = ZoneGrid(width: 2, height: 2)
        func frame(_ status: [UInt8]?, confidence: [Int64]? = nil) -> DepthFrame? {
            DepthFrame(
                monotonicNs: 0, sequence: 0, grid: grid, reportedMm: [40, 3_800, 500, 9], confidence: confidence, targetStatus: status)
        }
        let mixed = try #require(frame([5, 255, 9, 5]))
        #expect(mixed.distancesMm == [40, nil, 500, nil] && mixed.validity == .reported && mixed.coverage == 0.5)
        let others = try #require(frame([4, 6, 10, 0]))
        #expect(others.distancesMm == [nil, nil, nil, nil] && others.validity == .reported)
        let empty = try #require(frame([0, 0, 0, 0]))
        #expect(empty.coverage == 0 && empty.validity == .notFilledIn)
        #expect(frame(nil)?.validity == .unknown && frame(nil, confidence: [1, 1, 0, 1])?.validity == .reported)
        #expect(frame([5, 5, 5, 5], confidence: [1, 0, 1, 1])?.distancesMm == [40, nil, 500, nil])
        #expect(frame([5, 5, 5]) == nil && frame(nil)?.repeatsPrevious == false)
    }

    @Test func countsThatDoNotFit() {
        let four: [Int64] = [500, 500, 500, 500]
        #expect(Self.frame(four, ambient: four, confidence: four) != nil)
        for wrong in [[], Array(four.dropLast()), four + [500]] as [[Int64]] {
            #expect(Self.frame(wrong) == nil)
            #expect(Self.frame(four, ambient: wrong) == nil)
            #expect(Self.frame(four, confidence: wrong) == nil)
        }
    }

    @Test func coverageOfNothing() throws {
        #expect(try #require(Self.frame([0, 0, 0, 0])).coverage == 0)
        #expect(try #require(Self.frame([], grid: ZoneGrid(width: 0, height: 0))).coverage == 0)
    }
}
