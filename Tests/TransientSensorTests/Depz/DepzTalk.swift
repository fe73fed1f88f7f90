@testable import TransientSensor

/// A session and an emulated board talk, each on the board's own time.
struct DepzTalk {
    private(set) var outputs: [SessionOutput] = []
    private(set) var session: any FirmwareSession
    private(set) var board: SimulatedBoard
    /// What the board has said, as it came.
    private(set) var heard: [(bytes: [UInt8], arrival: Arrival)] = []

    /// Ends with a failure, after `enough` frames, or when the time is over.
    init(
        _ profile: SensorProfile, _ faults: [String] = [], scene: SimulatedScene = .matteWall, joining: Joining = .atReset,
        burst: Int = 256, seconds: Double = 40, enough: Int = 20, isRecorded: Bool = false, resetAtNs: UInt64? = nil
    ) throws {
        var options = EmulationOptions()
        options.burstBytes = burst
        board = SimulatedBoard(
            profile, scene: scene, faults: try FaultSwitches(faults), options: options, seed: 8, startNs: 0, joining: joining)
        session = profile.session(.join, at: SessionPlace(path: "sim:test", isRecorded: isRecorded))
        var now: UInt64 = 0
        var resetAtNs = resetAtNs
        var said: [SessionOutput] = []
        session.start(nowNs: now) { said.append($0) }
        while now < UInt64(seconds * 1e9), failure == nil, frames.count < enough {
            for output in said { if case .send(let bytes) = output { board.receive(bytes, atNs: now) } }
            outputs += said
            said = []
            guard let next = [board.nextEventNs, session.deadlineNs, resetAtNs].compactMap({ $0 }).min() else { break }
            now = max(now, next)
            board.advance(toNs: now) { bytes in
                let arrival = Arrival(monotonicNs: now, unixMs: now / 1_000_000)
                heard.append((Array(bytes), arrival))
                session.push(bytes, arrival) { said.append($0) }
            }
            if let due = resetAtNs, due <= now {
                board.firmware.reset(atNs: now)
                resetAtNs = nil
            }
            if let due = session.deadlineNs, due <= now { session.tick(nowNs: now) { said.append($0) } }
        }
        outputs += said
        session.finish { outputs.append($0) }
    }

    var frames: [FirmwareFrame] { outputs.compactMap { if case .frame(let frame) = $0 { frame } else { nil } } }
    var faults: [FrameFault] { outputs.compactMap { if case .rejected(let fault) = $0 { fault } else { nil } } }
    var gaps: [GapReason] { outputs.compactMap { if case .gap(let reason, _) = $0 { reason } else { nil } } }
    var notices: [String] { outputs.compactMap { if case .notice(let notice) = $0 { notice.text } else { nil } } }
    var failure: SensorError? { outputs.lazy.compactMap { if case .failed(let error) = $0 { error } else { nil } }.first }
    var lines: [FirmwareLine] { outputs.compactMap { if case .log(let line) = $0 { line } else { nil } } }

    /// Ids of the commands that were sent, in order.
    var commands: [UInt8] { outputs.compactMap { if case .send(let bytes) = $0 { bytes[4] } else { nil } } }
}
