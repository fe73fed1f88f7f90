import Foundation
import Testing

@testable import bridge

/// The diagnostic's file: with consent only, its owner's only, whole or not at all, and never over anything.
final class DiagnosticExportTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "export-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func path(_ name: String) -> String { folder.appending(path: name).path() }
    private var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder.path()))?.sorted() ?? [] }

    private static func parsed(_ arguments: String...) throws -> DiagnosticExport? {
        try DiagnosticExport(ParsedArguments(arguments, for: Validate.spec))
    }

    @Test("Both or neither, and the missing one is named")
    func consent() throws {
        #expect(try Self.parsed() == nil)
        #expect(try Self.parsed("--export", "a.json", "--consent-export")?.file == "a.json")
        let withoutConsent = #expect(throws: UsageError.self) { try Self.parsed("--export", "a.json") }
        #expect(withoutConsent?.text.contains("'--consent-export'") == true)
        let withoutFile = #expect(throws: UsageError.self) { try Self.parsed("--consent-export") }
        #expect(withoutFile?.text.contains("'--export FILE'") == true)
        #expect(throws: UsageError.self) { try Self.parsed("--export", "-", "--consent-export") }
    }

    @Test("One file, whole, and nobody else's")
    func mode() throws {
        try DiagnosticExport(file: path("a.json")).write(Array("{}".utf8))
        #expect(try Data(contentsOf: folder.appending(path: "a.json")) == Data("{}\n".utf8))
        var facts = stat()
        #expect(stat(path("a.json"), &facts) == 0)
        #expect(facts.st_mode & 0o7777 == 0o600)
        #expect(names == ["a.json"])
    }

    @Test("What is there already stays as it is: a file, a folder, a link, a link to nowhere")
    func existing() throws {
        try Data("old".utf8).write(to: folder.appending(path: "file"))
        try FileManager.default.createDirectory(at: folder.appending(path: "folder"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: path("file"))
        try FileManager.default.createSymbolicLink(atPath: path("nowhere"), withDestinationPath: path("target"))
        for name in ["file", "folder", "link", "nowhere"] {
            let export = DiagnosticExport(file: path(name))
            #expect(#expect(throws: SystemFailure.self) { try export.foresee() }?.exists == true)
            #expect(#expect(throws: SystemFailure.self) { try export.write([1]) }?.exists == true)
        }
        #expect(names == ["file", "folder", "link", "nowhere"])
        #expect(try Data(contentsOf: folder.appending(path: "file")) == Data("old".utf8))
    }

    @Test("A folder that is not there, and one that is a file, are found out beforehand")
    func folders() throws {
        try Data().write(to: folder.appending(path: "file"))
        for name in ["none/a.json", "file/a.json"] {
            #expect(throws: SystemFailure.self) { try DiagnosticExport(file: path(name)).foresee() }
            #expect(throws: SystemFailure.self) { try DiagnosticExport(file: path(name)).write([1]) }
        }
        #expect(throws: SystemFailure.self) { try DiagnosticExport(file: "/proc/a.json").write([1]) }
        #expect(names == ["file"])
        try DiagnosticExport(file: path("new.json")).foresee()
        #expect(names == ["file"])
    }
}
