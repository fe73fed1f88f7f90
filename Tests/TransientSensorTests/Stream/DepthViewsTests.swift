import NLOSCore
import Testing

@testable import TransientSensor

/// The depth views of a stream: numbered, and marked where the board sent the whole frame once more.
@Suite struct DepthViewsTests {
    private static func frame(distance: Int64 = 1_000, ambient: Int64 = 7, bin: Int64 = 3, zones: Int = 4, ns: UInt64 = 0) -> FirmwareFrame
    {
        FirmwareFrame(
            bins: 2, ambient: Array(repeating: ambient, count: zones), distanceMm: Array(repeating: distance, count: zones),
            histogram: Array(repeating: 1, count: zones * 2 - 1) + [bin], arrival: Arrival(monotonicNs: ns, unixMs: ns))
    }

    @Test("a frame is a repeat only when every number of it is the one before's, whenever it came")
    func repeats() {
        var views = DepthViews()
        let frames = [
            Self.frame(), Self.frame(ns: 9), Self.frame(ns: 10), Self.frame(bin: 4), Self.frame(bin: 4), Self.frame(ambient: 8, bin: 4),
            Self.frame(distance: 1_001, ambient: 8, bin: 4), Self.frame(), Self.frame(),
        ]
        let made = frames.map { views.depth(of: $0) }
        #expect(made.map { $0?.repeatsPrevious } == [false, true, true, false, true, false, false, false, true])
        #expect(made.map { $0?.sequence } == Array(0..<9))
        #expect(made[1]?.monotonicNs == 9 && made[0]?.validity == .unknown)
    }

    @Test("rows that are no square make no view and take a number; the frame after them is compared with them")
    func noSquare() {
        var views = DepthViews()
        #expect(views.depth(of: Self.frame()) != nil)
        #expect(views.depth(of: Self.frame(zones: 3)) == nil)
        let next = views.depth(of: Self.frame())
        #expect(next?.sequence == 2 && next?.repeatsPrevious == false)
    }
}
