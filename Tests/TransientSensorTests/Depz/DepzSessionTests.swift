import Testing

@testable import TransientSensor

/// The whole conversation in the board's own time.
@Suite struct DepzSessionTests {
    static let shapeCH = FrameShape(zones: 64, bins: 18)
    static let shapeCX = FrameShape(zones: 64, bins: 0)

    /// Nothing streams: the board says who it is, the sensor says how long its frames are and how it makes its histograms.
    @Test func aStreamIsStarted() throws {
        let talk = try DepzTalk(.depzVL53L8CH)
        #expect(talk.failure == nil && talk.frames.count == 20)
        #expect(talk.frames.allSatisfy { $0.shape == Self.shapeCH && $0.temperatureC == 38 && $0.deviceUs != nil })
        #expect(talk.frames.allSatisfy { $0.targetStatus?.contains(5) == true })
        #expect(talk.commands == [0x03, 0x04, 0x05, 0x33, 0x32, 0x32, 0x33, 0x32, 0x32, 0x35])
        #expect(talk.session.firmwareVersion?.text == "APP_VL53L8_v0.9")
        #expect(talk.session.timing == BinTiming(binWidthPs: 1_750, startBin: 0, basis: .reported))
        #expect(talk.session.shape == Self.shapeCH)
        #expect(talk.faults.isEmpty && talk.gaps.isEmpty && talk.notices.isEmpty)
        // Its serial number is nobody's business.
        #expect(talk.lines == [.remark("DEPZ-VL53L8"), .remark("APP_VL53L8_v0.9")])
        // What was started is stopped.
        #expect(talk.session.farewell == DepzPacket.bytes(id: 0x36, sequence: UInt8(talk.commands.count)))
    }

    @Test func aVL53L8CXIsStarted() throws {
        let talk = try DepzTalk(.depzVL53L8CX)
        #expect(talk.failure == nil && talk.frames.count == 20)
        #expect(talk.frames.allSatisfy { $0.shape == Self.shapeCX })
        #expect(talk.commands == [0x03, 0x04, 0x05, 0x33, 0x32, 0x32, 0x35])
        #expect(talk.session.timing == nil && talk.notices.isEmpty && talk.faults.isEmpty)
    }

    /// A board that streams is not told to, and goes on when this is over.
    @Test func aStreamIsJoined() throws {
        let talk = try DepzTalk(.depzVL53L8CX, joining: .midStream)
        #expect(talk.failure == nil && talk.frames.count == 20)
        #expect(talk.commands.allSatisfy { [0x03, 0x04, 0x05].contains($0) })
        #expect(talk.session.farewell.isEmpty && talk.faults.isEmpty)
    }

    /// A VL53L8CH has to pause for its answer.
    @Test func aStreamOfHistogramsIsJoined() throws {
        let talk = try DepzTalk(.depzVL53L8CH, joining: .midStream)
        #expect(talk.failure == nil && talk.frames.count == 20)
        #expect(talk.commands == [0x03, 0x04, 0x05, 0x36, 0x33, 0x32, 0x32, 0x33, 0x32, 0x32, 0x35])
        #expect(talk.session.timing?.basis == .reported)
        #expect(talk.session.farewell.isEmpty)
    }

    @Test(arguments: SimulatedScene.all.map(\.name), [SensorProfile.depzVL53L8CH.name, SensorProfile.depzVL53L8CX.name])
    func everyScene(scene: String, profile: String) throws {
        let talk = try DepzTalk(try #require(SensorProfile.named(profile)), scene: .named(scene), joining: .midStream)
        #expect(talk.failure == nil && talk.frames.count == 20)
    }

    /// A recording may hold no answer at all.
    @Test func aRecordingIsTakenAsItComes() throws {
        let talk = try DepzTalk(.depzVL53L8CH, joining: .midStream, isRecorded: true)
        #expect(talk.failure == nil && talk.frames.count == 20 && talk.commands.isEmpty)
        #expect(talk.session.timing == nil)
        #expect(talk.notices.contains { $0.contains("did not say how it makes its histograms") })
    }

    /// What a session has heard, played to another one: the same frames, and bins of the same width.
    @Test(arguments: [Joining.atReset, .midStream]) func aRecordedSession(joining: Joining) throws {
        let talk = try DepzTalk(.depzVL53L8CH, joining: joining)
        var session = SensorProfile.depzVL53L8CH.session(.join, at: SessionPlace(path: "replay:x", isRecorded: true))
        var frames: [FirmwareFrame] = []
        session.start(nowNs: talk.heard[0].arrival.monotonicNs) { _ in }
        for piece in talk.heard {
            session.tick(nowNs: piece.arrival.monotonicNs) { _ in }
            piece.bytes.withUnsafeBytes { session.push($0, piece.arrival) { if case .frame(let frame) = $0 { frames.append(frame) } } }
        }
        #expect(frames == talk.frames)
        #expect(session.timing?.basis == .reported)
    }

    // MARK: Sensors that do not measure

    @Test(arguments: ["loading-failed", "not-detected", "wrong-sensor", "refuse=4"])
    func aSensorWithoutItsFirmware(fault: String) throws {
        let talk = try DepzTalk(.depzVL53L8CH, [fault])
        guard case .sensorNotRunning(let path, let line)? = talk.failure else {
            Issue.record("\(String(describing: talk.failure))")
            return
        }
        #expect(path == "sim:test")
        let said = [
            "loading-failed": "not initialised", "not-detected": "hardware fault", "wrong-sensor": "no frame came",
            "refuse=4": "invalid parameter",
        ]
        #expect(line.contains(said[fault]!), "\(line)")
        #expect(talk.frames.isEmpty)
    }

    @Test func aSilentBoard() throws {
        let talk = try DepzTalk(.depzVL53L8CX, ["delay=3600"])
        #expect(talk.failure == .silent(path: "sim:test", seconds: 5))
    }

    @Test func garbage() throws {
        let talk = try DepzTalk(.depzVL53L8CX, ["wrong-rate"], joining: .midStream)
        guard case .unreadable? = talk.failure else {
            Issue.record("\(String(describing: talk.failure))")
            return
        }
    }

    /// Depth goes on; only the histograms are missing, and that is said.
    @Test func aVL53L8CXBehindTheOtherId() throws {
        let talk = try DepzTalk(.depzVL53L8CH, ["depz-cx-behind-ch"])
        #expect(talk.failure == nil && talk.frames.count == 20)
        #expect(talk.frames.allSatisfy { $0.shape == Self.shapeCX })
        #expect(talk.notices.contains { $0.contains("no histograms") && $0.contains("VL53L8CX") })
        #expect(talk.session.timing == nil)
    }

    // MARK: Faults in the stream

    /// Everything that this board measures in its first minutes: the same seed measures the same, with histograms around it or without.
    static let known = Set((try? DepzTalk(.depzVL53L8CX, seconds: 90, enough: 250))?.frames.map(\.distanceMm) ?? [])

    struct Row: CustomTestStringConvertible {
        let fault: String
        let rejected: FrameFault?
        let gap: GapReason?
        var testDescription: String { fault }
    }

    static let rows = [
        Row(fault: "depz-header-crc=4", rejected: .checksum, gap: .bytesLost),
        Row(fault: "depz-payload-crc=4", rejected: .checksum, gap: nil),
        Row(fault: "depz-magic=4", rejected: nil, gap: nil),
        Row(fault: "depz-missing-chunk=4", rejected: .missingPart, gap: .bytesLost),
        Row(fault: "depz-changing-size=4", rejected: .missingPart, gap: nil),
        Row(fault: "depz-packet-gap=4", rejected: nil, gap: nil),
        Row(fault: "depz-empty-payload=4", rejected: nil, gap: nil),
        Row(fault: "depz-torn=4", rejected: .torn, gap: nil),
        Row(fault: "extract-error=4", rejected: nil, gap: .framesMissing),
        Row(fault: "overflow-bin=4", rejected: nil, gap: nil),
    ]

    /// Every frame that comes is whole and the board's own; what does not come is told.
    @Test(arguments: rows) func faultsOfTheBoard(row: Row) throws {
        let talk = try DepzTalk(.depzVL53L8CH, [row.fault], enough: 18)
        #expect(talk.failure == nil && talk.frames.count == 18)
        #expect(Set(talk.faults) == Set([row.rejected].compactMap(\.self)))
        #expect(Set(talk.gaps) == Set([row.gap].compactMap(\.self)))
        #expect(talk.session.counters.framesMissing == UInt64(row.rejected == nil ? talk.gaps.count : 0))
        #expect((row.rejected == nil) == talk.faults.isEmpty)
        if row.rejected != nil, row.gap != nil { #expect(talk.faults.count == talk.gaps.count) }
        if row.fault != "extract-error=4" {
            #expect(talk.frames.allSatisfy { Self.known.contains($0.distanceMm) })
        }
        let counters = talk.session.counters
        #expect(counters.framesDecoded == UInt64(talk.frames.count))
        #expect(counters.rejected.values.reduce(0, +) == UInt64(talk.faults.count))
    }

    /// A header that names a checksum where there is none takes the beginning of what follows for it, and costs that, too.
    @Test func aWrongProtectionCostsNoMoreThanTheNextFrame() throws {
        let talk = try DepzTalk(.depzVL53L8CX, ["depz-wrong-kind=8"], enough: 30)
        #expect(talk.failure == nil && talk.frames.count == 30)
        #expect(Set(talk.faults) == [.checksum])
        #expect(talk.session.counters.framesMissing.map { $0 > 0 && $0 <= UInt64(2 * talk.faults.count) } == true)
    }

    /// The pace of a recorded board: two of three frames never come, and some come twice.
    @Test func theRecordedPace() throws {
        let talk = try DepzTalk(.depzVL53L8CX, ["depz-pace"], enough: 38)
        #expect(talk.failure == nil && talk.frames.count == 38)
        #expect(talk.faults.count >= 7 && Set(talk.faults) == [.repeated])
        #expect(talk.session.counters.framesMissing.map { (60...75).contains($0) } == true)
        #expect(talk.gaps.allSatisfy { $0 == .framesMissing })
        let seconds = Double(talk.frames.last!.arrival.monotonicNs - talk.frames[0].arrival.monotonicNs) * 1e-9
        #expect((6.5...7.5).contains(seconds))
    }

    // MARK: Resets and silence

    /// The board restarts inside a frame: told, and the stream is started again with the size that its frames had.
    @Test(arguments: [SensorProfile.depzVL53L8CH.name, SensorProfile.depzVL53L8CX.name], [Joining.atReset, .midStream])
    func aResetInMidStream(profile: String, joining: Joining) throws {
        let talk = try DepzTalk(try #require(SensorProfile.named(profile)), ["reset-after=10"], joining: joining, seconds: 60, enough: 35)
        #expect(talk.failure == nil && talk.frames.count == 35)
        #expect(talk.gaps.filter { $0 == .boardReset }.count >= 2, "\(talk.gaps)")
        #expect(talk.gaps.contains(.silence))
        // Also a stream that was joined flows now because of this session.
        #expect(talk.session.farewell.dropFirst(4).first == DepzId.stopStream)
    }

    @Test func theButton() throws {
        let talk = try DepzTalk(.depzVL53L8CH, enough: 60, resetAtNs: 4_000_000_000)
        #expect(talk.failure == nil && talk.frames.count == 60)
        #expect(talk.gaps.contains(.boardReset))
        #expect(talk.session.timing?.basis == .reported)
    }

    @Test func aStreamThatEnds() throws {
        let talk = try DepzTalk(.depzVL53L8CX, ["silence-after=10", "wrong-sensor"], joining: .midStream)
        #expect(talk.failure != nil && talk.frames.isEmpty)
        // Started again, which helps nothing: a gap first, and in the end a reason.
        let silent = try DepzTalk(.depzVL53L8CX, ["silence-after=10"], seconds: 40)
        #expect(silent.failure != nil && silent.gaps.contains(.silence) && silent.frames.count == 10, "\(silent.frames.count)")
    }

    // MARK: The line

    /// Bytes vanish, come twice, are added: frames that come are the board's, and the session lives.
    @Test(arguments: [
        ["byte-loss=0.0001"], ["burst-loss=0.00002"], ["duplicate-packet=0.003"], ["nul-bytes=0.0001"], ["ff-bytes=0.0001"],
        ["byte-loss=0.0001", "piece=1-700"], ["piece=1"],
    ])
    func aBadLine(faults: [String]) throws {
        for profile in [SensorProfile.depzVL53L8CH, .depzVL53L8CX] {
            let talk = try DepzTalk(profile, faults, joining: .midStream, seconds: 60, enough: 50)
            #expect(talk.failure == nil && talk.frames.count == 50, "\(String(describing: talk.failure))")
            #expect(talk.frames.allSatisfy { Self.known.contains($0.distanceMm) })
            #expect(faults == ["piece=1"] || !talk.gaps.isEmpty || !talk.faults.isEmpty)
        }
    }
}
