import Foundation
import Testing

/// `check` of track and authenticated messages; the rules themselves are tested where they are written.
@Suite struct CheckTrackTests {
    private static let now = "1800000000000"

    private static func track(
        session: String = "lab-run-001", sequence: UInt64 = 7, captured: UInt64 = 1_799_999_999_960, expires: UInt64 = 1_800_000_000_210,
        source: String = "live", level: String = "l2_calibrated", kind: String = "raw_histogram", transport: String = "ruview_server",
        hash: String = String(repeating: "9f86d081884c7d65", count: 4)
    ) -> String {
        #"{"schema":"ruview.nlos.track.v1","sessionId":"\#(session)","sequence":\#(sequence),"capturedAtUnixMs":\#(captured),"#
            + #""expiresAtUnixMs":\#(expires),"source":"\#(source)","evidenceLevel":"\#(level)","algorithmVersion":"v1","#
            + #""calibrationHash":"\#(hash)","provenance":{"sensorId":"st-kit-001","sensorModel":"VL53L8CH","firmwareVersion":"15314de","#
            + #""transientKind":"\#(kind)","histogramPreserved":true,"transport":"\#(transport)"},"tracks":[]}"#
    }

    private static func authenticated(expires: UInt64 = 1_800_003_600_000) -> String {
        #"{"schema":"ruview.nlos.authenticated.v1","sessionId":"lab-run-001","expiresAtUnixMs":\#(expires)}"#
    }

    struct Row: CustomTestStringConvertible {
        let testDescription: String
        let kind: String?
        let line: String
        let verdict: String
        var field: String?
        var watermark: String?

        init(_ name: String, _ kind: String?, _ line: String, _ verdict: String, _ field: String? = nil, mark: String? = nil) {
            (testDescription, self.kind, self.line, self.verdict, self.field, watermark) = (name, kind, line, verdict, field, mark)
        }
    }

    static let rows: [Row] = [
        Row("a track, named", "track", track(), "accepted"),
        Row("a track by default", nil, track(), "accepted"),
        Row(
            "replay", nil, track(source: "replay", kind: "replay", transport: "replay"), "accepted", mark: "REPLAY"),
        Row(
            "synthetic", nil,
            track(source: "synthetic", level: "l0_synthetic", kind: "replay", transport: "replay", hash: String(repeating: "0", count: 64)),
            "accepted", mark: "SYNTHETIC"),
        Row("fresh for another millisecond", nil, track(expires: 1_800_000_000_001), "accepted"),
        Row("stale now", nil, track(expires: 1_800_000_000_000), "stale"),
        Row("captured as far ahead as may be", nil, track(captured: 1_800_000_001_000, expires: 1_800_000_002_000), "accepted"),
        Row("captured further ahead", nil, track(captured: 1_800_000_001_001, expires: 1_800_000_002_000), "future_dated"),
        Row("a lifetime beyond five seconds", nil, track(captured: 1_799_999_999_960, expires: 1_800_000_004_961), "excessive_lifetime"),
        Row("depth only", nil, track(kind: "depth_only"), "invalid_field", "provenance.transientKind"),
        Row("corroborated", nil, track(level: "l3_corroborated"), "invalid_field", "evidenceLevel"),
        Row("an authenticated message is no track", nil, authenticated(), "malformed"),
        Row("an authenticated message", "authenticated", authenticated(), "accepted"),
        Row("one that is over", "authenticated", authenticated(expires: 1_800_000_000_000), "stale"),
        Row("one for as long as may be", "authenticated", authenticated(expires: 1_800_003_601_000), "accepted"),
        Row("one for longer", "authenticated", authenticated(expires: 1_800_003_601_001), "excessive_lifetime"),
        Row("a track is no authenticated message", "authenticated", track(), "malformed"),
        Row("a track is no transient", "transient", track(), "malformed"),
    ]

    @Test("each kind has its verdicts", arguments: rows) func verdicts(row: Row) throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(row.line, to: "message.json")
        let clock = row.kind == "transient" ? [] : ["--at", Self.now]
        let finished = try run(["check", "--json", "--one", file] + (row.kind.map { ["--as", $0] } ?? []) + clock)
        let verdict = try object(finished.output)
        #expect(Set(verdict.keys) == ["file", "line", "verdict", "field", "watermark"])
        #expect(verdict["line"] is NSNull)
        #expect(verdict["verdict"] as? String == row.verdict)
        #expect(verdict["field"] as? String == row.field)
        #expect(verdict["watermark"] as? String == row.watermark)
        #expect(finished.status == (row.verdict == "accepted" ? 0 : 1))
    }

    @Test("without --at it is now") func theKernelsClock() throws {
        let folder = try TemporaryFolder()
        let now = UInt64(Date().timeIntervalSince1970 * 1000)
        let fresh = try folder.write(Self.track(captured: now - 100, expires: now + 4_000), to: "fresh")
        #expect(try run(["check", fresh]).status == 0)
        let old = try folder.write(Self.track(), to: "old")
        #expect(try run(["check", old]).status == 1)
    }

    struct Order: CustomTestStringConvertible {
        let testDescription: String
        let lines: [String]
        /// Of the lines that are not accepted, from 1.
        let verdicts: [Int: String]
    }

    static let orders: [Order] = [
        Order(testDescription: "upwards, with gaps", lines: [track(sequence: 1), track(sequence: 2), track(sequence: 9)], verdicts: [:]),
        Order(
            testDescription: "a rejected message does not move the guard",
            lines: [track(sequence: 5), track(sequence: 9, kind: "depth_only"), track(sequence: 6)],
            verdicts: [2: "invalid_field provenance.transientKind"]),
        Order(
            testDescription: "repeated and back", lines: [track(sequence: 5), track(sequence: 5), track(sequence: 4), track(sequence: 6)],
            verdicts: [2: "replayed_sequence", 3: "replayed_sequence"]),
        Order(
            testDescription: "another session", lines: [track(), track(session: "other", sequence: 8), track(sequence: 8)],
            verdicts: [2: "session_changed"]),
    ]

    @Test("the guard over a file's messages", arguments: orders) func sequence(row: Order) throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(row.lines.joined(separator: "\n") + "\n", to: "stream.jsonl")
        let finished = try run(["check", "--sequence", "--at", Self.now, file])
        #expect(finished.status == (row.verdicts.isEmpty ? 0 : 1))
        #expect(Array(finished.lines.dropLast()) == row.verdicts.sorted { $0.key < $1.key }.map { "\(file):\($0.key): \($0.value)" })
        // Each file begins a run of its own.
        let twice = try run(["check", "--sequence", "--at", Self.now, file, file])
        #expect(twice.lines.count == 2 * row.verdicts.count + 1)
    }

    @Test("the sample of messages has the verdicts that its index wants") func sample() throws {
        let folder = packageRoot.appending(path: "Tests/Fixtures/track").path()
        let index = try String(contentsOfFile: "\(folder)/index.jsonl", encoding: .utf8).split(separator: "\n").map {
            try object(String($0))
        }
        #expect(index.count > 50)
        let files = try index.map { "\(folder)/\(try #require($0["file"] as? String).split(separator: "/").last ?? "")" }
        let finished = try run(["check", "--one", "--json", "--at", Self.now] + files)
        #expect(finished.lines.count == index.count)
        for (row, line) in zip(index, finished.lines) {
            let verdict = try object(line)["verdict"] as? String
            guard let want = row["want"] as? String, want != "either" else { continue }
            #expect((verdict == "accepted") == (want == "accept"), "\(row["file"] ?? "?") \(row["name"] ?? ""): \(verdict ?? "")")
        }
    }

    @Test(
        "what cannot be asked together is a usage error",
        arguments: [
            ("--as transient --at 1", "'--at' is for messages that go stale, and a transient does not"),
            (
                "--as authenticated --sequence",
                "'--sequence' is for messages that follow each other, and a stream has one authenticated message"
            ),
            ("--as trak", "unknown kind of message 'trak'; did you mean 'track'?"),
            ("--at soon", "'--at' needs a whole number from 0 to 9007199254740991, not 'soon'"),
            ("--at -1", "'--at' needs milliseconds since 1970, as in --at 1800000000000"),
        ]) func usage(words: String, sentence: String) throws
    {
        let finished = try run(["check"] + words.split(separator: " ").map(String.init) + ["x"])
        #expect(finished.status == 2)
        #expect(finished.messages == "nlos-bridge: \(sentence)\n")
    }
}
