import NLOSCore
import Testing
import TransientSensor

@testable import bridge

@Suite struct CommandLineTests {
    private static let spec = CommandSpec(
        name: "try", operands: "FILE", operandCount: 0...1, summary: "Tries.", details: "",
        options: [
            .flag("--fast", "fast"), .value("--frames", "N", needs: "a number of frames, as in --frames 100", "frames"),
            .value("--output", "FILE", needs: "a new file, as in -o lab.jsonl", "output"),
            .value("--fault", "NAME", needs: "a fault", "fault", repeats: true),
        ], examples: [])

    private func parse(_ line: String) throws(UsageError) -> ParsedArguments {
        try ParsedArguments(line.split(separator: " ").map(String.init), for: Self.spec)
    }

    @Test func valuesComeInBothForms() throws {
        for line in ["--frames 7 --fast", "--fast --frames=7"] {
            let parsed = try parse(line)
            #expect(parsed.has("--fast"))
            #expect(try parsed.int("--frames", in: 1...10) == 7)
            #expect(parsed.operands.isEmpty)
        }
        #expect(try parse("-o a").string("--output") == "a")
        #expect(try parse("-o -").string("--output") == "-")
        #expect(try parse("--output=a=b").string("--output") == "a=b")
        #expect(try parse("--fault a --fault b").strings("--fault") == ["a", "b"])
        #expect(try parse("").strings("--fault").isEmpty)
    }

    @Test func operandsMayLookLikeOptionsAfterTwoDashes() throws {
        #expect(try parse("-- --fast").operands == ["--fast"])
        #expect(try parse("-").operands == ["-"])
        #expect(try parse("file --fast").operands == ["file"])
    }

    @Test func helpWinsOverEverythingThatIsMissing() throws {
        #expect(try parse("a b c --help").wantsHelp)
        #expect(try parse("-h").wantsHelp)
    }

    @Test(arguments: [
        ("--frames", "'--frames' needs a number of frames, as in --frames 100"),
        ("--frames --fast", "'--frames' needs a number of frames, as in --frames 100"),
        ("--frames=", "'--frames' needs a number of frames, as in --frames 100"),
        ("--fast=1", "'--fast' takes no value"),
        ("--fast --fast", "'--fast' is given twice"),
        ("-o a --output b", "'--output' is given twice"),
        ("--farmes 1", "unknown option '--farmes'; did you mean '--frames'?"),
        ("--quick", "unknown option '--quick'; see nlos-bridge try --help"),
        ("-x", "unknown option '-x'; see nlos-bridge try --help"),
        ("a b", "try does not take 'b'; see nlos-bridge try --help"),
    ]) func mistakesAreNamed(line: String, message: String) {
        #expect(throws: UsageError(message)) { try parse(line) }
    }

    @Test func textOfAMistakeIsEscaped() {
        #expect(throws: UsageError("unknown option '--\\x1b[31m'; see nlos-bridge try --help")) { try parse("--\u{1b}[31m") }
        #expect(throws: UsageError("try does not take 'b\\x07'; see nlos-bridge try --help")) { try parse("a b\u{07}") }
    }

    @Test(arguments: ["0", "11", "x", "1.0", "99999999999999999999"]) func numbersHaveARange(text: String) throws {
        let parsed = try parse("--frames \(text)")
        #expect(throws: UsageError("'--frames' needs a whole number from 1 to 10, not '\(text)'")) {
            _ = try parsed.int("--frames", in: 1...10)
        }
    }

    @Test(arguments: ["0", "-0", "nan", "inf", "1e10", "0x", ""]) func secondsAreAboveNothing(text: String) throws {
        guard !text.isEmpty else { return #expect(try parse("").seconds("--frames") == nil) }
        let parsed = try parse("--frames=\(text)")
        #expect(throws: UsageError("'--frames' needs a number of seconds above 0, not '\(text)'")) { _ = try parsed.seconds("--frames") }
    }

    @Test func labelsAreSafe() throws {
        #expect(try parse("--output lab-1:a.B_9").label("--output")?.text == "lab-1:a.B_9")
        for bad in ["ä", "a/b", String(repeating: "a", count: 65)] {
            let parsed = try parse("--output \(bad)")
            #expect(throws: UsageError.self) { _ = try parsed.label("--output") }
        }
    }

    @Test func exclusiveOptionsAreNamedInTheirOrder() throws {
        let parsed = try parse("--frames 1 --fast")
        #expect(throws: UsageError("'--fast' and '--frames' exclude each other")) { try parsed.atMostOne(of: ["--fast", "--frames"]) }
        try parse("--fast").atMostOne(of: ["--fast", "--frames"])
    }

    @Test(arguments: [
        ("", "", 0), ("a", "", 1), ("", "abc", 3), ("kitten", "sitting", 3), ("--zones", "--zone", 1), ("ab", "ba", 2), ("same", "same", 0),
    ]) func editDistances(left: String, right: String, distance: Int) {
        #expect(editDistance(left, right) == distance)
        #expect(editDistance(right, left) == distance)
    }

    @Test func aLongNameCostsNoMore() {
        #expect(editDistance(String(repeating: "a", count: 1_000_000), "a") == 63)
    }

    @Test func everyOptionOfEveryCommandIsUniqueAndExplained() {
        for spec in [Probe.spec, Capture.spec, Replay.spec, Check.spec, Emulate.spec] {
            #expect(Set(spec.options.map(\.name)).count == spec.options.count, "\(spec.name)")
            for option in spec.options {
                #expect(option.name.hasPrefix("--"))
                #expect(!option.help.isEmpty)
                #expect((option.value == nil) == option.needs.isEmpty, "\(option.name)")
            }
        }
    }

    @Test(arguments: [
        (SensorError.notFound(selector: nil), bridge.ExitStatus.noSensor), (.several(paths: ["a", "b"]), .usage),
        (.denied(path: "p", node: "n"), .denied), (.busy(path: "p", node: "n"), .device), (.unplugged(path: "p"), .failed),
        (.badRecording(file: "f", why: "w"), .failed), (.silent(path: "p", seconds: 5), .device),
        (.sensorMissing(path: "p", line: "l"), .device), (.receiverMisaligned(path: "p"), .device),
        (.configurationRefused(path: "p", line: "l"), .device), (.unreadable(path: "p", bytes: 1, baud: 1), .device),
    ]) func everySensorErrorHasItsStatus(error: SensorError, status: bridge.ExitStatus) {
        #expect(bridge.ExitStatus(error) == status)
    }
}
