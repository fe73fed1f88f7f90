/// The device's own count and clock: what was lost, and when a frame was measured.
struct TMF882xCount: Sendable {
    private var last: (number: UInt8, tick: UInt32)?
    /// Added to the tick since it wrapped.
    private var wrapped: UInt64 = 0
    /// Results since the last number that came with a damaged one.
    private var unreadable: UInt8 = 0

    enum Step: Equatable {
        case first
        /// So many frames never came.
        case next(missing: UInt64)
        /// The result before, once more.
        case repeated
        /// The board has begun to count anew.
        case anew
    }

    /// Microseconds of the device's clock.
    var deviceUs: UInt64 { (wrapped + UInt64(last?.tick ?? 0)) / 5 }
    /// What the number of the last unreadable result must have been.
    var unreadableNumber: UInt8 { (last?.number ?? 0) &+ unreadable }

    mutating func resultWasUnreadable() { unreadable = unreadable == .max ? .max : unreadable + 1 }

    mutating func take(_ number: UInt8, tick: UInt32, resultsPerFrame: Int) -> Step {
        guard let before = last else {
            last = (number, tick)
            unreadable = 0
            return .first
        }
        if number == before.number, tick == before.tick { return .repeated }
        // Less than half a turn back is no wrap.
        if (1..<0x8000_0000).contains(before.tick &- tick) {
            self = TMF882xCount()
            last = (number, tick)
            return .anew
        }
        if tick < before.tick { wrapped += 1 << 32 }
        let perFrame = UInt8(resultsPerFrame)
        // 256 of the one are 64 of the other: both turn at the same place.
        let frames = (number / perFrame &- before.number / perFrame) & (.max / perFrame)
        let known = perFrame == 1 ? UInt64(unreadable) : 0
        let passed = frames == 0 && perFrame == 1 ? 256 : UInt64(frames)
        last = (number, tick)
        unreadable = 0
        return .next(missing: passed > known + 1 ? passed - known - 1 : 0)
    }
}
