import Testing

@testable import TransientSensor

/// A line that is not silent and brings no frames any more, or never did.
@Suite struct SessionWithoutFramesTests {
    enum Noise: CaseIterable, Sendable {
        /// A line without an end.
        case endless
        /// Frames with a bad number in each.
        case damaged
        /// Another line rate, after a good start.
        case garbage
        /// Lines that this firmware has no words for.
        case lines

        /// What comes in one go.
        var text: String {
            switch self {
            case .endless: String(repeating: "7", count: 300)
            case .damaged: "D\n0 1 1000 1 2 x 4 5 6 7 8\n1 1 1000 1 2 3 4 5 6 7 8\n"
            case .garbage: "\u{80}\u{2}\u{ff}D\u{0}"
            case .lines: "hello\n"
            }
        }
    }

    /// Noise, a piece each `step` milliseconds from now on, for `ms` milliseconds: the first piece now, the last when they are over.
    private static func hear(_ noise: Noise, ms: UInt64, step: UInt64 = 100, in talk: inout Talk) {
        let end = talk.now + ms
        talk.hear(noise.text)
        while talk.now < end {
            talk.wait(min(step, end - talk.now))
            talk.hear(noise.text)
        }
    }

    private static func streaming(_ mode: VL53L8CHSession.Mode) -> Talk {
        var talk = Talk(mode)
        talk.stream(0..<3, zones: 16, bins: 8)
        return talk
    }

    struct Limit: Sendable {
        let mode: VL53L8CHSession.Mode
        /// Milliseconds from the first byte after the last frame to the gap.
        let gap: UInt64
    }

    /// On both sides of the two limits: the gap, once, where the stretch began, and the end.
    @Test(
        arguments: [
            Limit(mode: .join, gap: 1_000), Limit(mode: .declared(VL53L8CHConfiguration(rateHz: 30, bins: 8)), gap: 1_000),
            Limit(mode: .declared(VL53L8CHConfiguration(rateHz: 1, bins: 8)), gap: 2_000),
        ], Noise.allCases)
    func gapAndThenTheEnd(limit: Limit, noise: Noise) {
        var talk = Self.streaming(limit.mode)
        #expect(talk.frames.count == 3)
        Self.hear(noise, ms: limit.gap - 1, in: &talk)
        #expect(talk.gaps.isEmpty && talk.failures.isEmpty)
        talk.wait(1)
        talk.hear(noise.text)
        #expect(talk.outputs.filter { if case .gap = $0 { true } else { false } } == [.gap(.noFrames, atMonotonicNs: 300_000_000)])

        Self.hear(noise, ms: 9_999 - limit.gap, in: &talk)
        #expect(talk.failures.isEmpty)
        talk.wait(1)
        let before = talk.heardBytes
        talk.hear(noise.text)
        let bytes = before + UInt64(noise.text.utf8.count) - Self.streaming(limit.mode).heardBytes
        #expect(talk.failures == [.noFrames(path: "usb:1-4", bytes: bytes, seconds: 10)])
        #expect(talk.gaps == [.noFrames])
        #expect(talk.session.deadlineNs == nil)
    }

    /// Damage that no next line has told yet is told before the session ends, and is in its numbers.
    @Test func nothingIsKeptBackAtTheEnd() {
        for endsInSilence in [true, false] {
            var talk = Self.streaming(.join)
            if endsInSilence {
                talk.hear("D\n0 x\n")
                talk.wait(9_999)
                #expect(talk.faults.isEmpty)
                talk.wait(1)
            } else {
                talk.hear("D\n")
                Self.hear(.endless, ms: 9_999, in: &talk)
                talk.wait(1)
                talk.hear("7")
            }
            talk.finish()
            let fault = endsInSilence ? FrameFault.notANumber : .outOfRange
            #expect(talk.faults == [fault])
            #expect(talk.session.counters.rejected == [fault: 1])
            #expect(talk.failures.count == 1 && talk.outputs.last == talk.failures.first.map(SessionOutput.failed))
        }
    }

    /// Each stretch is one gap, and a frame ends it; two stretches of nine seconds are no reason to end.
    @Test func framesComeAgain() {
        var talk = Self.streaming(.join)
        for frame in [3, 4] {
            Self.hear(.lines, ms: 9_900, in: &talk)
            talk.stream(frame..<(frame + 1), zones: 16, bins: 8)
        }
        #expect(talk.gaps == [.noFrames, .noFrames])
        #expect(talk.frames.count == 5 && talk.failures.isEmpty)
    }

    /// A silence is a silence: what comes after it has its own time, once. A byte now and then does not go on for ever.
    @Test func silenceIsNoStretchWithoutFrames() {
        var talk = Self.streaming(.join)
        talk.wait(9_000)
        talk.hear("D\n0 1 ")
        talk.wait(900)
        talk.hear("1000")
        #expect(talk.gaps == [.silence] && talk.failures.isEmpty)

        talk = Self.streaming(.join)
        Self.hear(.lines, ms: 500, in: &talk)
        // Nobody read for long, and then a piece that holds no whole frame comes.
        talk.hearLate(15_000, "7 7 7\n")
        #expect(talk.failures.isEmpty)
        Self.hear(.lines, ms: 9_999, step: 1_500, in: &talk)
        #expect(talk.failures.isEmpty)
        talk.wait(1)
        talk.hear("x")
        #expect(talk.failures.count == 1)
    }

    /// A board that starts anew needs its seconds, once.
    @Test func aRestartHasItsTime() {
        var talk = Self.streaming(.join)
        Self.hear(.lines, ms: 9_900, in: &talk)
        talk.hear(FirmwareText.banner)
        Self.hear(.lines, ms: 9_999, in: &talk)
        #expect(talk.failures.isEmpty)
        talk.hear(FirmwareText.banner)
        talk.wait(1)
        talk.hear("x")
        #expect(talk.failures.count == 1)
        #expect(talk.gaps == [.noFrames, .boardReset, .boardReset])
    }

    /// Words without frames for two seconds are how a board starts: a restart is a gap already.
    @Test func aRestartIsOneGap() {
        var talk = Self.streaming(.join)
        talk.hear("D\n0 1 2" + FirmwareText.banner)
        talk.wait(20)
        talk.hear(FirmwareText.ready)
        talk.wait(900)
        talk.hear("Applying sensor configuration...\nResolution: 16\n")
        talk.wait(990)
        talk.hear("Sensor configuration applied and ranging started.\n")
        talk.stream(3..<6, zones: 16, bins: 8)
        #expect(talk.gaps == [.boardReset])
        // The next stretch is another one.
        Self.hear(.lines, ms: 1_000, in: &talk)
        #expect(talk.gaps == [.boardReset, .noFrames])
    }

    /// Words were understood and no frame ever came: no gap in anything, and the same end.
    @Test func neverAFrame() {
        var talk = Talk(.join)
        talk.hear(FirmwareText.applied(zones: 64))
        Self.hear(.lines, ms: 9_999, in: &talk)
        #expect(talk.gaps.isEmpty && talk.failures.isEmpty)
        talk.wait(1)
        talk.hear("x")
        #expect(talk.gaps.isEmpty && talk.failures.count == 1)
    }

    /// Where the board says why, its own words are the reason.
    @Test func theBoardsOwnWordsAreTheReason() {
        let line = "Error: vl53lmz_results_extract_block failed: 2"
        var talk = Self.streaming(.join)
        for _ in 0..<101 {
            talk.hear(line + "\n")
            talk.wait(100)
        }
        #expect(talk.failures == [.sensorMissing(path: "usb:1-4", line: line)])
        #expect(talk.gaps.count { $0 == .firmwareLost } == 101 && talk.gaps.count { $0 == .noFrames } == 1)
        // Not those from before the last frame.
        talk = Self.streaming(.join)
        talk.hear(line + "\n")
        talk.stream(3..<4, zones: 16, bins: 8)
        Self.hear(.lines, ms: 10_000, in: &talk)
        #expect(talk.failures.map { if case .noFrames = $0 { true } else { false } } == [true])
    }

    /// While a configuration is being brought into force, its own limits apply, and the time begins when it is.
    @Test func configuringHasItsOwnLimits() {
        let asked = VL53L8CHConfiguration(rateHz: 30, startBin: 0, bins: 8, subsample: 16)
        var talk = Talk(.configure(asked))
        // Frames of another session for nine seconds, then garbage until the packet has gone out and its words come.
        for _ in 0..<2 { talk.hear("D\n0 x\n") }
        talk.wait(100)
        talk.hear(FirmwareText.applied(zones: 16))
        Self.hear(.garbage, ms: 9_999, in: &talk)
        #expect(talk.failures.isEmpty)
        talk.wait(1)
        talk.hear("x")
        #expect(talk.failures.count == 1 && talk.gaps.isEmpty)

        // Garbage instead of the words: the packet had no effect, and that is another matter.
        talk = Talk(.configure(asked))
        talk.hear("D\n0 x\nD\n")
        Self.hear(.lines, ms: 12_000, in: &talk)
        #expect(talk.gaps.isEmpty)
        #expect(!talk.failures.contains { if case .noFrames = $0 { true } else { false } })
    }
}
