import Foundation
import Testing

/// What goes wrong between a board and this machine ends or goes on as it should, and every loss has a name.
@Suite struct FaultTests {
    /// A capture from an emulated board with these faults.
    private struct Capture {
        let status: Int32
        let messages: String
        let lines: [String]
        let summary: [String: Any]

        init(_ faults: String..., fromReset: Bool = false, arguments: [String], seconds: Double = 60) throws {
            let folder = try TemporaryFolder()
            let program = try RunningProgram(
                ["emulate", "--pty"] + (fromReset ? ["--from-reset"] : []) + faults.flatMap { ["--fault", $0] })
            try program.wait { $0.text.hasSuffix("\n") }
            let finished = try run(
                ["capture", "--port", program.lines[0], "--summary-json", folder.path("sum")] + labels + arguments, seconds: seconds)
            status = finished.status
            messages = finished.messages
            lines = finished.lines
            summary = try object(folder.read("sum"))
            if !lines.isEmpty {
                let check = try run(["check", "--as", "transient", "--sequence", folder.write(finished.output, to: "out")])
                #expect(check.output == "\(lines.count) of \(lines.count) messages accepted\n")
            }
            #expect(summary["framesEmitted"] as? Int == lines.count)
        }

        var rejected: [String: Int] { summary["framesRejected"] as? [String: Int] ?? [:] }
        var gaps: [String] { (summary["gaps"] as? [[String: Any]] ?? []).compactMap { $0["reason"] as? String } }
        var end: String { summary["end"] as? String ?? "" }
    }

    private static let damage: Set<String> = ["row_shape", "row_order", "not_a_number", "missing_zone", "out_of_range", "invalid_distance"]

    @Test(arguments: [
        "byte-loss=0.0001", "burst-loss=0.00005", "duplicate-packet=0.001", "nul-bytes=0.0001", "ff-bytes=0.0001",
    ]) func damagedFramesAreDroppedAndCounted(fault: String) throws {
        let capture = try Capture(fault, arguments: ["--seconds", "4"])
        #expect(capture.status == 0)
        #expect(capture.end == "time_reached")
        #expect(!capture.lines.isEmpty)
        #expect(!capture.rejected.isEmpty)
        #expect(Set(capture.rejected.keys).isSubset(of: Self.damage))
        #expect(capture.messages.contains("rejected    \(capture.rejected.keys.min()!) "))
    }

    @Test(arguments: ["piece=1", "piece=1-7", "piece=4096"]) func piecesOfAnySizeAreTheSame(fault: String) throws {
        let capture = try Capture(fault, arguments: ["--frames", "4"])
        #expect(capture.status == 0)
        #expect(capture.rejected.isEmpty)
    }

    @Test func aRestartIsAGapAndNothingElse() throws {
        let capture = try Capture("reset-after=3", arguments: ["--frames", "5"])
        #expect(capture.status == 0)
        #expect(capture.gaps.contains("board_reset"))
        #expect(Set(capture.gaps).isSubset(of: ["board_reset", "silence"]))
        #expect(capture.rejected == ["damaged_by_reset": 1])
        #expect(capture.messages.contains("the board has started"))
    }

    @Test func aRestartTakesTheConfigurationAwayAndItIsSentAgain() throws {
        let capture = try Capture("reset-after=3", arguments: ["--frames", "5", "--zones", "4x4", "--bins", "24"])
        #expect(capture.status == 0)
        #expect(capture.gaps.contains("board_reset"))
        #expect(capture.messages.contains("the board lost its configuration; sending it again"))
        for line in capture.lines { #expect((try object(line)["zones"] as? [Any])?.count == 16) }
    }

    struct Fatal: CustomTestStringConvertible {
        let fault: String
        let sentence: String
        var arguments: [String] = []
        var testDescription: String { fault }
    }

    /// What says nothing that tells its firmware has to be named.
    static let named = ["--profile", "st-nucleo-vl53l8ch"]
    static let fatal: [Fatal] = [
        Fatal(fault: "not-detected", sentence: "the board does not reach its sensor: VL53LMZ not detected at requested address"),
        Fatal(fault: "loading-failed", sentence: "the board does not reach its sensor: VL53LMZ ULD Loading failed"),
        Fatal(fault: "wrong-sensor", sentence: "nothing arrived for 5.0 s", arguments: named),
        Fatal(
            fault: "wrong-rate", sentence: "bytes arrived at 2250000 baud, and no line of the expected firmware: wrong baud rate?",
            arguments: named),
        Fatal(fault: "delay=3600", sentence: "nothing arrived for 5.0 s", arguments: named),
        Fatal(
            fault: "refuse=66", sentence: "the firmware refused the configuration: ERROR at process_config", arguments: ["--bins", "32"]),
    ]

    @Test(arguments: fatal) func whatCannotWorkEndsWithItsReason(row: Fatal) throws {
        let capture = try Capture(row.fault, fromReset: true, arguments: row.arguments, seconds: 25)
        #expect(capture.status == 5)
        #expect(capture.end == "device_error")
        #expect(capture.lines.isEmpty)
        #expect(capture.messages.contains("nlos-bridge: tty:/dev/pts/"))
        #expect(capture.messages.contains(row.sentence))
        #expect(capture.messages.contains("\n  next: "))
    }

    @Test func aBoardThatFallsSilent() throws {
        let capture = try Capture("silence-after=5", arguments: [])
        #expect(capture.status == 5)
        #expect(capture.gaps == ["silence"])
        #expect(capture.messages.contains("nothing arrived for 10.0 s"))
        #expect(!capture.lines.isEmpty)
    }

    @Test(arguments: [1, 25]) func aReceiverOutOfStepIsRealigned(bytes: Int) throws {
        let capture = try Capture("misaligned=\(bytes)", arguments: ["--frames", "3", "--bins", "32"])
        #expect(capture.status == 0)
        #expect(capture.messages.contains("the board's receiver is out of step; realigning it"))
        for line in capture.lines {
            #expect(line.contains(#""startBin":30"#))
            #expect(((try object(line)["zones"] as? [[String: Any]])?.first?["histogram"] as? [Int])?.count == 32)
        }
    }

    @Test func aValueThatDoesNotFitIsNeverClipped() throws {
        let capture = try Capture("overflow-bin=2", arguments: ["--frames", "4"])
        #expect(capture.status == 0)
        #expect(capture.rejected["histogram_overflow"] ?? 0 >= 2)
        #expect(!capture.lines.contains { $0.contains("65535") })
    }

    @Test func aFrameThatTheBoardLostIsAGap() throws {
        let capture = try Capture("extract-error=3", arguments: ["--frames", "6"])
        #expect(capture.status == 0)
        #expect(capture.gaps.contains("firmware_lost"))
        #expect(capture.rejected.isEmpty)
        #expect(capture.messages.contains("the board says: Error: vl53lmz_results_extract_block failed: 2"))
    }

    @Test func aLineThatNeverEnds() throws {
        let capture = try Capture("endless-line=30000", arguments: ["--seconds", "3"])
        #expect(capture.status == 0)
        #expect(capture.end == "time_reached")
        #expect(!capture.lines.isEmpty)
    }

    @Test func aScaleThatWasRoundedIsToldOnce() throws {
        let capture = try Capture("histogram-step=1000", arguments: ["--frames", "35"])
        #expect(capture.status == 0)
        #expect(capture.messages.components(separatedBy: "is a multiple of 1000").count == 2)
    }
}
