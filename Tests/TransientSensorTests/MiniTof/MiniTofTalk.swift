import NLOSCore

@testable import TransientSensor

/// A session and an emulated board talk on the board's own time.
struct MiniTofTalk {
    private(set) var outputs: [SessionOutput] = []
    private(set) var session: MiniTofSession
    private(set) var board: SimulatedBoard
    private(set) var nowNs: UInt64 = 0

    init(_ faults: [String] = [], scene: SimulatedScene = .matteWall, joining: Joining = .midStream, seed: UInt64 = 8) throws {
        board = SimulatedBoard(.miniTof, scene: scene, faults: try FaultSwitches(faults), seed: seed, startNs: 0, joining: joining)
        session = MiniTofSession(at: SessionPlace(path: "sim:test"))
        var said: [SessionOutput] = []
        session.start(nowNs: 0) { said.append($0) }
        outputs = said
    }

    /// Until the time, the end of the session or so many frames.
    mutating func run(seconds: Double, enough: Int = .max) {
        let end = nowNs + UInt64(seconds * 1e9)
        while failure == nil, frames.count < enough {
            guard let next = [board.nextEventNs, session.deadlineNs].compactMap({ $0 }).min(), next <= end else { break }
            nowNs = max(nowNs, next)
            let now = nowNs
            var said: [SessionOutput] = []
            var chunks: [[UInt8]] = []
            board.advance(toNs: now) { chunks.append(Array($0)) }
            for chunk in chunks {
                chunk.withUnsafeBytes { session.push($0, Arrival(monotonicNs: now, unixMs: now / 1_000_000)) { said.append($0) } }
            }
            if let due = session.deadlineNs, due <= now { session.tick(nowNs: now) { said.append($0) } }
            outputs += said
        }
        nowNs = max(nowNs, min(end, nowNs))
    }

    mutating func change(_ body: (inout SimulatedBoard) -> Void) { body(&board) }

    var frames: [FirmwareFrame] { outputs.compactMap { if case .frame(let frame) = $0 { frame } else { nil } } }
    var faults: [FrameFault] { outputs.compactMap { if case .rejected(let fault) = $0 { fault } else { nil } } }
    var gaps: [GapReason] { outputs.compactMap { if case .gap(let reason, _) = $0 { reason } else { nil } } }
    var notices: [Message] { outputs.compactMap { if case .notice(let notice) = $0 { notice } else { nil } } }
    var failure: SensorError? {
        for case .failed(let error) in outputs { return error }
        return nil
    }
    var sent: [UInt8] { outputs.flatMap { if case .send(let bytes) = $0 { bytes } else { [UInt8]() } } }
}
