import NLOSCore
import Testing

@testable import TransientSensor

/// What a board of some family says in a few seconds, and when.
struct FamilyStream: CustomStringConvertible, Sendable {
    /// Who else is on the line.
    enum Host: Sendable {
        /// The family's own session, which starts the stream where it has to be started.
        case own
        /// Nobody speaks to the board.
        case nobody
    }

    /// How often a byte is lost on the line.
    enum Damage: Double, CaseIterable, Sendable {
        case none = 0
        /// Most frames of most families are still whole.
        case light = 0.00002
        /// Hardly any frame is whole, and lines and packets are of every wrong kind.
        case heavy = 0.001
    }

    /// A board that speaks: a profile's, and the fault switches that make it another firmware of the family.
    struct Emitter: CustomTestStringConvertible, Hashable, Sendable {
        let name: String
        var switches: [String] = []

        var testDescription: String { ([name] + switches).joined(separator: " ") }

        static let all =
            SensorProfile.all.map { Emitter(name: $0.name) } + [
                Emitter(name: SensorProfile.miniTof.name, switches: ["mini-no-ambient"]),
                Emitter(name: SensorProfile.miniTof.name, switches: ["mini-metadata=cycle"]),
            ]

        var profile: SensorProfile { SensorProfile.named(name) ?? .nucleoVL53L8CH }
    }

    let emitter: Emitter
    var profile: SensorProfile { emitter.profile }
    let joining: Joining
    let damage: Damage
    private(set) var chunks: [(bytes: [UInt8], ns: UInt64)] = []
    /// What its own session took, or nothing without one.
    private(set) var framesTaken = 0

    var description: String { "\(emitter.testDescription), \(joining), damage: \(damage)" }
    var bytes: [UInt8] { chunks.flatMap(\.bytes) }

    static let seconds = 8.0
    /// Enough for many frames of every family; what comes later is more of the same.
    static let mostBytes = 163_840

    /// `coding` is what the host's side of the line is set to; the board's own where none is given.
    init(_ emitter: Emitter, _ joining: Joining, _ damage: Damage, host: Host, coding: LineCoding? = nil) {
        self.emitter = emitter
        let profile = emitter.profile
        self.joining = joining
        self.damage = damage
        guard var faults = try? FaultSwitches(emitter.switches) else { return }
        faults.line.byteLoss = damage.rawValue
        var board = SimulatedBoard(profile, scene: .matteWall, faults: faults, seed: 5, startNs: 0, joining: joining)
        board.firmware.setLineCoding(coding ?? profile.lineCoding)
        var session = profile.session(.join, at: SessionPlace(path: "sim:test"))
        var outputs: [SessionOutput] = []
        session.start(nowNs: 0) { outputs.append($0) }
        var (now, count, isOver) = (UInt64(0), 0, false)
        while count < Self.mostBytes {
            for output in outputs {
                switch output {
                case .send(let bytes): if host == .own { board.receive(bytes, atNs: now) }
                case .frame: framesTaken += host == .own ? 1 : 0
                case .failed: isOver = true
                case .rejected, .log, .gap, .notice: break
                }
            }
            outputs.removeAll()
            let due = host == .own && !isOver ? session.deadlineNs : nil
            guard let next = [board.nextEventNs, due].compactMap({ $0 }).min(), next <= UInt64(Self.seconds * 1e9) else { break }
            now = max(now, next)
            var chunk: [UInt8] = []
            board.advance(toNs: now) { chunk.append(contentsOf: $0) }
            if !chunk.isEmpty {
                chunks.append((chunk, now))
                count += chunk.count
                chunk.withUnsafeBytes { session.push($0, Arrival(monotonicNs: now, unixMs: 0)) { outputs.append($0) } }
            }
            if let due, due <= now { session.tick(nowNs: now) { outputs.append($0) } }
        }
    }

    /// Frames that a session of `profile` takes from this.
    func frames(taken profile: SensorProfile, _ request: StreamRequest, isRecorded: Bool) -> Int {
        Self.frames(taken: profile, request, isRecorded: isRecorded, from: chunks)
    }

    static func frames(
        taken profile: SensorProfile, _ request: StreamRequest, isRecorded: Bool, from chunks: [(bytes: [UInt8], ns: UInt64)]
    ) -> Int {
        var session = profile.session(request, at: SessionPlace(path: "test", isRecorded: isRecorded))
        var frames = 0
        let count = { (output: SessionOutput) -> Void in if case .frame = output { frames += 1 } }
        session.start(nowNs: 0, count)
        for (bytes, ns) in chunks {
            while let due = session.deadlineNs, due < ns {
                session.tick(nowNs: due, count)
                guard session.deadlineNs != due else { break }
            }
            bytes.withUnsafeBytes { session.push($0, Arrival(monotonicNs: ns, unixMs: 0), count) }
        }
        session.finish(count)
        return frames
    }

    /// Of every profile: undamaged and damaged, and from the start and in the middle.
    static let withOwnHost = all(host: .own)
    /// What a board says to somebody who only listens.
    static let withoutHost = all(host: .nobody)

    private static func all(host: Host) -> [Emitter: [FamilyStream]] {
        let streams = Emitter.all.map { emitter in
            let streams = [Joining.atReset, .midStream].flatMap { joining in
                Damage.allCases.map { FamilyStream(emitter, joining, $0, host: host) }
            }
            return (emitter, streams)
        }
        return Dictionary(uniqueKeysWithValues: streams)
    }
}

extension SensorProfile {
    /// Profiles whose streams one and the same session reads are of one family: they differ in rates and in what is asked for.
    var family: String { String(describing: type(of: session(.join, at: SessionPlace(path: "test")))) }

    /// Everything that can be asked of its board.
    var requests: [StreamRequest] {
        switch settings {
        case .none: [.join, .light]
        case .grids(let sides): [.join, .light] + sides.map(StreamRequest.grid)
        case .vl53l8ch: [.join, .light, .vl53l8ch(.declared(.firmwareDefault)), .vl53l8ch(.declared(.reference))]
        }
    }
}
