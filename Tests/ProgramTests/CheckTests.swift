import Foundation
import Testing

@Suite struct CheckTests {
    struct Row: CustomTestStringConvertible {
        let testDescription: String
        let line: String
        let verdict: String
        var field: String?
        init(_ name: String, _ line: String, _ verdict: String, _ field: String? = nil) {
            (testDescription, self.line, self.verdict, self.field) = (name, line, verdict, field)
        }
    }

    private static let good = TransientLine().text
    private static func changed(_ old: String, _ new: String) -> String {
        precondition(good.contains(old), "no '\(old)' in the sample")
        return good.replacing(old, with: new, maxReplacements: 1)
    }

    static let rows: [Row] = [
        Row("as it should be", good, "accepted"),
        Row("key order and white space are free", "  \(good)\t", "accepted"),
        Row("replay", TransientLine(source: "replay", kind: "replay", transport: "replay").text, "accepted"),
        Row("synthetic", TransientLine(source: "synthetic", level: "l0_synthetic", kind: "replay", transport: "replay").text, "accepted"),
        Row("calibrated", TransientLine(level: "l2_calibrated", hash: String(repeating: "a", count: 64)).text, "accepted"),
        Row("calibrated without a calibration", TransientLine(level: "l2_calibrated").text, "invalid_field", "calibrationHash"),
        Row(
            "corroborated", TransientLine(level: "l3_corroborated", hash: String(repeating: "a", count: 64)).text, "invalid_field",
            "evidenceLevel"),
        Row("depth only", TransientLine(kind: "depth_only").text, "invalid_field", "provenance.transientKind"),
        Row("live by replay", TransientLine(transport: "replay").text, "invalid_field", "provenance.transport"),
        Row(
            "synthetic that claims a measurement", TransientLine(source: "synthetic", kind: "replay", transport: "replay").text,
            "invalid_field", "evidenceLevel"),
        Row(
            "no histogram kept", changed(#""histogramPreserved":true"#, #""histogramPreserved":false"#), "invalid_field",
            "provenance.histogramPreserved"),
        Row("another schema", changed("transient.v1", "transient.v2"), "invalid_field", "schema"),
        Row("a label with a blank", TransientLine(sessionId: "a b").text, "invalid_field", "sessionId"),
        Row("a sequence above 2^53-1", TransientLine(sequence: 9_007_199_254_740_992).text, "invalid_field", "sequence"),
        Row("the highest sequence", TransientLine(sequence: 9_007_199_254_740_991).text, "accepted"),
        Row("a sequence with a fraction", changed(#""sequence":0"#, #""sequence":0.0"#), "malformed"),
        Row("a negative zero", changed(#""sequence":0"#, #""sequence":-0"#), "malformed"),
        Row("a bin width of nothing", changed(#""binWidthPs":250"#, #""binWidthPs":0"#), "invalid_field", "binWidthPs"),
        Row("a bin width that is infinite", changed(#""binWidthPs":250"#, #""binWidthPs":1e999"#), "malformed"),
        Row("a start bin above 16 bits", changed(#""startBin":30"#, #""startBin":65536"#), "invalid_field", "startBin"),
        Row("a quaternion that is none", changed("[0,0,0,1]", "[0,0,0,2]"), "invalid_field", "sensorPose"),
        Row("a zone out of place", changed(#""zoneId":1,"#, #""zoneId":2,"#), "invalid_field", "zones.zoneId"),
        Row("a wall behind the sensor", changed(#""distanceM":1,"#, #""distanceM":0.001,"#), "invalid_field", "zones.distanceM"),
        Row("a bin above 16 bits", changed("\"histogram\":[0,1", "\"histogram\":[0,65536"), "invalid_field", "zones.histogram"),
        Row("a negative bin", changed("\"histogram\":[0,1", "\"histogram\":[0,-1"), "malformed"),
        Row("seven bins", TransientLine(bins: 7).text, "invalid_field", "zones.histogram"),
        Row("a bin less in one zone", changed("\"histogram\":[8,9,", "\"histogram\":[8,"), "invalid_field", "zones.histogram"),
        Row("a key twice", TransientLine(extra: #""sequence":0,"#).text, "malformed"),
        Row("a key twice, once escaped", TransientLine(extra: #""\u0073equence":0,"#).text, "malformed"),
        Row("a key too many", TransientLine(extra: #""mood":"good","#).text, "malformed"),
        Row("a key missing", changed(#""startBin":30,"#, ""), "malformed"),
        Row("two messages in one line", good + good, "malformed"),
        Row("a comma too many", changed(#""startBin":30,"#, #""startBin":30,,"#), "malformed"),
        Row("a byte order mark", "\u{feff}" + good, "malformed"),
        Row("no JSON", "hello", "malformed"),
        Row("an empty line", "", "malformed"),
    ]

    @Test(arguments: rows) func eachRuleHasItsVerdict(row: Row) throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(row.line + "\n", to: "line.jsonl")
        let finished = try run(["check", "--as", "transient", "--json", file])
        let verdict = try object(finished.output)
        #expect(Set(verdict.keys) == ["file", "line", "verdict", "field", "watermark"])
        #expect(verdict["file"] as? String == file)
        #expect(verdict["line"] as? Int == 1)
        #expect(verdict["verdict"] as? String == row.verdict)
        #expect(verdict["field"] as? String == row.field)
        #expect(finished.status == (row.verdict == "accepted" ? 0 : 1))
    }

    @Test func invalidUTF8IsMalformed() throws {
        let folder = try TemporaryFolder()
        var bytes = Array(TransientLine(sessionId: "abcdef").text.utf8)
        let label = try #require(bytes.firstRange(of: Array("abcdef".utf8)))
        for bad: [UInt8] in [[0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xff], [0xe2, 0x82]] {
            bytes.replaceSubrange(label.lowerBound..<label.lowerBound + bad.count, with: bad)
            let file = try folder.write(bytes, to: "bad.jsonl")
            #expect(try run(["check", "--as", "transient", file]).output.contains(":1: malformed"))
        }
    }

    @Test(arguments: [(262_144, "accepted"), (262_145, "message_too_large")]) func aLineHasItsLongestLength(
        bytes: Int, verdict: String
    ) throws {
        let folder = try TemporaryFolder()
        let padding = String(repeating: " ", count: bytes - Self.good.utf8.count)
        let file = try folder.write(Self.good + padding, to: "long")
        for mode in [["--one"], []] {
            let finished = try run(["check", "--as", "transient", "--json", file] + mode)
            #expect(try object(finished.output)["verdict"] as? String == verdict)
        }
        // A line feed is not part of the message; as a whole file it is.
        let line = try folder.write(Self.good + padding + "\n", to: "line")
        #expect(try object(run(["check", "--as", "transient", "--json", line]).output)["verdict"] as? String == verdict)
    }

    @Test func aLineThatIsTooLongCostsNoMemoryAndNotTheNextLine() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(String(repeating: " ", count: 30_000_000) + "\n" + Self.good + "\n", to: "huge")
        let program = try RunningProgram(["check", "--as", "transient", "-"], input: .file(file))
        #expect(try program.finish() == 1)
        #expect(program.lines == ["-:1: message_too_large", "1 of 2 messages accepted"])
    }

    @Test func aWholeFileIsOneMessageOverManyLines() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.good.replacing(",", with: ",\n"), to: "pretty.json")
        let finished = try run(["check", "--as", "transient", "--one", file])
        #expect(finished.status == 0)
        #expect(finished.output == "\(file): accepted\n1 of 1 message accepted\n")
        let json = try object(run(["check", "--as", "transient", "--one", "--json", file]).output)
        #expect(json["line"] is NSNull)
    }

    @Test func standardInputIsAFile() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(TransientLine().run(of: 3), to: "lines")
        let finished = try run(["check", "--as", "transient", "--sequence", "-"], input: .file(file))
        #expect(finished.status == 0)
        #expect(finished.output == "3 of 3 messages accepted\n")
        // CRLF is white space, and the last line needs no line feed.
        let windows = try folder.write(TransientLine().run(of: 2).replacing("\n", with: "\r\n") + Self.good, to: "crlf")
        #expect(try run(["check", "--as", "transient", "-"], input: .file(windows)).output == "3 of 3 messages accepted\n")
    }

    @Test func everyWatermarkIsShown() throws {
        let folder = try TemporaryFolder()
        for (source, level, mark) in [("replay", "l1_measured", "REPLAY"), ("synthetic", "l0_synthetic", "SYNTHETIC")] {
            let file = try folder.write(TransientLine(source: source, level: level, kind: "replay", transport: "replay").text, to: source)
            #expect(try run(["check", "--as", "transient", "--one", file]).output.contains("accepted (\(mark))"))
            #expect(try object(run(["check", "--as", "transient", "--json", file]).output)["watermark"] as? String == mark)
        }
    }

    struct Order: CustomTestStringConvertible {
        let testDescription: String
        let second: TransientLine
        let verdict: String?
    }

    static let orders: [Order] = [
        Order(testDescription: "next", second: TransientLine(sequence: 1, monotonicNs: 1_001), verdict: nil),
        Order(testDescription: "the same again", second: TransientLine(), verdict: "replayed_sequence"),
        Order(testDescription: "one missing", second: TransientLine(sequence: 2, monotonicNs: 1_001), verdict: "invalid_field sequence"),
        Order(testDescription: "time stands", second: TransientLine(sequence: 1), verdict: "invalid_field monotonicNs"),
        Order(
            testDescription: "another session", second: TransientLine(sessionId: "b", sequence: 1, monotonicNs: 2_000),
            verdict: "session_changed"),
    ]

    @Test(arguments: orders) func theGuardOverAFilesMessages(row: Order) throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(TransientLine().text + "\n" + row.second.text + "\n", to: "pair")
        let finished = try run(["check", "--as", "transient", "--sequence", file])
        #expect(finished.status == (row.verdict == nil ? 0 : 1))
        #expect(finished.lines.dropLast() == (row.verdict.map { ["\(file):2: \($0)"] } ?? [])[...])
        // Each by itself is as it should be.
        #expect(try run(["check", "--as", "transient", file]).status == 0)
    }

    @Test func nothingIsNotAccepted() throws {
        let folder = try TemporaryFolder()
        let empty = try folder.write("", to: "empty")
        let finished = try run(["check", "--as", "transient", empty])
        #expect(finished.status == 1)
        #expect(finished.output == "no message found\n")
        #expect(try run(["check", "--as", "transient", "--json", empty]).output.isEmpty)
        // An empty file as one message is a malformed one.
        #expect(try run(["check", "--as", "transient", "--one", empty]).output.hasPrefix("\(empty): malformed"))
    }

    @Test func oneUnreadableFileSpoilsTheStatusAndNotTheOthers() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.good + "\n", to: "good")
        let finished = try run(["check", "--as", "transient", folder.path("missing"), file, folder.url.path(percentEncoded: false)])
        #expect(finished.status == 1)
        #expect(finished.output == "1 of 1 message accepted\n")
        #expect(finished.messages.contains("missing: cannot open: No such file or directory"))
        #expect(finished.messages.contains("Is a directory"))
    }
}
