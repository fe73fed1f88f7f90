import Foundation
import Testing

@testable import TransientSensor

/// The public recordings of real sensors.
private enum Recordings {
    static let folder: URL? = {
        let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let named = ProcessInfo.processInfo.environment["NLOS_RECORDINGS"].map { URL(filePath: $0) }
        let folder = named ?? package.appending(path: "../shared/recordings")
        return FileManager.default.fileExists(atPath: folder.appending(path: "README.md").path) ? folder : nil
    }()

    static let absence: Comment = "needs the public recordings (NLOS_RECORDINGS)"

    /// One measurement of a TMF8820 in front of a plane.
    struct Record: Decodable {
        struct Objects: Decodable {
            let temperature: Int
            let tick: UInt64
            let number: Int
            let depths: [Int64]
            let confidences: [Int64]
            enum CodingKeys: String, CodingKey {
                case temperature, tick
                case number = "measurement_num"
                case depths = "depths_1"
                case confidences = "confs_1"
            }
        }
        let distances: [Objects]
        let reference: [Int64]
        let hists: [[Int64]]
        enum CodingKeys: String, CodingKey {
            case distances, hists
            case reference = "reference_hist"
        }
    }

    static func records() throws -> [Record] {
        try JSONDecoder().decode(
            [Record].self, from: Data(contentsOf: folder!.appending(path: "spad-iccp-summer-school/distance_data.json")))
    }

    static func log() throws -> [UInt8] {
        Array(try Data(contentsOf: folder!.appending(path: "spad-iccp-summer-school/tmf8820_3x3_reconstructed.log")))
    }

    /// Averaged histograms of a TMF8828 in its 3x3 mode.
    struct Averaged: Decodable {
        let histogram: [[[Double]]]
        let distance: [[Double]]
    }

    static func averaged() throws -> [FirmwareFrame] {
        let text = try String(contentsOf: folder!.appending(path: "consumer-nlos/ams_U_reconstruction.jsonl"), encoding: .utf8)
        return try text.split(separator: "\n").map { line in
            let values = try JSONDecoder().decode(Averaged.self, from: Data(line.utf8))
            return FirmwareFrame(
                bins: 128, ambient: Array(repeating: 0, count: 9), distanceMm: values.distance.joined().map { Int64($0.rounded()) },
                histogram: values.histogram.joined().joined().map { Int64($0.rounded()) }, arrival: Arrival(monotonicNs: 0, unixMs: 0))
        }
    }
}

@Suite(.enabled(if: Recordings.folder != nil, Recordings.absence))
struct TMF882xRecordingTests {
    /// The log was rebuilt from the first 40 records; every number of them comes back.
    @Test(arguments: [TMF882xLayout(side: 3, hasHistograms: true), nil])
    func theRebuiltLogHoldsItsRecords(layout: TMF882xLayout?) throws {
        let records = try Recordings.records().prefix(40)
        let log = try Recordings.log()
        let (events, decoder) = TMF882xDecoder.events(of: log, layout, piece: 4_096)
        let frames = events.compactMap { if case .frame(let frame) = $0 { frame } else { nil } }
        // Nothing tells whether the log begins with a result's first row, unless it is known that a result has one sub-capture only.
        let expected = records.dropFirst(layout == nil ? 1 : 0)
        #expect(frames.count == expected.count)
        for (frame, record) in zip(frames, expected) {
            let objects = record.distances[0]
            #expect(frame.bins == 128 && frame.zones == 9)
            #expect(frame.histogram == record.hists.flatMap(\.self))
            #expect(frame.reference == record.reference)
            #expect(frame.distanceMm == objects.depths)
            #expect(frame.confidence == objects.confidences)
            #expect(frame.temperatureC == objects.temperature)
        }
        #expect(events.faults.isEmpty && decoder.accountsForAll)
    }

    /// The clock goes on over the place where its 32 bits end, and the count tells what the recording left out.
    @Test func clockAndCountOfTheRebuiltLog() throws {
        let objects = try Recordings.records().prefix(40).map { $0.distances[0] }
        let events = TMF882xDecoder.events(of: try Recordings.log(), TMF882xLayout(side: 3, hasHistograms: true)).events
        let times = events.compactMap { if case .frame(let frame) = $0 { frame.deviceUs } else { nil } }
        var wraps: UInt64 = 0
        var expected: [UInt64] = []
        var missing = 0
        for (index, object) in objects.enumerated() {
            if index > 0 {
                if object.tick < objects[index - 1].tick { wraps += 1 }
                missing += (object.number - objects[index - 1].number + 256) % 256 - 1
            }
            expected.append((object.tick + wraps << 32) / 5)
        }
        #expect(times == expected)
        #expect(events.missing == UInt64(missing) && missing > 500)
    }

    /// Real counts of a TMF8828, up to 1.3 million, number by number through the emulated sketches.
    @Test(arguments: [SensorProfile.tmf882xAms, .tmf882xCCHardware, .tmf882xMiniTof].map(\.name))
    func realCountsThroughTheSketches(name: String) throws {
        let frames = try Recordings.averaged()
        let talk = try TMF882xTalk(SensorProfile.named(name)!, scene: .recorded(frames), seconds: 200, enough: frames.count)
        #expect(talk.failure == nil && talk.faults.isEmpty)
        #expect(talk.frames.map(\.histogram) == frames.map(\.histogram))
        #expect(talk.frames.map(\.distanceMm) == frames.map(\.distanceMm))
        #expect(frames.contains { $0.histogram.contains { $0 > 1_300_000 } })
    }
}
