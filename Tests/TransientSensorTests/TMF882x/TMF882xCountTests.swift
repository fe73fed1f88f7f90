import Testing

@testable import TransientSensor

/// The device's own count and clock.
struct TMF882xCountTests {
    @Test func lostResultsAreCounted() {
        for (side, step, missing) in [(3, 5, 4), (4, 5, 4), (8, 12, 2), (3, 1, 0), (8, 4, 0), (3, 250, 249)] {
            let layout = TMF882xLayout(side: side, hasHistograms: false)
            let frame = TMF882xLog.frame(layout)
            let lines = (0..<3).flatMap { TMF882xLog.lines(frame, layout, number: 100 + $0 * step) }
            let (events, decoder) = TMF882xDecoder.events(of: bytes(of: lines), layout)
            #expect(events.frames.count == 3 || side == 8 && events.frames.count == 3)
            #expect(events.missing == UInt64(2 * missing) && decoder.counters.framesMissing == UInt64(2 * missing))
        }
    }

    /// The same result twice is one.
    @Test func aRepeatedResultIsNone() {
        let lines = TMF882xDamageTests.texts[0] + TMF882xDamageTests.texts[0] + TMF882xDamageTests.texts[1]
        let events = TMF882xDecoder.events(of: bytes(of: lines), TMF882xDamageTests.layout).events
        #expect(events.frames == Array(TMF882xDamageTests.frames[..<2]) && events.faults == [.repeated])
    }

    /// The board begins to count anew: nothing is missing.
    @Test func aNewCountIsNoLoss() {
        let late = TMF882xLog.lines(TMF882xDamageTests.frames[0], TMF882xDamageTests.layout, number: 200)
        let events = TMF882xDecoder.events(of: bytes(of: late + TMF882xDamageTests.texts[1]), TMF882xDamageTests.layout).events
        #expect(events.frames == Array(TMF882xDamageTests.frames[..<2]) && events.missing == 0)
        #expect(events.contains(.beganAnew))
    }

    /// In the middle of an 8x8 frame: what came before is no part of the frame that begins, and the new frame is whole.
    @Test(arguments: [true, false], 1...3)
    func aNewCountInMidFrame(hasHistograms: Bool, results: Int) {
        let layout = TMF882xLayout(side: 8, hasHistograms: hasHistograms)
        let frames = (0..<3).map { TMF882xLog.frame(layout, seed: UInt64($0)) }
        let old = TMF882xLog.lines(frames[0], layout, number: 100)
        let lines = old.prefix(results * old.count / 4) + TMF882xLog.lines(frames[1], layout, number: 0)
        let next = TMF882xLog.lines(frames[2], layout, number: 4)
        let (events, decoder) = TMF882xDecoder.events(of: bytes(of: lines + next), layout)
        #expect(events.frames == Array(frames[1...]) && events.faults.count == 1 && events.missing == 0)
        #expect(events.contains(.beganAnew) && decoder.accountsForAll)
    }

    @Test func theClockWraps() {
        let layout = TMF882xLayout(side: 3, hasHistograms: false)
        var lines = (0..<3).flatMap { TMF882xLog.lines(TMF882xDamageTests.frames[0].depthOnly, layout, number: $0) }
        for (index, tick) in [4_294_967_290, 10, 2_000_000_000].enumerated() {
            lines[index] = lines[index].replacing(",\(index),31,9,\(index * 5_000),", with: ",\(index),31,9,\(tick),")
        }
        let times = TMF882xDecoder.events(of: bytes(of: lines), layout).events.compactMap {
            if case .frame(let frame) = $0 { frame.deviceUs } else { nil }
        }
        let expected: [UInt64] = [858_993_458, 858_993_461, 1_258_993_459]
        #expect(times == expected)
    }
}
