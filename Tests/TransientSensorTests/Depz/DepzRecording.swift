import Foundation

@testable import TransientSensor

/// The public recordings of real DEPZ boards, and DEPZ's own vectors.
enum DepzRecording {
    static func data(_ name: String) throws -> Data {
        try Data(contentsOf: RecordedFrames.folder!.appending(path: "depz-sensor-sdk/\(name)"))
    }

    static func vectors<Vectors: Decodable>(_ name: String, as: Vectors.Type) throws -> Vectors {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(Vectors.self, from: data(name))
    }

    /// What the host read, in the pieces that it was read in, with the host's microseconds.
    static func reads(_ name: String) throws -> [(us: UInt64, bytes: [UInt8])] {
        struct Line: Decodable {
            let t: UInt64
            let dir: String
            let data: String
        }
        return try data(name).split(separator: UInt8(ascii: "\n")).dropFirst().compactMap { text in
            let line = try JSONDecoder().decode(Line.self, from: text)
            return line.dir == "rx" ? (line.t, bytes(line.data)) : nil
        }
    }

    static func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex.utf8).map { UInt8($0 > 57 ? $0 - 87 : $0 - 48) }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// The decode of the stream by DEPZ's own software.
    struct Expected: Decodable {
        struct Frame: Decodable {
            let timestampUs: UInt64
            let siliconTempDegc: Int
            let distanceMm: [Int64]
            let targetStatus: [UInt8]
        }
        let frames: [Frame]
    }
}

extension DepzDecoder {
    static let moment = Arrival(monotonicNs: 7, unixMs: 8)

    mutating func events(of bytes: [UInt8]) -> [DepzEvent] {
        var events: [DepzEvent] = []
        bytes.withUnsafeBytes { chunk in push(chunk, arrival: Self.moment) { (event: DepzEvent) -> Void in events.append(event) } }
        return events
    }

    /// Whether every byte is in a frame, in a reply or skipped; after `finish`.
    var isAccounted: Bool { counters.bytesReceived == bytesInFrames + bytesInReplies + counters.bytesSkipped }
}

extension [DepzEvent] {
    var frames: [FirmwareFrame] { compactMap { if case .frame(let frame) = $0 { frame } else { nil } } }
    var faults: [FrameFault] { compactMap { if case .rejected(let fault) = $0 { fault } else { nil } } }
    var replies: [DepzReply] { compactMap { if case .reply(let reply) = $0 { reply } else { nil } } }
    var missing: UInt64 { reduce(0) { if case .missing(let count, _) = $1 { $0 + count } else { $0 } } }
}
