import DepthValidation
import NLOSCore
import Testing

/// Clocks that are set or stand still while a run goes on.
@Suite struct ClockTests {
    @Test("before the end of the frames both clocks are compared: a suspension is named, and nothing else is judged by that time")
    func compare() {
        for seconds in [0.0, 3, 20] {
            for (suspendedMs, failure) in [(250, .sensorDisconnected), (251, .interrupted)] as [(UInt64, ValidationFailure)] {
                var drive = Drive()
                drive.play(ResultTableTests.small, seconds: seconds)
                // The frames stopped long enough ago for a stall.
                let nowNs = drive.nowNs + 6_000_000_000
                drive.run.compare(monotonicNs: nowNs, bootNs: nowNs + Drive.bootOffsetNs + suspendedMs * 1_000_000)
                drive.run.end(.unplugged)
                #expect(drive.failure == failure, "\(seconds) s, \(suspendedMs) ms")
            }
        }
    }

    /// A whole run in which the wall clock is set after ten seconds.
    private func result(steps: [Double]) throws -> ValidationResult {
        var drive = Drive()
        drive.play(ResultTableTests.small, seconds: 10)
        for seconds in steps { drive.run.noteWallClockStep(seconds: seconds) }
        drive.play(ResultTableTests.small)
        let result = try #require(drive.run.result)
        drive.run.noteWallClockStep(seconds: 1)
        #expect(drive.run.result == result)
        return result
    }

    @Test("a wall clock that was set is noted, by how much, and changes nothing else", arguments: [[3_600.0], [-3_600], [3_600, -0.5]])
    func wallClock(steps: [Double]) throws {
        let (untouched, result) = (try result(steps: []), try result(steps: steps))
        #expect(result.outcome == untouched.outcome && result.phases == untouched.phases && result.rows == untouched.rows)
        #expect(result.notes.filter { !$0.contains("wall clock") } == untouched.notes)
        let note = try #require(result.notes.first { $0.contains("wall clock") })
        #expect(note.contains("by \(figure(try #require(steps.last), decimals: 1)) s during the run"))
        #expect(note.contains("2 times") == (steps.count == 2))
    }
}
