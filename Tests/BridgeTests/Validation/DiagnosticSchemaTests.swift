import DepthValidation
import Foundation
import NLOSCore
import Testing
import TransientSensor

@testable import bridge

/// Every diagnostic that can be made is one by its JSON Schema too, and the schema refuses what the check refuses.
@Suite(.enabled(if: SchemaCheck.isPossible, "needs the Python environment that scripts/test makes"))
struct DiagnosticSchemaTests {
    /// The ends that no frame leads to.
    private static let early: [ValidationEnd] =
        [.declined(.interrupted)]
        + [
            SensorError.notFound(selector: nil), .denied(path: "usb:1-4", node: "/dev/bus/usb/001/004"),
            .busy(path: "usb:1-4", node: "/dev/bus/usb/001/004"), .noSerialInterface(path: "usb:1-4"),
            .configurationRefused(path: "usb:1-4", line: "x"), .receiverMisaligned(path: "usb:1-4"),
            .sensorMissing(path: "usb:1-4", line: "x"), .rateRefused(path: "usb:1-4", asked: 1, got: 2),
            .badRecording(file: "/tmp/x", why: "y"), .system(path: "tty:/dev/ttyACM0", operation: "open", errno: 5),
        ].map { .notOpened(RunFailure($0)) }
        + [
            .notOpened(RunFailure(nil, status: .terminated, end: .interrupted)),
            .notOpened(RunFailure(Message(text: "merged"), status: .refused, end: .deviceError)),
        ]

    private func diagnostic(_ end: ValidationEnd, _ permission: VisibleDepthDiagnostic.Permission = .denied) throws -> String {
        let diagnostic = VisibleDepthDiagnostic(
            session: RunIdentifier(), createdAtUnixMs: 0, sensorModel: nil, source: nil, system: HostFacts().system,
            bridgeVersion: Program.version, capabilities: .none, permission: permission,
            consent: .init(localValidation: false, diagnosticExport: false), outcome: end.outcome(reportsDepth: true))
        return String(decoding: try diagnostic.encoded(), as: UTF8.self)
    }

    @Test func afterEveryKindOfEnd() throws {
        var documents = try Self.early.map { try diagnostic($0) }
        documents += try VisibleDepthDiagnostic.Permission.allCases.map { try diagnostic(.declined(.interrupted), $0) }
        for run in [VirtualRun(), VirtualRun(plan: .shortened(calibrationSeconds: 1, wallScanSeconds: 1)!)]
            + ValidationLoopTests.ends.map(\.run)
        {
            let (end, _) = try run.run()
            for origin in FrameSource.allCases { documents.append(try end.diagnostic(origin)) }
        }
        #expect(documents.count >= 60)
        #expect(try SchemaCheck.verdict(on: documents) == "\(documents.count) documents\n")
        // Nothing of what the failures were about is in any of them.
        for document in documents {
            for part in ["usb:", "/dev", "tty", "sim:", "/tmp", "/001", "recorded", "1-4"] {
                #expect(!document.replacing(/"sessionId":"[^"]*"/, with: "").contains(part), "\(part) in \(document)")
            }
        }
    }

    static let broken: [(from: String, to: String)] = [
        (#""direct_depth""#, #""l1_measured""#), (#""sensorPose":false"#, #""sensorPose":true"#),
        (#""rawSensorExport":false"#, #""rawSensorExport":true"#), (#""visibleDepth":true"#, #""visibleDepth":true,"x":1"#),
        (#""averageFPS":"#, #""averageFPS":241,"a":"#), (#""phase":"calibration""#, #""phase":"third""#), ("Z\"", "+00:00\""),
        (#""completionStatus":"completed""#, #""completionStatus":"failed""#),
        (#""osVersion""#, #""failureReason":"x","osVersion""#), (#""usbPermission":"granted""#, #""usbPermission":"asked""#),
        (#""schema":"ruview.bridge.visible-depth-diagnostic.v1","#, ""),
    ]

    @Test func theSchemaIsAsStrictAsTheCheck() throws {
        let good = try VirtualRun().run().end.diagnostic()
        #expect(try SchemaCheck.verdict(on: [good]) == "1 documents\n")
        for (from, to) in Self.broken {
            let bad = good.replacingOccurrences(of: from, with: to)
            #expect(bad != good)
            #expect(try SchemaCheck.verdict(on: [bad]).hasPrefix("document 1: "), "\(to)")
            #expect(throws: DiagnosticRefusal.self) { try DiagnosticCheck.check(Array(bad.utf8)) }
        }
    }
}
