import Foundation
import Testing

/// `make install` puts three files where they belong, and `make uninstall` takes exactly those away again.
@Suite(.enabled(if: Command.exists("make"), "needs make"))
struct InstallTests {
    let root: TemporaryFolder
    let program: URL

    init() throws {
        root = try TemporaryFolder()
        // The Makefile only copies it; building the real one is not this test's affair.
        program = try root.write("#!/bin/sh\n", to: "built/nlos-bridge", executable: true)
    }

    @Test(arguments: ["/usr/local", "/usr", "/opt/nlos bridge"])
    func installsThreeFilesAndTakesThemAway(prefix: String) throws {
        let neighbour = "dest\(prefix)/bin/other"
        try root.write("", to: neighbour)
        try make("install", prefix: prefix)
        #expect(
            try files() == [
                "\(prefix)/bin/nlos-bridge": 0o755, "\(prefix)/bin/other": 0o644,
                "\(prefix)/lib/udev/rules.d/70-nlos-bridge.rules": 0o644,
                "\(prefix)/share/man/man1/nlos-bridge.1": 0o644,
            ])
        try make("uninstall", prefix: prefix)
        #expect(try files() == ["\(prefix)/bin/other": 0o644])
    }

    private func make(_ target: String, prefix: String) throws {
        let destination = root.url.appending(path: "dest").path()
        let result = try Command("make", [target, "PREFIX=\(prefix)", "DESTDIR=\(destination)", "PROGRAM=\(program.path())"])
        #expect(result.status == 0, "\(result.output)")
    }

    /// Path under DESTDIR to permissions, regular files only.
    private func files() throws -> [String: Int] {
        let destination = root.url.appending(path: "dest").path()
        var found: [String: Int] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: destination) {
            let attributes = try FileManager.default.attributesOfItem(atPath: destination + "/" + path)
            guard attributes[.type] as? FileAttributeType == .typeRegular else { continue }
            found["/" + path] = attributes[.posixPermissions] as? Int
        }
        return found
    }
}
