import EmulatedUSB
import Foundation
import Testing

/// The program as it was built beside the tests, run as a user runs it.
enum BuiltProgram {
    private static let path = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "nlos-bridge").path()

    static func start(_ arguments: [String], environment: [String: String] = [:], asNobody: Bool = false) throws -> ChildProgram {
        try ChildProgram(path, arguments, environment: environment.merging(["NO_COLOR": "1"]) { $1 }, asNobody: asNobody)
    }

    static func run(_ arguments: [String], asNobody: Bool = false) throws -> ChildProgram.Progress {
        try start(arguments, asNobody: asNobody).finish(.seconds(40))
    }

    static let provenance = ["--session", "lab", "--sensor-id", "bench", "--fixed-sensor"]

    static func capture(_ options: [String]) -> [String] { ["capture"] + provenance + options }

    /// The JSON objects of a program's output, one a line. Every line must be one, and the last one must be ended.
    static func objects(_ progress: ChildProgram.Progress) throws -> [[String: Any]] {
        let text = progress.text
        try #require(text.isEmpty || text.hasSuffix("\n"), "torn line: \(text.suffix(80))")
        return try text.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "no object: \(line.prefix(80))")
        }
    }
}
