import NLOSCore
import Testing

@testable import TransientSensor

/// What goes wrong, and what the session makes of it.
struct TMF882xSessionFaultTests {
    static let ams = SensorProfile.tmf882xAms
    static let cc = SensorProfile.tmf882xCCHardware
    static let mini = SensorProfile.tmf882xMiniTof

    /// A board that streams is joined as it is; a grid that cannot be seen is asked for.
    @Test(arguments: [ams, cc].map(\.name), [3, 4, 8])
    func aStreamIsJoined(name: String, side: Int) throws {
        for hasHistograms in [true, false] {
            let talk = try TMF882xTalk(SensorProfile.named(name)!, joining: .midStream, seconds: 100, enough: 3) {
                $0.tmf882x.streamedSide = side
                $0.tmf882x.streamsHistograms = hasHistograms
            }
            #expect(talk.failure == nil && talk.faults.isEmpty)
            #expect(talk.shapes == [FrameShape(zones: side * side, bins: hasHistograms ? 128 : 0)])
            #expect(talk.view == Self.view(of: side, SensorProfile.named(name)!))
            #expect(talk.sent == (side == 3 && hasHistograms ? "" : "h") && talk.session.farewell.isEmpty)
            // While help is printed a sensor that does not wait goes on.
            if hasHistograms { #expect(talk.session.counters.framesMissing == 0) }
        }
    }

    @Test func aStreamWithoutCommandsIsJoined() throws {
        let talk = try TMF882xTalk(Self.mini, joining: .midStream)
        #expect(talk.failure == nil && talk.faults.isEmpty && talk.sent.isEmpty && talk.frames.count == 5)
        // Nobody has heard its range in this session.
        #expect(talk.session.timing == BinTiming(binWidthPs: 100, startBin: 0, basis: .assumed))
        #expect(talk.notices.contains { $0.contains("4000 thousand iterations") })
    }

    /// A range that cannot be read tells no more than none.
    @Test(arguments: [("6E", BinTimingBasis.nominal, 100), ("6F", .nominal, 260), ("0", .assumed, 100), ("7E", .assumed, 100)])
    func theRangeThatIsTold(text: String, basis: BinTimingBasis, widthPs: Float) {
        var session = Self.mini.session(.join, at: SessionPlace(path: "tty:test"))
        session.start(nowNs: 0) { _ in }
        bytes(of: ["Active range: \(text)"]).withUnsafeBytes { session.push($0, Arrival(monotonicNs: 1, unixMs: 0)) { _ in } }
        #expect(session.timing == BinTiming(binWidthPs: widthPs, startBin: 0, basis: basis))
    }

    /// No reset, and the board waits: it is asked after four seconds, and not before.
    @Test func aBoardThatWaitsIsWokenWithoutAReset() throws {
        var board = EmulatedTMF882x(.ams, EmulatorPlan(scene: .matteWall, seed: 4))
        board.advance(toNs: 3_000_000_000) { _ in }
        var session = Self.ams.session(.join, at: SessionPlace(path: "tty:test"))
        var sent: [(ns: UInt64, text: String)] = []
        var frames = 0
        var now: UInt64 = 3_000_000_000
        let take = { (output: SessionOutput) in
            switch output {
            case .send(let bytes): sent.append((now, String(decoding: bytes, as: UTF8.self)))
            case .frame: frames += 1
            default: break
            }
        }
        session.start(nowNs: now, take)
        while now < 20_000_000_000, frames < 2, let next = [board.nextEventNs, session.deadlineNs].compactMap(\.self).min() {
            now = max(now, next)
            let before = sent.count
            board.advance(toNs: now) { session.push($0, Arrival(monotonicNs: now, unixMs: 0), take) }
            if let due = session.deadlineNs, due <= now { session.tick(nowNs: now, take) }
            for (_, text) in sent[before...] { board.receive(Array(text.utf8), atNs: now) }
        }
        #expect(frames == 2 && sent.map(\.text).joined() == "hoEzm")
        #expect(sent[0].ns == 7_000_000_000)
    }

    /// A board that streams is stopped before it is given another grid.
    @Test(arguments: [ams, cc].map(\.name))
    func aStreamIsGivenAnotherGrid(name: String) throws {
        let talk = try TMF882xTalk(SensorProfile.named(name)!, .grid(side: 8), joining: .midStream, seconds: 100, enough: 2)
        #expect(talk.failure == nil && talk.faults.isEmpty && talk.shapes == [FrameShape(zones: 64, bins: 128)])
        #expect(talk.sent == (name == Self.ams.name ? "sdezm" : "sdoeczm") || talk.sent == (name == Self.ams.name ? "sdoezm" : "sdoeczm"))
        #expect(talk.sent.filter { $0 == "c" }.count <= 1)
    }

    /// `E` that leaves the mode as it is, one that sets it, and one that goes back to 8x8.
    @Test(arguments: TMF882xOptions.Loading.allCases, [3, 4, 8])
    func everyWayOfLoading(loading: TMF882xOptions.Loading, side: Int) throws {
        for profile in [Self.ams, Self.cc] {
            let talk = try TMF882xTalk(profile, .grid(side: side), seconds: 100, enough: 2) { $0.tmf882x.loading = loading }
            #expect(talk.failure == nil && talk.shapes == [FrameShape(zones: side * side, bins: 128)], "\(talk.sent)")
            #expect(talk.view == Self.view(of: side, profile))
        }
    }

    /// Of the emulated boards: maps 1 and 6, 7, 15.
    private static func view(of side: Int, _ profile: SensorProfile) -> FieldOfView {
        switch side {
        case 8: FieldOfView(degreesX: 41, degreesY: 52)
        case 3 where profile.name == ams.name: FieldOfView(degreesX: 29, degreesY: 29)
        default: FieldOfView(degreesX: 44, degreesY: 48)
        }
    }

    @Test func carriageReturnsAndOtherBoards() throws {
        for profile in [Self.ams, Self.cc, Self.mini] {
            let talk = try TMF882xTalk(profile) { $0.tmf882x.endsLinesWithCR = true }
            #expect(talk.failure == nil && talk.frames.count == 5 && talk.faults.isEmpty)
        }
    }

    @Test func threeSensorsAreOne() throws {
        let talk = try TMF882xTalk(Self.ams, seconds: 100) { $0.tmf882x.hasThreeSensors = true }
        #expect(talk.frames.count == 5 && talk.faults.isEmpty && talk.session.counters.framesMissing == 0)
        #expect(talk.notices.filter { $0.contains("another sensor") }.count == 2)
        // All of the first.
        let alone = try TMF882xTalk(Self.ams, seconds: 100)
        #expect(talk.frames.map(\.histogram.count) == alone.frames.map(\.histogram.count))
        #expect(talk.frames[0].distanceMm == alone.frames[0].distanceMm)
    }

    /// The board restarts and the session brings it back to what it was; one that was only joined too.
    @Test(arguments: [StreamRequest.join, .light, .grid(side: 4), .grid(side: 8)])
    func aResetInMidStream(request: StreamRequest) throws {
        for profile in [Self.ams, Self.cc] {
            let talk = try TMF882xTalk(profile, request, ["reset-after=3"], seconds: 200, enough: 8)
            #expect(talk.failure == nil && talk.frames.count == 8 && talk.shapes.count == 1, "\(profile.name)")
            // Distances come so often that the boot loader's pause is a gap of its own.
            #expect(talk.gaps.filter { $0 != .silence } == [.boardReset, .boardReset])
            #expect(request == .light || talk.faults == [.damagedByReset, .damagedByReset])
        }
        let joined = try TMF882xTalk(Self.cc, ["reset-after=3"], joining: .midStream, side: 4)
        #expect(
            joined.gaps.count >= 2 && joined.gaps.allSatisfy { $0 == .boardReset } && joined.shapes == [FrameShape(zones: 16, bins: 128)])
    }

    @Test func aResetOfABoardThatStreamsByItself() throws {
        let talk = try TMF882xTalk(Self.mini, .join, ["reset-after=3"], seconds: 60, enough: 8)
        #expect(talk.failure == nil && talk.frames.count == 8)
        #expect(talk.gaps.filter { $0 == .boardReset } == [.boardReset, .boardReset])
        #expect(talk.session.counters.framesMissing == 0)
        #expect(talk.session.timing?.basis == .nominal)
    }

    /// The sketch says that the sensor has stopped; it is told to measure again.
    @Test func aMeasurementThatStopsIsStartedAgain() throws {
        let talk = try TMF882xTalk(Self.ams, .join, ["extract-error=4"], seconds: 60, enough: 9)
        #expect(talk.failure == nil && talk.frames.count == 9)
        #expect(talk.gaps == [.firmwareLost, .firmwareLost])
        #expect(talk.sent == "oEzmmm")
        #expect(talk.log.contains(.error("#Err,inter,16,but no data", fatal: false)))
    }

    @Test func iterationsAreToldAndJudged() throws {
        let many = try TMF882xTalk(Self.cc)
        #expect(many.log.contains(.remark("#Conf,Period=16ms,KIter=10000 SPAD=6 Pers=0")))
        #expect(many.notices.filter { $0.contains("10000 thousand iterations") }.count == 1)
        let few = try TMF882xTalk(Self.ams, .grid(side: 8), seconds: 100, enough: 1)
        #expect(few.log.contains(.remark("#Conf,Period=132ms,KIter=250 SPAD=15 Pers=0")) && few.notices.isEmpty)
    }

    @Test func whatTheBoardSaysOfItself() throws {
        let talk = try TMF882xTalk(Self.cc, .grid(side: 4), seconds: 100, enough: 1)
        #expect(talk.session.firmwareVersion?.text == "driver-1.14_fw-1.2.3.4")
        #expect(talk.session.fieldOfView == TMF882xSpadMap(number: 7).fieldOfView)
        #expect(talk.session.timing == BinTiming(binWidthPs: 260, startBin: 0, basis: .nominal))
        #expect(!talk.log.contains { "\($0)".contains("Serial") })
    }

    @Test(arguments: ["not-detected", "wrong-sensor", "loading-failed"])
    func aSensorThatDoesNotStart(fault: String) throws {
        let talk = try TMF882xTalk(Self.ams, .join, [fault])
        guard case .sensorMissing(_, "#Err,Config") = talk.failure else {
            Issue.record("\(String(describing: talk.failure))")
            return
        }
        let silent = try TMF882xTalk(Self.mini, .join, [fault])
        guard case .silent = silent.failure else {
            Issue.record("\(String(describing: silent.failure))")
            return
        }
    }

    @Test func silenceIsNamed() throws {
        for profile in [Self.ams, Self.cc, Self.mini] {
            let late = try TMF882xTalk(profile, .join, ["delay=3600"])
            guard case .silent = late.failure else {
                Issue.record("\(String(describing: late.failure))")
                return
            }
            let ended = try TMF882xTalk(profile, .join, ["silence-after=3"], seconds: 100)
            guard case .silent = ended.failure else {
                Issue.record("\(String(describing: ended.failure))")
                return
            }
            #expect(ended.frames.count == 3 && ended.gaps == [.silence])
        }
    }

    /// The first byte comes this late; boards with a slow start are waited for.
    @Test(arguments: ["delay=0.1", "delay=1.8", "delay=4", "delay=6"])
    func aLateStartIsWaitedFor(fault: String) throws {
        let talk = try TMF882xTalk(Self.ams, .join, [fault])
        #expect(talk.failure == nil && talk.frames.count == 5 && talk.faults.isEmpty)
    }

    @Test func garbageIsNamed() throws {
        for profile in [Self.ams, Self.mini] {
            let talk = try TMF882xTalk(profile, .join, ["wrong-rate"])
            guard case .unreadable(_, _, profile.lineCoding.baud) = talk.failure else {
                Issue.record("\(String(describing: talk.failure))")
                return
            }
        }
    }

    @Test func anEndlessLineIsNamed() throws {
        let talk = try TMF882xTalk(Self.mini, .join, ["endless-line=50000"], enough: 1_000)
        guard case .noFrames = talk.failure else {
            Issue.record("\(String(describing: talk.failure))")
            return
        }
        #expect(talk.frames.count > 2 && talk.gaps.contains(.noFrames))
    }

    /// Damage of the line never makes a frame that the board did not print.
    @Test(arguments: ["nul-bytes=0.000005", "ff-bytes=0.000005", "piece=1", "piece=1-64", "duplicate-packet=0.0001"], [3, 4, 8])
    func damageIsSurvived(fault: String, side: Int) throws {
        let frames = (0..<4).map { TMF882xLog.frame(TMF882xLayout(side: side, hasHistograms: true), seed: UInt64($0)) }
        let talk = try TMF882xTalk(Self.cc, .grid(side: side), [fault], scene: .recorded(frames), seconds: 100, enough: 6)
        #expect(talk.failure == nil && !talk.frames.isEmpty)
        let known = Set(frames.map(\.histogram))
        #expect(talk.frames.allSatisfy { known.contains($0.histogram) })
        if fault.hasPrefix("piece") { #expect(talk.frames.count == 6 && talk.faults.isEmpty) }
        let counters = talk.session.counters
        #expect(counters.rejected.values.reduce(0, +) == UInt64(talk.faults.count))
    }

    /// A command or its answer is lost on the line: it is asked again, and no command goes out that could do harm twice.
    @Test(arguments: 1...12)
    func lostAnswersAreAskedFor(seed: Int) throws {
        let talk = try TMF882xTalk(Self.cc, .grid(side: 4), ["burst-loss=0.0\(seed % 3)0\(seed)"], seconds: 60, enough: 1)
        for load in talk.sent.split(separator: "d", omittingEmptySubsequences: false) { #expect(load.filter { $0 == "c" }.count <= 1) }
    }

    /// What was recorded is taken as it comes, and nothing is sent.
    @Test func aRecordingIsPlayedBack() throws {
        var board = EmulatedTMF882x(.ams, EmulatorPlan(scene: .matteWall, seed: 4, joining: .midStream))
        var session = Self.ams.session(.join, at: SessionPlace(path: "replay:x", isRecorded: true))
        var frames = 0
        session.start(nowNs: 0) { _ in Issue.record("says something at once") }
        board.advance(toNs: 6_000_000_000) {
            session.push($0, Arrival(monotonicNs: 0, unixMs: 0)) { output in
                if case .send = output { Issue.record("sent") }
                if case .frame = output { frames += 1 }
            }
        }
        session.tick(nowNs: 500_000_000_000) { #expect($0 == .gap(.silence, atMonotonicNs: 0)) }
        session.finish { _ in }
        #expect(frames >= 5 && session.farewell.isEmpty && session.deadlineNs == nil)
    }

    /// Another family's board on the port is named as what cannot be read.
    @Test func anotherFamilyIsOnThePort() throws {
        var board = EmulatedVL53L8CH(EmulatorPlan(scene: .matteWall, seed: 4))
        for profile in [Self.ams, Self.mini] {
            var session = profile.session(.join, at: SessionPlace(path: "tty:test"))
            var failure: SensorError?
            session.start(nowNs: 0) { _ in }
            var now: UInt64 = 0
            while failure == nil, now < 60_000_000_000, let next = board.nextEventNs {
                now = max(next, now)
                board.advance(toNs: now) {
                    session.push($0, Arrival(monotonicNs: now, unixMs: 0)) {
                        if case .frame = $0 { Issue.record("a frame") }
                        if case .failed(let error) = $0 { failure = error }
                    }
                }
            }
            guard case .unreadable = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
            board = EmulatedVL53L8CH(EmulatorPlan(scene: .matteWall, seed: 4))
        }
    }
}

extension TMF882xTalk {
    /// A stream of this grid is joined.
    fileprivate init(_ profile: SensorProfile, _ faults: [String], joining: Joining, side: Int) throws {
        try self.init(profile, .join, faults, joining: joining, seconds: 200, enough: 8) { $0.tmf882x.streamedSide = side }
    }
}
