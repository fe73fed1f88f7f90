import CLinux
import Foundation
import NLOSCore
import Testing
import TransientSensor

@testable import bridge

@Suite(.serialized) struct LocalSensorTests {
    private func plan(_ words: String...) throws -> LocalSensorLoop.Plan {
        let arguments = try ParsedArguments(words + ["wss://h/api/v1/nlos/ws"], for: Monitor.spec)
        return LocalSensorLoop.Plan(
            choice: try SensorChoice(arguments), sensorId: try arguments.label("--sensor-id"), firmwareVersion: nil, clocks: .system)
    }

    /// The first report that fits; nil when none came in time.
    private func report(of sensor: LocalSensor, where fits: (LocalSensorReport) -> Bool) -> LocalSensorReport? {
        let limit = Clocks.system.monotonicNs() + 20_000_000_000
        var waiting = Waiting()
        while Clocks.system.monotonicNs() < limit {
            if let report = sensor.takeReport(), fits(report) { return report }
            waiting.begin()
            waiting.add(sensor.readiness, readable: true)
            waiting.wait(untilNs: limit, .system)
        }
        return nil
    }

    @Test("a simulated board streams, and is synthetic in everything") func simulated() throws {
        let sensor = try LocalSensor(plan("--sensor", "sim:matte-wall", "--sensor-id", "bench"))
        defer { sensor.stop() }
        let report = try #require(report(of: sensor) { $0.state == .streaming && $0.framesPerSecond != nil })
        #expect(report.path == "sim:matte-wall")
        #expect(report.watermark == "SYNTHETIC")
        #expect(report.kind == .replay)
        #expect(report.sensorModel?.text == "VL53L8CH")
        #expect(report.sensorId?.text == "bench")
        #expect(report.firmwareVersion != nil)
        #expect((0.9...1).contains(try #require(report.coverage)))
        #expect((1...60).contains(try #require(report.framesPerSecond)))
    }

    @Test("what is not there is absent, with the reason, and the thread ends when it is told to") func absent() throws {
        let sensor = try LocalSensor(plan("--port", "/dev/no-such-port"))
        let report = try #require(report(of: sensor) { _ in true })
        #expect(report.state == .absent)
        #expect(report.framesPerSecond == nil)
        #expect(report.problem != nil)
        #expect(report.watermark == nil)
        sensor.stop()
        sensor.stop()
    }

    @Test("a port that goes silent stalls, and one that hangs up is absent") func stalls() throws {
        var board: EmulatorLine? = try EmulatorLine.pseudoTerminal()
        let name = try #require(board?.pseudoTerminalName)
        let sensor = try LocalSensor(plan("--port", name, "--profile", "st-nucleo-vl53l8ch"))
        defer { sensor.stop() }
        let frames = (0..<6).map { seed in
            "D\n" + (0..<64).map { zone in "\(zone) 100 \(1_000 + seed)" + String(repeating: " 7", count: 18) + "\n" }.joined()
        }.joined()
        #expect(report(of: sensor) { $0.state == .stalled } != nil)
        #expect(write(try #require(board).descriptor, frames, frames.utf8.count) > 0)
        #expect(report(of: sensor) { $0.state == .streaming } != nil)
        let stalled = try #require(report(of: sensor) { $0.state == .stalled })
        #expect(stalled.framesPerSecond == nil && stalled.coverage == nil)
        board = nil
        let gone = try #require(report(of: sensor) { $0.state == .absent })
        #expect(gone.problem != nil)
    }
}

@Suite struct FrameRateTests {
    @Test("rate and coverage are those of the last stretch, and nothing where no frame came") func stretches() {
        var rate = FrameRate(nowNs: 0)
        #expect(rate.framesPerSecond == nil && rate.stallsAtNs == nil)
        for frame in 1...15 as ClosedRange<UInt64> { rate.frame(coverage: frame % 2 == 0 ? 1 : 0.5, nowNs: frame * 60_000_000) }
        rate.conclude(nowNs: 1_000_000_000)
        #expect(rate.framesPerSecond == 15)
        #expect(rate.coverage.map { ($0 * 1_000).rounded() } == 733)
        #expect(rate.stallsAtNs == 2_900_000_000)
        rate.conclude(nowNs: 1_000_000_000)
        #expect(rate.framesPerSecond == 15)
        rate.conclude(nowNs: 2_000_000_000)
        #expect(rate.framesPerSecond == nil && rate.coverage == nil)
    }
}
