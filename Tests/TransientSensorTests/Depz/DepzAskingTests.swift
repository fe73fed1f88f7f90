import Testing

@testable import TransientSensor

/// Questions and answers one by one, with a board of words on the other side.
@Suite struct DepzAskingTests {
    /// A session, and a board that says what a test tells it to.
    struct Script {
        var session: any FirmwareSession
        private(set) var outputs: [SessionOutput] = []
        private var now: UInt64 = 0
        private var sequence: UInt8 = 0

        init(_ profile: SensorProfile) {
            session = profile.session(.join, at: SessionPlace(path: "usb:1-4"))
            var first: [SessionOutput] = []
            session.start(nowNs: 0) { first.append($0) }
            outputs = first
        }

        mutating func say(_ id: UInt8, _ payload: [UInt8]) {
            sequence &+= 1
            hear(DepzPacket.bytes(id: id, sequence: sequence, payload: payload))
        }

        mutating func hear(_ bytes: [UInt8]) {
            var said: [SessionOutput] = []
            bytes.withUnsafeBytes { session.push($0, Arrival(monotonicNs: now, unixMs: 0)) { said.append($0) } }
            outputs += said
        }

        /// Lets milliseconds pass, with a tick at every moment that the session asked for.
        mutating func wait(_ ms: UInt64) {
            let end = now + ms * 1_000_000
            var said: [SessionOutput] = []
            while let due = session.deadlineNs, due <= end {
                now = max(now, due)
                session.tick(nowNs: now) { said.append($0) }
            }
            now = end
            outputs += said
        }

        mutating func finish() {
            var said: [SessionOutput] = []
            session.finish { said.append($0) }
            outputs += said
        }

        /// Name, software and serial number are told, and after a second the wait for a stream is over.
        mutating func introduce(waitMs: UInt64 = 1_000) {
            say(DepzId.text, [0x03] + Array("DEPZ-VL53L8".utf8))
            say(DepzId.text, [0x04] + Array("APP_VL53L8_v0.9".utf8))
            say(DepzId.text, [0x05] + Array("SN000005".utf8))
            wait(waitMs)
        }

        var sent: [[UInt8]] { outputs.compactMap { if case .send(let bytes) = $0 { bytes } else { nil } } }
        var commands: [UInt8] { sent.map { $0[4] } }
        var lines: [FirmwareLine] { outputs.compactMap { if case .log(let line) = $0 { line } else { nil } } }
        var notices: [String] { outputs.compactMap { if case .notice(let notice) = $0 { notice.text } else { nil } } }
        var frames: Int { outputs.count { if case .frame = $0 { true } else { false } } }
        var failure: SensorError? { outputs.lazy.compactMap { if case .failed(let error) = $0 { error } else { nil } }.first }
    }

    @Test func oneQuestionAtATime() {
        var script = Script(.depzVL53L8CX)
        #expect(script.sent == [DepzPacket.bytes(id: 0x03, sequence: 0)])
        // An answer to something else is none.
        script.say(DepzId.text, [0x04] + Array("APP_VL53L8_v0.9".utf8))
        script.say(DepzId.status, [0x33, 0])
        #expect(script.commands == [0x03])
        script.say(DepzId.text, [0x03] + Array("DEPZ-VL53L8".utf8))
        #expect(script.sent.last == DepzPacket.bytes(id: 0x04, sequence: 1))
        // Each is given a second.
        script.wait(999)
        #expect(script.commands == [0x03, 0x04])
        script.wait(1)
        #expect(script.commands == [0x03, 0x04, 0x05])
        // An error is an answer, too.
        script.say(DepzId.status, [0x05, 2])
        #expect(script.lines.contains(.error("the board answers command 5: invalid command", fatal: false)))
        #expect(script.sent.last == DepzPacket.bytes(id: 0x33, sequence: 3, payload: DepzSetting.frameSize.question))
    }

    /// The sensor's registers are out of reach: the size of recorded frames is asked for.
    @Test(arguments: [("depz-vl53l8cx", UInt16(1_452)), ("depz-vl53l8ch", UInt16(1_444))])
    func withoutAnAnswerAboutTheSize(profile: String, size: UInt16) throws {
        var script = Script(try #require(SensorProfile.named(profile)))
        script.introduce()
        while script.commands.last == 0x33 { script.say(DepzId.status, [0x33, 7]) }
        #expect(script.sent.last?.dropFirst(7).elementsEqual(DepzSetting.littleEndian(size)) == true)
        #expect(script.commands.last == 0x35 && script.failure == nil)
    }

    /// The sensor never says that it is ready; five times it is asked.
    @Test func aSensorThatIsNeverReady() {
        var script = Script(.depzVL53L8CX)
        script.introduce()
        script.say(DepzId.status, [0x33, 0])
        for _ in 0..<5 {
            #expect(script.commands.last == 0x32)
            script.say(DepzId.registers, [0x32] + Array(repeating: 0, count: 8) + [0, 0, 0, 0])
        }
        #expect(script.commands.last == 0x35)
    }

    /// Frames show that they are longer than the board was told, or shorter: it is told so, once.
    @Test(arguments: [(16, 0), (16, 12), (64, 18)]) func theSizeIsCorrected(zones: Int, bins: Int) throws {
        var script = Script(.depzVL53L8CH)
        script.introduce()
        while script.commands.last == 0x33 { script.say(DepzId.status, [0x33, 7]) }
        script.say(DepzId.status, [0x35, 0])
        var writer = DepzResultWriter(isVL53L8CH: true)
        func data(_ number: UInt16, size: Int) -> [UInt8] {
            let whole = writer.bytes(DepzBytes.numbers(0, zones: zones, bins: bins), number: number, temperatureC: 20)
            return Array(whole.prefix(size)) + Array(repeating: 0x5a, count: max(0, size - whole.count))
        }
        var bytes = DepzBytes(isVL53L8CH: true)
        script.hear(bytes.packets(data(1, size: 1_444), deviceUs: 1_000))
        #expect(script.commands.last == 0x36 && script.frames == 0)
        script.say(DepzId.status, [0x36, 0])
        let asked = try #require(script.sent.last)
        #expect(asked[4] == 0x35)
        let size = Int(asked[7]) | Int(asked[8]) << 8
        script.say(DepzId.status, [0x35, 0])
        script.hear(bytes.packets(data(2, size: size), deviceUs: 70_000))
        #expect(script.frames == 1 && script.failure == nil)
        #expect(script.session.shape == FrameShape(zones: zones, bins: bins))
        // Nothing said how wide the bins are.
        #expect(script.session.timing == nil)
    }

    /// Somebody else's stream: the board says that it is busy.
    @Test func aBusyBoard() {
        var script = Script(.depzVL53L8CX)
        script.introduce()
        while script.commands.last == 0x33 { script.say(DepzId.status, [0x33, 6]) }
        script.say(DepzId.status, [0x35, 6])
        var bytes = DepzBytes(isVL53L8CH: false)
        script.hear(bytes.frame(0, zones: 64))
        #expect(script.frames == 1 && script.session.farewell.isEmpty)
    }

    /// A histogram setting of which the zones are not those of the frame, in order: depth is taken, and no bin has a known width.
    @Test func aSettingThatDoesNotFit() {
        var setting = DepzSensor.histogramSetting
        (setting[20], setting[28], setting[29]) = (16, 1, 0)
        var registers = DepzRegisters()
        registers.write(0x2ff4, DepzSetting.histogram.question.dropFirst(2))
        registers.answerQuestion(frameBytes: 0, histogram: setting)
        let answer = registers.read(0x2c04, 168)
        let read = DepzHistogramSetting(answer)
        #expect(read?.bins == 18 && read?.aggregates == 16 && read?.subsample == 7 && read?.offset == 0)
        #expect(read?.isZoneByZone(FrameShape(zones: 16, bins: 18)) == false)

        var session = SensorProfile.depzVL53L8CH.session(.join, at: SessionPlace(path: "replay:x", isRecorded: true))
        var notices: [String] = []
        var bytes = DepzBytes(isVL53L8CH: true)
        bytes.outgoing.append(DepzId.registers, [0x32] + Array(repeating: 0, count: 8) + answer)
        bytes.outgoing.append(DepzId.status, [DepzId.startStream, 0])
        let stream = bytes.outgoing.bytes + bytes.frame(0, bins: 18)
        session.start(nowNs: 0) { _ in }
        stream.withUnsafeBytes {
            session.push($0, Arrival(monotonicNs: 1, unixMs: 0)) { if case .notice(let notice) = $0 { notices.append(notice.text) } }
        }
        #expect(session.shape == FrameShape(zones: 16, bins: 18) && session.timing == nil)
        #expect(notices.contains { $0.contains("not one a zone in order") })
    }

    @Test func aBoardInItsBootLoaderIsNamed() {
        var script = Script(.depzVL53L8CX)
        script.say(DepzId.text, [DepzId.software] + Array("BOOTDEPZ_v1.1".utf8))
        #expect(script.notices.contains { $0.contains("boot loader") })
        #expect(script.session.firmwareVersion?.text == "BOOTDEPZ_v1.1")
    }

    @Test func wordsOfTheBoardAreTold() {
        var script = Script(.depzVL53L8CX)
        script.say(DepzId.status, [0, 9])
        for _ in 0..<3 { script.say(DepzId.sequenceError, [4, 9]) }
        script.finish()
        #expect(script.lines.first == .error("the board reports: hardware fault", fatal: false))
        #expect(script.lines.last == .remark("the board missed packets of this host 3 times"))
        #expect(script.lines.count == 3)
    }
}
