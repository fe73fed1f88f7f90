import NLOSCore
import Testing

@testable import TransientSensor

/// Raw counts that do not fit into the wire's 16 bits: divided only where that was asked, and to the nearest.
@Suite struct CountShiftTests {
    private func bins(_ counts: [Int64], shift: Int) throws -> [UInt16] {
        var views = try #require(
            FrameViews(
                profile: .test(histogram: .raw), origin: .live, shape: FrameShape(zones: 1, bins: counts.count),
                timing: FrameViewsTests.timing, countShift: shift, sessionId: SafeLabel("run-1")!, sensor: FrameViewsTests.identity))
        let frame = FirmwareFrame(
            bins: counts.count, ambient: [0], distanceMm: [500], histogram: counts, arrival: Arrival(monotonicNs: 1, unixMs: 1))
        return try views.transient(of: frame, pose: .fixed).zones.histograms
    }

    @Test(arguments: [
        (0, [0, 1, 2, 3, 65_535]), (1, [0, 1, 1, 2, 32_768]), (4, [0, 0, 0, 0, 4_096]), (8, [0, 0, 0, 0, 256]),
    ])
    func countsAreRoundedToTheNearest(shift: Int, expected: [UInt16]) throws {
        #expect(try bins([0, 1, 2, 3, 65_535, 0, 0, 0], shift: shift).prefix(5) == expected[...])
    }

    /// 24 bits are what the sensor counts in; 2^24 - 1 fits when it is divided by 256 and rounds up past the wire's end.
    @Test func theLargestCountOfTheSensor() throws {
        #expect(try bins([16_776_960, 0, 0, 0, 0, 0, 0, 0], shift: 8)[0] == 65_535)
        #expect(throws: TransientRefusal.histogramOverflow) { try bins([16_777_215, 0, 0, 0, 0, 0, 0, 0], shift: 8) }
        #expect(throws: TransientRefusal.histogramOverflow) { try bins([65_536, 0, 0, 0, 0, 0, 0, 0], shift: 0) }
        #expect(throws: TransientRefusal.histogramOverflow) { try bins([.max, 0, 0, 0, 0, 0, 0, 0], shift: 1) }
    }

    /// Whoever divides says so, however long the firmware's own name is; what cannot be meant makes no frames at all.
    @Test func aDividedCountSaysSo() throws {
        let long = SensorIdentity(
            sensorId: SafeLabel("s")!, sensorModel: SafeLabel("m")!, firmwareVersion: SafeLabel(String(repeating: "v", count: 64))!)
        for (shift, version) in [(0, String(repeating: "v", count: 64)), (3, String(repeating: "v", count: 57) + ".shift3")] {
            let views = FrameViews(
                profile: .test(histogram: .raw), origin: .live, shape: FrameShape(zones: 1, bins: 8), timing: FrameViewsTests.timing,
                countShift: shift, sessionId: SafeLabel("run-1")!, sensor: long)
            #expect(views?.sensor.firmwareVersion.text == version)
        }
        for shift in [-1, 9, .max, .min] {
            #expect(
                FrameViews(
                    profile: .test(histogram: .raw), origin: .live, shape: FrameShape(zones: 1, bins: 8), timing: FrameViewsTests.timing,
                    countShift: shift, sessionId: SafeLabel("run-1")!, sensor: long) == nil)
        }
    }

    /// Every frame of a stream of distances says no more than that.
    @Test func aFrameWithoutHistogramOrWithoutDistances() throws {
        #expect(
            FrameViews(
                profile: .test(histogram: .raw), origin: .live, shape: FrameShape(zones: 9, bins: 0), timing: FrameViewsTests.timing,
                sessionId: SafeLabel("run-1")!, sensor: FrameViewsTests.identity) == nil)
        var views = try FrameViewsTests.views(zones: 1)
        let frame = FirmwareFrame(
            bins: 8, ambient: [0], distanceMm: [], histogram: Array(repeating: 1, count: 8), arrival: Arrival(monotonicNs: 1, unixMs: 1))
        #expect(throws: TransientRefusal.noDistance) { try views.transient(of: frame, pose: .fixed) }
        #expect(frame.depth(sequence: 0) == nil)
    }

    /// A distance that the sensor does not vouch for is none, whatever number stands there.
    @Test func confidenceAndStatusDecide() throws {
        for (confidence, status, holds) in [([Int64(1)], nil, true), ([0], nil, false), (nil, [UInt8(5)], true), (nil, [4], false)] {
            var views = try FrameViewsTests.views(zones: 1)
            var frame = FrameViewsTests.frame(zones: 1)
            (frame.confidence, frame.targetStatus) = (confidence, status)
            #expect((try? views.transient(of: frame, pose: .fixed)) != nil || !holds)
            #expect(frame.depth(sequence: 0)?.coverage == (holds ? 1 : 0))
            if !holds { #expect(throws: TransientRefusal.invalidDistance) { try views.transient(of: frame, pose: .fixed) } }
        }
    }

    /// Where the stream knows its field of view, the wall points are those of that view.
    @Test func theStreamsOwnFieldOfView() throws {
        let view = FieldOfView(degreesX: 20, degreesY: 10)
        let grid = ZoneGrid(width: 2, height: 2)
        let own = SensorProfile.test().wallPointAtOneMetre(zone: 3, grid: grid, fieldOfView: view)
        #expect(own == SensorProfile.test(view: view).wallPointAtOneMetre(zone: 3, grid: grid))
        #expect(own != SensorProfile.test().wallPointAtOneMetre(zone: 3, grid: grid))
    }
}
