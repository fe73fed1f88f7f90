import Foundation
import NLOSCore
import Testing
import TransientSensor

@testable import bridge

@Suite struct CaptureSummaryTests {
    private func object(_ summary: CaptureSummary) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(summary.json)) as? [String: Any])
    }

    static let keys: Set<String> = [
        "schema", "profile", "framesEmitted", "framesPerSecond", "framesRejected", "bytesReceived", "bytesSkipped", "bytesLost",
        "negativesEmittedAsZero", "stalls", "wallClockSteps", "framesMissing", "countShift", "binTiming", "firmwareVersion", "gaps",
        "gapsNotListed", "end", "sha256",
        "recording",
    ]

    @Test func anEmptyRunHasEveryKey() throws {
        let empty = try object(CaptureSummary())
        #expect(Set(empty.keys) == Self.keys)
        #expect(empty["framesPerSecond"] is NSNull)
        #expect(empty["binTiming"] is NSNull)
        #expect(empty["recording"] is NSNull)
        #expect(empty["framesMissing"] is NSNull)
    }

    @Test func aFullRunHasTheSameKeysAndTypes() throws {
        var summary = CaptureSummary()
        for index in 0..<5 { summary.emitted(atNs: 1_000_000_000 + UInt64(index) * 50_000_000) }
        summary.rejected("row_shape")
        summary.rejected("row_shape")
        summary.rejected("invalid_distance")
        summary.gap("board_reset", atNs: 7)
        summary.timing = BinTiming(binWidthPs: 250, startBin: 30, basis: .configured)
        summary.firmwareVersion = "VL53LMZ_2.0.10"
        summary.framesMissing = 3
        summary.countShift = 4
        summary.end = .framesReached
        summary.sha256 = "ab"
        summary.recording = CaptureSummary.Recording(file: "a \"b\".pcap", sha256: "cd", complete: false)
        let full = try object(summary)
        #expect(Set(full.keys) == Self.keys)
        #expect(full["framesPerSecond"] as? Double == 20)
        #expect(full["framesMissing"] as? Int == 3)
        #expect(full["countShift"] as? Int == 4)
        #expect(summary.lines(width: 200).contains { $0.contains("divided by 16, as asked (--count-shift 4)") })
        #expect(full["framesRejected"] as? [String: Int] == ["row_shape": 2, "invalid_distance": 1])
        #expect((full["gaps"] as? [[String: Any]])?.first?["reason"] as? String == "board_reset")
        #expect((full["gaps"] as? [[String: Any]])?.first?["atMonotonicNs"] as? Int == 7)
        #expect(full["binTiming"] as? String == "configured")
        #expect((full["recording"] as? [String: Any])?["file"] as? String == "a \"b\".pcap")
        #expect((full["recording"] as? [String: Any])?["complete"] as? Bool == false)
        #expect(summary.lines(width: 200).contains("rejected    invalid_distance 1, row_shape 2"))
        #expect(summary.lines(width: 200).contains("gaps        board_reset 1"))
    }

    @Test(
        arguments: [
            ([100], nil), ([100, 100], nil), ([100, 99], nil), ([0, 1_000_000_000], 1.0),
        ] as [([UInt64], Double?)]) func aRateNeedsTime(stamps: [UInt64], rate: Double?)
    {
        var summary = CaptureSummary()
        for stamp in stamps { summary.emitted(atNs: stamp) }
        #expect(summary.framesPerSecond == rate)
    }

    @Test func gapsAreKeptUpToALimitAndCountedBeyond() throws {
        var summary = CaptureSummary()
        for index in 0..<CaptureSummary.gapsKept + 3 { summary.gap("silence", atNs: UInt64(index)) }
        let full = try object(summary)
        #expect((full["gaps"] as? [Any])?.count == CaptureSummary.gapsKept)
        #expect(full["gapsNotListed"] as? Int == 3)
        #expect(summary.lines(width: 200).contains("gaps        silence \(CaptureSummary.gapsKept), 3 more"))
    }

    @Test func everyEndIsOneOfTheDocumentedNames() {
        let ends: [CaptureSummary.End] = [
            .framesReached, .timeReached, .interrupted, .endOfInput, .sensorDisconnected, .outputClosed, .deviceError,
        ]
        #expect(
            ends.map(\.rawValue) == [
                "frames_reached", "time_reached", "interrupted", "end_of_input", "sensor_disconnected", "output_closed", "device_error",
            ])
    }
}
