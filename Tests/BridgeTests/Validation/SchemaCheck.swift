import Foundation

/// The diagnostic's JSON Schema, asked by somebody else's validator.
enum SchemaCheck {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let python = root.appending(path: ".build/schema-venv/bin/python")

    /// False where nobody has run `scripts/test` yet.
    static var isPossible: Bool { FileManager.default.isExecutableFile(atPath: python.path()) }

    /// What the validator says of the documents: a line for each fault, and their number.
    static func verdict(on documents: [String]) throws -> String {
        let process = Process()
        process.executableURL = python
        process.arguments = ["Tests/Schema/check.py", "docs/visible-depth-diagnostic.schema.json"].map { root.appending(path: $0).path() }
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(documents.map { $0 + "\n" }.joined().utf8))
        try input.fileHandleForWriting.close()
        let said = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: said, as: UTF8.self)
    }
}
