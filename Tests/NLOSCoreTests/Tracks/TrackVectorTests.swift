import Foundation
import NLOSCore
import Testing

/// The sample of messages with the verdict of a strict reading.
@Suite struct TrackVectorTests {
    struct Vector: Decodable, CustomTestStringConvertible, Sendable {
        let file, category, name, want: String
        var testDescription: String { "\(file) \(category): \(name)" }
    }

    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().appendingPathComponent("../../Fixtures/track").standardizedFileURL

    private static let index: [Vector] = {
        guard let index = try? String(contentsOf: folder.appending(path: "index.jsonl"), encoding: .utf8) else { return [] }
        return index.split(separator: "\n").compactMap { try? JSONDecoder().decode(Vector.self, from: Data($0.utf8)) }
    }()

    @Test func allAreThere() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter { $0.hasSuffix(".json") }
        #expect(Self.index.count == 103)
        #expect(Set(Self.index.map(\.file)) == Set(files))
    }

    @Test("each vector gets the verdict of a strict reading", arguments: index)
    func verdict(vector: Vector) throws {
        let verdict = trackVerdict(try Data(contentsOf: Self.folder.appending(path: vector.file)))
        switch vector.want {
        case "accept": #expect(verdict == nil)
        case "reject": #expect(verdict != nil)
        default: #expect(vector.want == "either")
        }
    }
}
