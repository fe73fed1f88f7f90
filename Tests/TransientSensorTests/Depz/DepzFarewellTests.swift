import Testing

@testable import TransientSensor

/// A session that ends at any moment leaves the board as it found it.
@Suite struct DepzFarewellTests {
    typealias Script = DepzAskingTests.Script

    /// All questions are refused, so that the start is sent.
    private static func refuseQuestions(_ script: inout Script) {
        while script.commands.last == DepzId.writeRegisters { script.say(DepzId.status, [DepzId.writeRegisters, 7]) }
    }

    private static func farewellId(_ script: Script) -> UInt8? { script.session.farewell.dropFirst(4).first }

    /// The answer to the start takes 175 ms, and the board may stream before: what is ended in between is stopped, too.
    @Test(arguments: [SensorProfile.depzVL53L8CX.name, SensorProfile.depzVL53L8CH.name])
    func aStartThatIsNotAnswered(profile: String) throws {
        var script = Script(try #require(SensorProfile.named(profile)))
        script.introduce()
        #expect(script.session.farewell.isEmpty)
        Self.refuseQuestions(&script)
        #expect(script.commands.last == DepzId.startStream)
        #expect(script.session.farewell == DepzPacket.bytes(id: DepzId.stopStream, sequence: UInt8(script.commands.count)))
        var bytes = DepzBytes(isVL53L8CH: false)
        script.hear(bytes.frame(0, zones: 64))
        #expect(Self.farewellId(script) == DepzId.stopStream)
        script.say(DepzId.status, [DepzId.startStream, 0])
        #expect(Self.farewellId(script) == DepzId.stopStream)
    }

    @Test func aStartThatIsRefused() {
        var script = Script(.depzVL53L8CX)
        script.introduce()
        Self.refuseQuestions(&script)
        script.say(DepzId.status, [DepzId.startStream, 4])
        #expect(script.failure != nil && script.session.farewell.isEmpty)
    }

    /// Damage on an idle line is no stream of somebody's: what is started then is stopped.
    @Test(arguments: [6, 10]) func damagedAnswersAreNoStream(place: Int) {
        var script = Script(.depzVL53L8CX)
        var answer = DepzPacket.bytes(id: DepzId.status, sequence: 1, protection: .crc16, payload: [DepzId.startStream, 0])
        answer[place] ^= 1
        script.hear(DepzPacket.bytes(id: DepzId.status, sequence: 0, payload: [0, 0]) + answer)
        script.introduce()
        Self.refuseQuestions(&script)
        script.say(DepzId.status, [DepzId.startStream, 0])
        #expect(Self.farewellId(script) == DepzId.stopStream)
    }

    /// It streams for somebody else, who may also say so late.
    @Test(arguments: [UInt64(0), 1_500]) func aBusyBoard(ms: UInt64) {
        var script = Script(.depzVL53L8CX)
        script.introduce()
        Self.refuseQuestions(&script)
        script.wait(ms)
        script.say(DepzId.status, [DepzId.startStream, DepzStatus.busy])
        #expect(script.session.farewell.isEmpty)
    }

    /// A stream of histograms pauses for the questions: ended there, it goes on with the size that its frames had.
    @Test func aStreamThatIsPaused() throws {
        var script = Script(.depzVL53L8CH)
        var bytes = DepzBytes(isVL53L8CH: true)
        let size = DepzSensor.frameBytes(zones: 16, bins: 12, isVL53L8CH: true)
        script.hear(bytes.frame(0, zones: 16, bins: 12))
        #expect(script.session.farewell.isEmpty)
        script.introduce(waitMs: 0)
        func isResumed() -> Bool {
            script.session.farewell
                == DepzPacket.bytes(
                    id: DepzId.startStream, sequence: UInt8(script.commands.count), payload: DepzSetting.littleEndian(UInt16(size)))
        }
        #expect(script.commands.last == DepzId.stopStream && isResumed())
        script.say(DepzId.status, [DepzId.stopStream, 0])
        #expect(script.commands.last == DepzId.writeRegisters && isResumed())
        Self.refuseQuestions(&script)
        // Without the sensor's word, too, it is started as it was.
        let start = try #require(script.sent.last)
        #expect(start[4] == DepzId.startStream && Array(start[7...]) == DepzSetting.littleEndian(UInt16(size)))
        #expect(script.session.farewell.isEmpty)
        script.say(DepzId.status, [DepzId.startStream, 0])
        script.hear(bytes.frame(1, zones: 16, bins: 12))
        #expect(script.frames == 1 && script.session.farewell.isEmpty)
    }

    /// The board does not let a paused stream go on: the attempt at the end is all that is left.
    @Test func aPausedStreamThatIsRefused() {
        var script = Script(.depzVL53L8CH)
        var bytes = DepzBytes(isVL53L8CH: true)
        script.hear(bytes.frame(0, bins: 12))
        script.introduce(waitMs: 0)
        script.say(DepzId.status, [DepzId.stopStream, 0])
        Self.refuseQuestions(&script)
        script.say(DepzId.status, [DepzId.startStream, 4])
        #expect(script.failure != nil && Self.farewellId(script) == DepzId.startStream)
    }

    /// Its owner has stopped a stream that was joined; this session starts it anew, and stops it.
    @Test func aJoinedStreamThatIsStartedAgain() {
        var script = Script(.depzVL53L8CX)
        var bytes = DepzBytes(isVL53L8CH: false)
        script.hear(bytes.frame(0, zones: 64))
        script.introduce()
        #expect(!script.commands.contains(DepzId.startStream) && script.session.farewell.isEmpty)
        script.hear(bytes.frame(1, zones: 64))
        script.wait(1_000)
        #expect(script.commands.last == DepzId.startStream && Self.farewellId(script) == DepzId.stopStream)
        script.say(DepzId.status, [DepzId.startStream, 0])
        #expect(Self.farewellId(script) == DepzId.stopStream)
    }

    /// It was the way that stood still: the stream is still somebody's.
    @Test func aJoinedStreamThatOnlyPaused() {
        var script = Script(.depzVL53L8CX)
        var bytes = DepzBytes(isVL53L8CH: false)
        script.hear(bytes.frame(0, zones: 64))
        script.introduce()
        script.hear(bytes.frame(1, zones: 64))
        script.wait(1_000)
        #expect(script.commands.last == DepzId.startStream)
        script.say(DepzId.status, [DepzId.startStream, DepzStatus.busy])
        #expect(script.session.farewell.isEmpty)
    }
}
