import Foundation
import NLOSCore

@testable import DepthValidation

/// The public recordings that depth is checked against.
enum Recordings {
    /// `NLOS_RECORDINGS`, else beside the package; nil where there are none.
    static let folder: URL? = {
        let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let named = ProcessInfo.processInfo.environment["NLOS_RECORDINGS"].map { URL(filePath: $0) }
        let folder = named ?? package.appending(path: "../shared/recordings")
        return FileManager.default.fileExists(atPath: folder.appending(path: "README.md").path) ? folder : nil
    }()

    static let absence = "needs the public recordings (NLOS_RECORDINGS)"

    /// A TMF8820 that a robot arm held in front of a plane.
    struct Plane: Decodable {
        struct Distances: Decodable {
            let depths: [Int64]
            let confidences: [Int64]
            enum CodingKeys: String, CodingKey {
                case depths = "depths_1"
                case confidences = "confs_1"
            }
        }
        let distances: [Distances]
        let metres: Double
        /// Rows of the arm's pose; its third column is the sensor's axis, and the plane's normal is the arm's z.
        let pose: [[Double]]
        enum CodingKeys: String, CodingKey {
            case distances, pose
            case metres = "dist_to_plane"
        }

        var tiltDegrees: Double { acos(abs(pose[2][2])) * 180 / .pi }
        func frame(_ grid: ZoneGrid) throws -> DepthFrame? {
            DepthFrame(
                monotonicNs: 0, sequence: 0, grid: grid, reportedMm: distances[0].depths, confidence: distances[0].confidences)
        }
    }

    static func planes() throws -> [Plane] { try decode("spad-iccp-summer-school/distance_data.json") }

    /// The nine zones of that sensor.
    static func zoneAngles() throws -> [ZoneAngle] {
        struct Zone: Decodable { let center: [Float] }
        let zones: [Zone] = try decode("proximity-planar-recovery/zone_spec.json")
        return zones.map { ZoneAngle(x: $0.center[0], y: $0.center[1]) }
    }

    /// A VL53L8CX a few centimetres from something.
    struct NearFrame: Decodable, Equatable {
        let stampUs: UInt64
        let distances: [Int64]
        let status: [UInt8]
        let temperature: Int
        enum CodingKeys: String, CodingKey {
            case stampUs = "timestamp_us"
            case distances = "distance_mm"
            case status = "target_status"
            case temperature = "silicon_temp_degc"
        }

        func repeats(_ other: NearFrame) -> Bool {
            distances == other.distances && status == other.status && temperature == other.temperature
        }

        func depth(atNs: UInt64, repeats: Bool) -> DepthFrame? {
            DepthFrame(
                monotonicNs: atNs, sequence: 0, grid: ZoneGrid(width: 8, height: 8), reportedMm: distances, targetStatus: status,
                repeatsPrevious: repeats)
        }
    }

    static func nearFrames() throws -> [NearFrame] {
        struct File: Decodable { let frames: [NearFrame] }
        let file: File = try decode("depz-sensor-sdk/vl53l8_8x8_15hz_3s.expected.json")
        return file.frames
    }

    private static func decode<Value: Decodable>(_ path: String) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(contentsOf: folder!.appending(path: path)))
    }
}
