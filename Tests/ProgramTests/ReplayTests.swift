import Foundation
import Testing

@Suite struct ReplayTests {
    @Test func aLiveLineBecomesAReplayAndNothingMore() throws {
        let folder = try TemporaryFolder()
        let lines = [
            TransientLine().text,
            TransientLine(sequence: 1, monotonicNs: 2_000, level: "l2_calibrated", hash: String(repeating: "b", count: 64)).text,
            TransientLine(sequence: 2, monotonicNs: 3_000, source: "synthetic", level: "l0_synthetic", kind: "replay", transport: "replay")
                .text,
        ]
        let replay = try run(["replay", "--fast", folder.write(lines.joined(separator: "\n"), to: "hand.jsonl")])
        #expect(replay.status == 0)
        let frames = try replay.lines.map(object)
        #expect(frames.map { $0["source"] as? String } == ["replay", "replay", "synthetic"])
        #expect(frames.map { $0["evidenceLevel"] as? String } == ["l1_measured", "l2_calibrated", "l0_synthetic"])
        for (frame, line) in zip(frames, lines) {
            let provenance = try #require(frame["provenance"] as? [String: Any])
            #expect(provenance["transientKind"] as? String == "replay")
            #expect(provenance["transport"] as? String == "replay")
            let original = try object(line)
            for same in ["zones", "sequence", "monotonicNs", "capturedAtUnixMs", "binWidthPs", "sensorPose", "calibrationHash"] {
                #expect(frame[same] as? NSObject == original[same] as? NSObject, "\(same)")
            }
        }
    }

    @Test func aLineThatClaimsTooMuchIsLeftOutAndTheRunFails() throws {
        let folder = try TemporaryFolder()
        let text = TransientLine().text + "\n" + TransientLine(sequence: 1, kind: "depth_only").text + "\n" + "nonsense\n"
        let file = try folder.write(text, to: "claims.jsonl")
        let replay = try run(["replay", "--fast", file, "--summary-json", folder.path("sum")])
        #expect(replay.status == 1)
        #expect(replay.lines.count == 1)
        #expect(replay.messages.contains("claims.jsonl: 2 of 3 lines break the contract and were left out"))
        #expect(try object(folder.read("sum"))["framesRejected"] as? [String: Int] == ["invalid_field": 1, "malformed": 1])
    }

    /// What repeats or goes back is left out by name; a jump is a gap that the capture already had; another session begins anew.
    @Test func aCaptureKeepsItsOrder() throws {
        let folder = try TemporaryFolder()
        let lines = [
            TransientLine(sequence: 0, monotonicNs: 10), TransientLine(sequence: 1, monotonicNs: 20),
            TransientLine(sequence: 0, monotonicNs: 30),
            TransientLine(sequence: 2, monotonicNs: 15), TransientLine(sequence: 5, monotonicNs: 40),
            TransientLine(sessionId: "other", sequence: 0, monotonicNs: 5),
        ]
        let file = try folder.write(lines.map { $0.text + "\n" }.joined(), to: "in")
        let replay = try run(["replay", "--fast", file, "--summary-json", folder.path("sum")])
        #expect(replay.status == 1)
        #expect(try replay.lines.map { try object($0)["sequence"] as? Int } == [0, 1, 5, 0])
        let summary = try object(folder.read("sum"))
        #expect(summary["framesRejected"] as? [String: Int] == ["replayed_sequence": 1, "invalid_field": 1])
        #expect((summary["gaps"] as? [[String: Any]])?.map { $0["reason"] as? String } == ["sequence_jump"])
    }

    @Test func aReplayOfAReplayIsTheSameBytes() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(TransientLine().run(of: 20), to: "a")
        let once = try run(["replay", "--fast", file])
        let twice = try run(["replay", "--fast", "-"], input: .file(folder.write(once.output, to: "b")))
        #expect(once.output == twice.output)
        let labelled = try run(["replay", file, "--session", "new"])
        #expect(labelled.status == 2)
        #expect(labelled.messages.contains("'--session' is for a .pcap recording; a JSONL capture keeps its own"))
    }

    @Test func theRecordedPaceIsKept() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(TransientLine().run(of: 4, everyNs: 100_000_000), to: "slow")
        let began = DispatchTime.now().uptimeNanoseconds
        #expect(try run(["replay", file]).status == 0)
        // Never faster; how much slower is the machine's matter.
        #expect(DispatchTime.now().uptimeNanoseconds - began >= 300_000_000)
    }

    @Test(arguments: ["d4c3b2a1", "4d3cb2a1", "a1b2c3d4"]) func aRecordingOfNothingIsNamed(magic: String) throws {
        let folder = try TemporaryFolder()
        let bytes = stride(from: 0, to: 8, by: 2).map { UInt8(magic.dropFirst($0).prefix(2), radix: 16)! }
        let file = try folder.write(bytes, to: "cut.pcap")
        let replay = try run(["replay", file])
        #expect(replay.status == 1)
        #expect(replay.messages.contains("nlos-bridge: \(file): "))
        #expect(replay.output.isEmpty)
    }

    @Test func anEmptyCaptureHasNoFrame() throws {
        let folder = try TemporaryFolder()
        let replay = try run(["replay", folder.write("", to: "empty.jsonl")])
        #expect(replay.status == 1)
        #expect(replay.messages.contains("no frame came"))
    }
}
