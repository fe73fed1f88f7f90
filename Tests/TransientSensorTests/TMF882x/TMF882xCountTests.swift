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
        let texts = TMF882xDamageTests.texts
        let late = TMF882xLog.lines(TMF882xDamageTests.frames[0], TMF882xDamageTests.layout, number: 200)
        let events = TMF882xDecoder.events(of: bytes(of: late + texts[1] + texts[2]), TMF882xDamageTests.layout).events
        #expect(events.frames == TMF882xDamageTests.frames && events.missing == 0)
        // Told with the second result, which goes on from the first.
        #expect(events.firstIndex(of: .beganAnew) == 2)
    }

    /// A digit of the count or of the clock that changed on the line: nothing is missing, and nothing began anew.
    @Test(arguments: [51, 55, 59, 97, 157, 56])
    func aBentNumberLosesNothing(bent: Int) {
        #expect(steps([(55, 55), (56, 56), (bent, 57), (58, 58), (59, 59)]) == .init(frames: 5))
    }

    @Test(arguments: [0, 1, 30, 56, 90, 5_000, 13_000, 20_000])
    func aBentClockIsNoReset(bent: Int) {
        #expect(steps([(55, 55), (56, 56), (57, bent), (58, 58), (59, 59), (60, 60)]) == .init(frames: 6))
    }

    /// Of the clock it is known in how many periods of 33 ms a result came.
    @Test func whatTheNextResultBearsOut() {
        // Three were lost on the line, and the clock says so.
        #expect(steps([(55, 55), (56, 56), (60, 60), (61, 61)]) == .init(frames: 4, missing: 3))
        // The sensor has become quicker.
        #expect(steps([(55, 55), (56, 56), (76, 58), (77, 59), (97, 61), (98, 62)]) == .init(frames: 6, missing: 38))
        #expect(steps([(55, 55), (56, 56), (76, 58), (96, 60), (116, 62)]) == .init(frames: 5, missing: 57))
        // A restart whose words were lost.
        #expect(steps([(55, 55), (56, 56), (0, 1), (1, 2), (4, 5)]) == .init(frames: 5, missing: 2, resets: 1))
        #expect(steps([(55, 55), (56, 56), (0, 1), (3, 4)]) == .init(frames: 4, missing: 2, resets: 1))
    }

    /// In an 8x8 frame such a result could be another frame's: the frame is lost, once.
    /// Fields of an `#Obj` line: 2 is the number, 5 the clock.
    @Test(arguments: [0, 1, 2, 3], [2: ["7", "40", "101", "103", "200"], 5: ["0", "1650000", "3000000000"]])
    func aBentResultInMidFrame(part: Int, bent: (key: Int, value: [String])) {
        let layout = TMF882xLayout(side: 8, hasHistograms: true)
        let frames = (0..<4).map { TMF882xLog.frame(layout, seed: UInt64($0)) }
        let lines = frames.indices.map { TMF882xLog.lines(frames[$0], layout, number: 92 + 4 * $0) }
        let place = lines[2].indices.filter { lines[2][$0].hasPrefix("#Obj") }[part]
        for text in bent.value {
            var fields = lines[2][place].split(separator: ",").map(String.init)
            let isBent = fields[bent.key] != text
            fields[bent.key] = text
            var bentLines = lines
            bentLines[2][place] = fields.joined(separator: ",")
            let (events, decoder) = TMF882xDecoder.events(of: bytes(of: bentLines.flatMap(\.self)), layout)
            #expect(events.frames == (isBent ? [frames[0], frames[1], frames[3]] : frames), "\(text)")
            #expect(events.faults.count == (isBent ? 1 : 0) && events.missing == 0, "\(text): \(events.faults)")
            #expect(!events.contains(.beganAnew) && decoder.accountsForAll)
        }
    }

    private struct Sum: Equatable {
        var frames = 0
        var missing: UInt64 = 0
        var resets = 0
    }

    /// Results of these numbers, each after so many periods of 33 ms.
    private func steps(_ results: [(number: Int, periods: Int)]) -> Sum {
        let layout = TMF882xLayout(side: 3, hasHistograms: false)
        let lines = results.flatMap { result in
            TMF882xLog.lines(TMF882xDamageTests.frames[0].depthOnly, layout, number: result.periods).map { line in
                let fields = line.split(separator: ",")
                return (fields[..<2] + ["\(result.number)"] + fields[3...]).joined(separator: ",")
            }
        }
        let events = TMF882xDecoder.events(of: bytes(of: lines), layout).events
        return Sum(frames: events.frames.count, missing: events.missing, resets: events.count { $0 == .beganAnew })
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
            lines[index] = lines[index].replacing(",\(index),31,9,\(index * TMF882xLog.ticks),", with: ",\(index),31,9,\(tick),")
        }
        let times = TMF882xDecoder.events(of: bytes(of: lines), layout).events.compactMap {
            if case .frame(let frame) = $0 { frame.deviceUs } else { nil }
        }
        let expected: [UInt64] = [858_993_458, 858_993_461, 1_258_993_459]
        #expect(times == expected)
    }
}
