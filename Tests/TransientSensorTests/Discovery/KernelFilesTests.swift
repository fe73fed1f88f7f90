import Foundation
import Testing

@testable import TransientSensor

@Suite struct KernelFilesTests {
    private let file = FileManager.default.temporaryDirectory.appendingPathComponent("nlos-\(UUID().uuidString)")

    @Test func aFileHeldByAnotherProcessIsSeenAndOurOwnIsNot() throws {
        try Data([1, 2, 3]).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let path = file.resolvingSymlinksInPath().path
        let own = try FileHandle(forReadingFrom: file)
        #expect(KernelFiles.held(among: [path]).isEmpty)
        try own.close()

        let other = Process()
        let (input, output) = (Pipe(), Pipe())
        other.executableURL = URL(fileURLWithPath: "/bin/sh")
        other.arguments = ["-c", "exec 3<'\(path)'; echo open; read line"]
        (other.standardInput, other.standardOutput) = (input, output)
        try other.run()
        _ = try output.fileHandleForReading.read(upToCount: 5)
        #expect(KernelFiles.held(among: [path, "/nowhere"]) == [path])
        try input.fileHandleForWriting.close()
        other.waitUntilExit()
        #expect(KernelFiles.held(among: [path]).isEmpty)
    }

    /// The daemon is what counts, not what an earlier one left behind.
    @Test func udevRunsWhereItsSocketIs() throws {
        #expect(!UDev.runs(in: file.path))
        try FileManager.default.createDirectory(at: file.appending(path: "data"), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(!UDev.runs(in: file.path))
        try Data().write(to: file.appending(path: "control"))
        #expect(UDev.runs(in: file.path))
    }

    @Test func readingIsBounded() throws {
        try Data(repeating: 7, count: 10_000).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(KernelFiles.read(file.path, limit: 20_000)?.count == 10_000)
        #expect(KernelFiles.read(file.path, limit: 5000)?.count == 5000)
        #expect(KernelFiles.read("/nowhere", limit: 10) == nil)
        #expect(!KernelFiles.mayOpen("/nowhere") && !KernelFiles.exists("/nowhere") && KernelFiles.exists(file.path))
    }
}
