import Foundation
import Testing

/// What the scripts say on a machine where something is missing: in every case one sentence, and nothing installed.
struct ScriptTests {
    static let scripts = ["scripts/demo", "scripts/test", "scripts/lint", "scripts/bench", "scripts/fuzz", ".ci/run"]

    @Test(arguments: scripts)
    func isAnExecutablePOSIXScript(path: String) throws {
        let file = packageRoot.appending(path: path)
        #expect(FileManager.default.isExecutableFile(atPath: file.path()))
        #expect(try String(contentsOf: file, encoding: .utf8).hasPrefix("#!/bin/sh\n"))
        #expect(try Command("/bin/sh", ["-n", file.path()]).output == "")
    }

    struct Machine: CustomTestStringConvertible {
        var testDescription: String
        /// Programs by name, each a shell script's body.
        var programs: [String: String]
        var says: String
    }

    private static let swift = #"echo "Swift version 6.3.1 (swift-6.3.1-RELEASE)""#
    private static let user = "echo 1000"

    static let machines: [Machine] = [
        Machine(testDescription: "no Swift", programs: [:], says: "demo: swift is not in PATH"),
        Machine(
            testDescription: "old Swift", programs: complete(["swift": #"echo "Swift version 5.10.1 (swift-5.10.1-RELEASE)""#]),
            says: "demo: Swift 5.10 is too old: needs 6.3 or newer"),
        Machine(
            testDescription: "nameless Swift", programs: complete(["swift": "true"]), says: "demo: swift --version does not name a version"),
        Machine(testDescription: "not Debian", programs: ["swift": swift, "id": "echo 0"], says: "demo: this is not Debian; install"),
        Machine(
            testDescription: "neither root nor sudo", programs: ["swift": swift, "id": user, "apt-get": "exit 1"],
            says: "and there is no sudo; as root: apt-get install -y --no-install-recommends binutils"),
        Machine(
            testDescription: "no network", programs: ["swift": swift, "id": "echo 0", "apt-get": "echo no route >&2; exit 100"],
            says: "no route\ndemo: apt-get update failed"),
        Machine(
            testDescription: "sudo", programs: ["swift": swift, "id": user, "apt-get": "exit 1", "sudo": #"echo "asked: $*" >&2; exit 1"#],
            says: "asked: apt-get update\n"),
    ]

    /// A machine on which nothing is missing but what `programs` replaces.
    private static func complete(_ programs: [String: String]) -> [String: String] {
        programs.merging(["apt-get": "exit 0", "ld": "", "id": "echo 0"]) { given, _ in given }
    }

    @Test(arguments: machines)
    func saysWhatIsMissing(on machine: Machine) throws {
        let folder = try TemporaryFolder()
        for (name, body) in machine.programs { try folder.write("#!/bin/sh\n\(body)\n", to: "bin/\(name)", executable: true) }
        for tool in ["dirname", "tr", "sed", "mktemp", "rm", "cat", "env"] {
            let path = try #require(Command.path(of: tool))
            try FileManager.default.createDirectory(at: folder.url.appending(path: "bin"), withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(atPath: folder.url.appending(path: "bin/\(tool)").path(), withDestinationPath: path)
        }
        let result = try Command(
            "/bin/sh", [packageRoot.appending(path: "scripts/demo").path()], in: folder.url,
            environment: ["PATH": folder.url.appending(path: "bin").path()])
        #expect(result.status != 0)
        #expect(result.output.contains(machine.says), "\(result.output)")
    }
}
