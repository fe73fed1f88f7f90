import NLOSCore
import Testing

@testable import TransientSensor

/// What a profile says of its emulated firmware's faults is what that firmware does.
@Suite struct FamilyFaultTests {
    private struct Talk: Equatable {
        var firstNs: UInt64?
        var bytes: [UInt8] = []
    }

    /// Every byte that an emulated board says in some seconds to its own session, which joins it, and which asks for a setting where
    /// it takes one.
    private static func transcript(_ profile: SensorProfile, _ faults: [String]) throws -> [Talk] {
        try (profile.settings == .vl53l8ch ? [.join, .light] : [StreamRequest.join]).map { request in
            var board = SimulatedBoard(
                profile, scene: .matteWall, faults: try FaultSwitches(faults), seed: 5, startNs: 0, joining: .atReset)
            var session = profile.session(request, at: SessionPlace(path: "sim:test"))
            var (said, outputs, now): (Talk, [SessionOutput], UInt64) = (Talk(), [], 0)
            session.start(nowNs: 0) { outputs.append($0) }
            while said.bytes.count < 60_000 {
                for case .send(let bytes) in outputs { board.receive(bytes, atNs: now) }
                outputs.removeAll()
                guard let next = [board.nextEventNs, session.deadlineNs].compactMap(\.self).min(), next <= 30_000_000_000 else { break }
                now = max(now, next)
                var chunk: [UInt8] = []
                board.advance(toNs: now) { chunk.append(contentsOf: $0) }
                if !chunk.isEmpty {
                    said.firstNs = said.firstNs ?? now
                    said.bytes += chunk
                    chunk.withUnsafeBytes { session.push($0, Arrival(monotonicNs: now, unixMs: 0)) { outputs.append($0) } }
                }
                session.tick(nowNs: now) { outputs.append($0) }
            }
            return said
        }
    }

    /// With a number that comes to pass in that time, where a switch takes one.
    private static func form(_ fault: FaultSwitch) -> String {
        switch fault.name {
        case "delay": "delay=1"
        case "silence-after", "reset-after", "brighter-after": "\(fault.name)=2"
        case "extract-error", "overflow-bin", "frozen-frame", "mini-straddle": "\(fault.name)=3"
        case let name where name.hasPrefix("depz-"): "\(name)=3"
        case "mini-bins": "mini-bins=16"
        case "mini-metadata": "mini-metadata=full"
        default: fault.name
        }
    }

    @Test(arguments: SensorProfile.all.map(\.name))
    func everyFaultThatIsPlayedIsHeardAndNoOtherIs(name: String) throws {
        let profile = try #require(SensorProfile.named(name))
        let clean = try Self.transcript(profile, [])
        for fault in FaultSwitch.ofFirmware {
            let isHeard = try Self.transcript(profile, [Self.form(fault)]) != clean
            #expect(isHeard == profile.faults.contains(fault), "\(fault.name): heard \(isHeard)")
        }
        #expect(profile.firmwareFaults.isSubset(of: FaultSwitch.all.map(\.name)))
        #expect(FaultSwitch.ofLine.allSatisfy(profile.faults.contains))
    }
}
