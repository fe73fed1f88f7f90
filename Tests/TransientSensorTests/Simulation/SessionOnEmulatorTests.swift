import Testing

@testable import TransientSensor

/// A session and an emulated board talk, each on the board's own time.
private struct Conversation {
    var frames: [FirmwareFrame] = []
    var failure: SensorError?
    var gaps: [GapReason] = []
    var counters = StreamCounters()

    init(
        _ mode: VL53L8CHSession.Mode, _ faults: [String] = [], scene: SimulatedScene = .matteWall,
        joining: Joining = .midStream, seconds: Double = 40, enough: Int = 20
    ) throws {
        var board = SimulatedBoard(scene: scene, faults: try FaultSwitches(faults), seed: 8, startNs: 0, joining: joining)
        var session = VL53L8CHSession(mode: mode, path: "sim:test")
        var now: UInt64 = 0
        var outputs: [SessionOutput] = []
        session.start(nowNs: now) { outputs.append($0) }
        while now < UInt64(seconds * 1e9), failure == nil, frames.count < enough {
            for output in outputs {
                switch output {
                case .frame(let frame): frames.append(frame)
                case .failed(let error): failure = error
                case .send(let bytes): board.receive(bytes, atNs: now)
                case .gap(let reason, _): gaps.append(reason)
                case .rejected, .log, .notice: break
                }
            }
            outputs = []
            guard let next = [board.nextEventNs, session.deadlineNs].compactMap({ $0 }).min() else { break }
            now = max(now, next)
            board.advance(toNs: now) { bytes in
                session.push(bytes, Arrival(monotonicNs: now, unixMs: now / 1_000_000)) { outputs.append($0) }
            }
            if let due = session.deadlineNs, due <= now { session.tick(nowNs: now) { outputs.append($0) } }
        }
        counters = session.counters
    }
}

struct SessionOnEmulatorTests {
    @Test(arguments: [Joining.atReset, .midStream])
    func aConfigurationComesIntoForce(joining: Joining) throws {
        let talk = try Conversation(.configure(.reference), joining: joining)
        #expect(talk.failure == nil)
        #expect(talk.frames.count == 20)
        #expect(talk.frames.allSatisfy { $0.zones == 16 && $0.bins == 48 })
    }

    @Test(arguments: SimulatedScene.all.map(\.name))
    func aStreamIsJoined(scene: String) throws {
        let talk = try Conversation(.join, scene: .named(scene))
        #expect(talk.failure == nil)
        #expect(talk.frames.count == 20)
        #expect(talk.frames.allSatisfy { $0.zones == 64 && $0.bins == 18 })
    }

    @Test(arguments: [1, 2, 5, 13, 24, 25])
    func aReceiverOutOfStepIsRealigned(stray: Int) throws {
        let talk = try Conversation(.configure(.reference), ["misaligned=\(stray)"], seconds: 120)
        #expect(talk.failure == nil)
        #expect(talk.frames.count == 20)
        #expect(talk.frames.allSatisfy { $0.zones == 16 && $0.bins == 48 })
    }

    @Test func aRefusalEndsTheSession() throws {
        let talk = try Conversation(.configure(.reference), ["refuse=66"])
        guard case .configurationRefused(_, let line)? = talk.failure else {
            Issue.record("\(String(describing: talk.failure))")
            return
        }
        #expect(line.contains("vl53lmz_cnh_send_config failed : 66"))
    }

    @Test(arguments: ["not-detected", "loading-failed"])
    func aSensorThatCannotBeUsedEndsTheSession(fault: String) throws {
        let talk = try Conversation(.join, [fault])
        guard case .sensorMissing? = talk.failure else {
            Issue.record("\(String(describing: talk.failure))")
            return
        }
    }

    @Test(arguments: ["wrong-sensor", "silence-after=3", "delay=3600"])
    func silenceIsNamed(fault: String) throws {
        let talk = try Conversation(.join, [fault], seconds: 60)
        guard case .silent? = talk.failure else {
            Issue.record("\(String(describing: talk.failure))")
            return
        }
        #expect(talk.gaps == (talk.frames.isEmpty ? [] : [.silence]))
    }

    @Test func garbageIsNamed() throws {
        let talk = try Conversation(.join, ["wrong-rate"], seconds: 60)
        guard case .unreadable? = talk.failure else {
            Issue.record("\(String(describing: talk.failure))")
            return
        }
    }

    /// A line that never ends is no silence; it is seen all the same, and its frame is counted.
    @Test(arguments: [VL53L8CHSession.Mode.join, .configure(.reference)])
    func anEndlessLineIsNamed(mode: VL53L8CHSession.Mode) throws {
        let talk = try Conversation(mode, ["endless-line=60000"], joining: .atReset, seconds: 60, enough: 1_000)
        guard case .noFrames? = talk.failure else {
            Issue.record("\(String(describing: talk.failure))")
            return
        }
        #expect(!talk.frames.isEmpty)
        #expect(talk.gaps.filter { $0 == .noFrames } == [.noFrames])
        #expect(talk.counters.rejected == [.outOfRange: 1])
    }

    @Test func aRestartIsAGap() throws {
        let talk = try Conversation(.join, ["reset-after=10"], seconds: 60, enough: 18)
        #expect(talk.gaps.contains(.boardReset) && !talk.gaps.contains(.noFrames))
        #expect(talk.frames.count >= 18)
        #expect(talk.counters.rejected[.damagedByReset] ?? 0 >= 1)
    }

    /// No damage of the line makes a frame that the board did not print, but for digits lost or doubled inside a number.
    @Test(arguments: ["nul-bytes=0.001", "ff-bytes=0.001", "burst-loss=0.0002", "endless-line=30000", "piece=1", "piece=1-64"])
    func damageNeverMakesANewShape(fault: String) throws {
        let talk = try Conversation(.configure(.reference), [fault], seconds: 20, enough: 200)
        #expect(!talk.frames.isEmpty && talk.frames.allSatisfy { $0.zones == 16 && $0.bins == 48 })
        if fault.hasPrefix("piece") { #expect(talk.counters.rejected.isEmpty && talk.frames.count == 200) }
    }
}
