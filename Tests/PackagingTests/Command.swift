import Foundation

/// The folder that holds `Package.swift`.
let packageRoot = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

/// A program run to its end, with both its outputs in one text.
struct Command {
    let status: Int32
    let output: String

    /// `name` is a path, or is looked up in PATH. Without `environment` the test's own is inherited.
    init(_ name: String, _ arguments: [String], in folder: URL = packageRoot, environment: [String: String]? = nil) throws {
        let process = Process()
        process.executableURL = URL(filePath: name.contains("/") ? name : Self.path(of: name) ?? "/nonexistent/\(name)")
        process.arguments = arguments
        process.currentDirectoryURL = folder
        if let environment { process.environment = environment }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        status = process.terminationStatus
        output = String(decoding: bytes, as: UTF8.self)
    }

    /// Nil when PATH has no such program.
    static func path(of name: String) -> String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    static func exists(_ name: String) -> Bool { path(of: name) != nil }
}

/// A folder of its own for one test, removed with it.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "nlos-packaging-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Writes a file, with the folders on its way.
    @discardableResult
    func write(_ text: String, to path: String, executable: Bool = false) throws -> URL {
        let file = url.appending(path: path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        if executable { try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path()) }
        return file
    }
}
