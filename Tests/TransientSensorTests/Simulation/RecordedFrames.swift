import Foundation
import Testing

@testable import TransientSensor

/// Real histograms from the public recordings, as a firmware would print them.
enum RecordedFrames {
    /// `NLOS_RECORDINGS`, else beside the package; nil where there are none.
    static let folder: URL? = {
        let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let named = ProcessInfo.processInfo.environment["NLOS_RECORDINGS"].map { URL(filePath: $0) }
        let folder = named ?? package.appending(path: "../shared/recordings")
        return FileManager.default.fileExists(atPath: folder.appending(path: "README.md").path) ? folder : nil
    }()

    static let absence = "needs the public recordings (NLOS_RECORDINGS)"

    /// The block of a live VL53L8CH (16 aggregates of 20 bins), value x 1000 cut towards zero; it holds neither ambient nor distance.
    static func liveBlock() throws -> FirmwareFrame {
        struct Vector: Decodable {
            struct Aggregate: Decodable {
                let mantissas: [Double]
                let exponents: [Int]
                enum CodingKeys: String, CodingKey {
                    case mantissas = "hist_raw"
                    case exponents = "hist_scaler"
                }
            }
            struct Expected: Decodable { let aggregates: [Aggregate] }
            let expected: Expected
        }
        let file = folder!.appending(path: "depz-sensor-sdk/vl53l8_cnh.json")
        let rows = try JSONDecoder().decode(Vector.self, from: Data(contentsOf: file)).expected.aggregates
        let bins = rows.map { row in zip(row.mantissas, row.exponents).map { Int64($0 / Double(1 << $1) * 1000) } }
        return frame(bins.flatMap { $0 }, bins: bins[0].count, distanceMm: Array(repeating: 0, count: bins.count))
    }

    /// NLOS histograms of a VL53L8CH, 4x4 zones: bins 15 to 53, the only ones in use. They are sixtieths, so 60 makes them integers.
    static func nlos() throws -> [FirmwareFrame] {
        let folders = ["st_spad_person_tracking", "st_spad_cam_localization"].map { folder!.appending(path: "consumer-nlos/\($0)") }
        let files = try folders.flatMap { try FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil) }
        return try files.filter { $0.pathExtension == "npz" }.sorted { $0.path < $1.path }.map { file in
            let archive = [UInt8](try Data(contentsOf: file))
            let values = try #require(array("hists.npy", of: archive, count: 16 * 128))
            let points = try #require(array("pt_cloud.npy", of: archive, count: 16 * 3))  // column-major
            let bins = (0..<16).flatMap { zone in (15...53).map { Int64((values[zone * 128 + $0] * 60).rounded()) } }
            let distances = (0..<16).map { zone -> Int64 in
                let squares: [Double] = [points[zone], points[16 + zone], points[32 + zone]].map { $0 * $0 }
                return Int64((squares.reduce(0, +).squareRoot() * 1000).rounded())
            }
            return frame(bins, bins: 39, distanceMm: distances)
        }
    }

    private static func frame(_ histogram: [Int64], bins: Int, distanceMm: [Int64]) -> FirmwareFrame {
        FirmwareFrame(
            bins: bins, ambient: Array(repeating: 0, count: distanceMm.count), distanceMm: distanceMm, histogram: histogram,
            arrival: Arrival(monotonicNs: 0, unixMs: 0))
    }

    /// The float64 values of an uncompressed entry: they are the last `8 * count` bytes of an `.npy` file.
    private static func array(_ name: String, of archive: [UInt8], count: Int) -> [Double]? {
        func number(at offset: Int, bytes: Int) -> Int { (0..<bytes).reduce(0) { $0 | Int(archive[offset + $1]) << (8 * $1) } }
        var offset = 0
        while offset + 30 < archive.count, archive[offset...].starts(with: [0x50, 0x4b, 3, 4]) {
            let nameBytes = number(at: offset + 26, bytes: 2)
            let dataStart = offset + 30 + nameBytes + number(at: offset + 28, bytes: 2)
            // NumPy writes ZIP64: the size is in the extra field, after its own four bytes.
            let size = number(at: offset + 18, bytes: 4)
            let dataEnd = dataStart + (size == 0xffff_ffff ? number(at: offset + 34 + nameBytes, bytes: 8) : size)
            if archive[(offset + 30)...].starts(with: name.utf8) {
                return (0..<count).map {
                    Double(bitPattern: UInt64(bitPattern: Int64(number(at: dataEnd - 8 * (count - $0), bytes: 8))))
                }
            }
            offset = dataEnd
        }
        return nil
    }
}
