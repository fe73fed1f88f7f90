import DepthValidation
import NLOSCore
import Testing
import TransientSensor

@testable import bridge

/// Whole runs on a host's own clocks, which are set and stand still meanwhile.
@Suite(.serialized) struct ValidationClockTests {
    private func run(_ events: [SteppedBoard.Event]) throws -> (end: ValidationLoop.End, lines: [String]) {
        let board = try SteppedBoard(events)
        let sensor = ValidationSensor(
            opened: OpenedSensor(source: board, profile: .nucleoVL53L8CH), request: .light)
        return try VirtualRun.run(sensor, clocks: board.host.clocks)
    }

    @Test("a wall clock that is set after ten seconds is noted, and the run is the same 45 seconds", arguments: [3_600_000, -3_600_000])
    func wallClock(byMs step: Int64) throws {
        let (untouched, lines) = try run([])
        let (end, sameLines) = try run([.init(seconds: 10, setWallClockByMs: step)])
        #expect(ValidationEnd.ran(end).status == .done, "\(end.sentence)")
        #expect(end.result.phases == untouched.result.phases && end.result.rows == untouched.result.rows && lines == sameLines)
        let notes = end.result.notes.filter { !untouched.result.notes.contains($0) }
        #expect(notes.count == 1 && notes[0].hasPrefix("the wall clock was set by \(step / 1000).0 s"), "\(notes)")
        let report = ValidationReport(result: end.result, origin: .synthetic, width: 100, terminal: Terminal.output).lines
        #expect(report.contains { $0.hasPrefix("note") && $0.contains("the wall clock was set") })
    }

    @Test("a wall clock that is slewed, or goes on while the host sleeps, was not set")
    func noStep() throws {
        let (slewed, _) = try run((1...40).map { .init(seconds: Double($0), setWallClockByMs: 200) })
        #expect(ValidationEnd.ran(slewed).status == .done)
        let (asleep, _) = try run([.init(seconds: 10, suspendedMs: 600_000)])
        #expect(asleep.verdict == .interrupted)
        for end in [slewed, asleep] { #expect(!end.result.notes.contains { $0.contains("wall clock") }) }
    }

    static let ends: [(suspendedMs: UInt64, error: SensorError, failure: ValidationFailure)] = [
        (0, .unplugged(path: "usb:1-4"), .sensorDisconnected), (250, .unplugged(path: "usb:1-4"), .sensorDisconnected),
        (251, .unplugged(path: "usb:1-4"), .interrupted), (3_600_000, .unplugged(path: "usb:1-4"), .interrupted),
        (0, .system(path: "usb:1-4", operation: "read", errno: 71), .stalled),
        (60_000, .system(path: "usb:1-4", operation: "read", errno: 71), .interrupted),
    ]

    @Test("a host that slept and gave its port a reset was interrupted, whatever the port says", arguments: ends.indices)
    func suspended(index: Int) throws {
        let (suspendedMs, error, failure) = Self.ends[index]
        let (end, _) = try run([.init(seconds: index % 2 == 0 ? 8 : 16, suspendedMs: suspendedMs, error: error)])
        #expect(end.verdict == failure, "\(end.sentence)")
    }

    @Test("the last line is printed once, also where a second's line is due at that moment")
    func lastLine() throws {
        // A run of 45 s and its lines of one a second keep step, whenever the first frame came.
        for lateMs: UInt64 in [0, 300] {
            let (end, lines) = try run([.init(seconds: 2, lateMs: lateMs)])
            let last = lines.map { $0.split { " ,".contains($0) }.contains("over") }
            #expect(last.filter(\.self).count == 1, "\(end.sentence) \(lines.suffix(2))")
            #expect(last.last == true)
        }
    }
}
