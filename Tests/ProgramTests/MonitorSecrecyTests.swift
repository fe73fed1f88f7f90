import CLinux
import Foundation
import Testing
import TrackServerKit

/// While a monitor runs its token is in one locked page of its memory, and nowhere that others can look.
@Suite(.enabled(if: TrackServer.isInstalled, "\(TrackServer.absence)"))
struct MonitorSecrecyTests {
    static let scenarios = [
        "three-frames", "unauthorized", "redirect-302", "accept-wrong", "ordinary-page", "masked", "reset",
        // Servers that repeat it.
        "token-in-body", "token-cut-in-body", "token-in-host", "token-in-close-reason",
    ]

    @Test(
        "Neither output nor events hold it or a part of it, whatever happens to the run and whatever the server says", arguments: scenarios)
    func outputs(scenario: String) throws {
        let play = try MonitorPlay(scenario, ["location": "https://localhost/?\(TrackServer.token)"])
        _ = try play.finish()
        let token = Array(TrackServer.token.utf8)
        for start in 0...token.count - 8 {
            let part = String(decoding: token[start..<start + 8], as: UTF8.self)
            #expect(!play.everything.contains(part), "\(part)")
        }
        #expect(play.everything.contains("its own words are not shown") == (scenario.hasPrefix("token-") || scenario == "redirect-302"))
        #expect(play.served.reports("request").map(\.token) == ["right"])
    }

    @Test(
        "Neither the arguments nor the environment of a running monitor hold it",
        // Of a program that hides its memory only root may read the environment.
        arguments: getuid() == 0 ? ["cmdline", "environ"] : ["cmdline"])
    func startedWith(name: String) throws {
        let play = try MonitorPlay("good-30")
        try play.read { $0["event"] as? String == "frame" }
        let content = try #require(bytes(of: "/proc/\(play.program.pid)/\(name)"))
        #expect(!content.isEmpty)
        #expect(content.withUnsafeBytes { occurrences(of: TrackServer.token, in: $0) } == 0)
        play.program.send(signal: SIGINT)
        #expect(try play.finish() == 130)
    }

    @Test("Its memory holds it once, in the page that is kept for it", .enabled(if: getuid() == 0, "needs root, who may read any memory"))
    func memory() throws {
        let play = try MonitorPlay("good-30")
        try play.read { $0["event"] as? String == "frame" }
        let places = try mappings(of: play.program.pid, holding: TrackServer.token)
        #expect(places.map(\.isLocked) == [true])
        play.program.send(signal: SIGINT)
        #expect(try play.finish() == 130)
    }

    @Test(
        "Another process of the same user may read neither its memory nor its environment",
        .enabled(if: Machine.canBeNobody, "only root can become somebody without rights"))
    func strangers() throws {
        let folder = try TemporaryFolder()
        let served = try TrackServer.shared.get().open("good-30")
        let name = "nlos-bridge.localhost+\(served.port)"
        chmod(try folder.write(TrackServer.token, to: name), 0o400)
        let authority = try folder.write(Data(contentsOf: URL(filePath: TrackServer.shared.get().authority)), to: "ca.pem")
        for path in [folder.path(""), folder.path(name)] { #expect(chown(path, 65_534, 65_534) == 0) }
        let program = try RunningProgram(
            ["monitor", "--json", "--ca-file", authority, "wss://localhost:\(served.port)/api/v1/nlos/ws"],
            environment: ["CREDENTIALS_DIRECTORY": folder.path("")], through: Machine.asNobody)
        try program.wait { $0.text.contains(#""frame""#) }
        for file in ["mem", "environ", "maps"] {
            let reader = try RunningProgram(["/proc/\(program.pid)/\(file)"], of: "/usr/bin/cat", through: Machine.asNobody)
            #expect(try reader.finish() != 0)
            #expect(reader.text.isEmpty, "\(file)")
            #expect(reader.said.contains("Permission denied"))
        }
        // The same look at a process that hides nothing succeeds.
        let other = try RunningProgram(["60"], of: "/usr/bin/sleep", through: Machine.asNobody)
        try other.waitUntilItIs("sleep")
        #expect(try RunningProgram(["/proc/\(other.pid)/environ"], of: "/usr/bin/cat", through: Machine.asNobody).finish() == 0)
        program.send(signal: SIGINT)
        #expect(try program.finish() == 130)
    }

    @Test("It leaves no core", .enabled(if: Self.coresAreFiles, "this kernel does not leave cores in the working folder"))
    func core() throws {
        let cores = try TemporaryFolder()
        let inFolder = ["/usr/bin/env", "-C", cores.path(""), "/usr/bin/prlimit", "--core=unlimited:unlimited"]
        let play = try MonitorPlay(TrackServer.shared.get().open("good-30"), through: inFolder)
        try play.read { $0["event"] as? String == "frame" }
        play.program.send(signal: SIGSEGV)
        #expect(try play.finish() == 128 + SIGSEGV)
        #expect(try FileManager.default.contentsOfDirectory(atPath: cores.path("")).isEmpty)
        // A program that does not prevent it leaves one there.
        let other = try RunningProgram(["60"], of: "/usr/bin/sleep", through: inFolder)
        try other.waitUntilItIs("sleep")
        other.send(signal: SIGSEGV)
        #expect(try other.finish() == 128 + SIGSEGV)
        #expect(try !FileManager.default.contentsOfDirectory(atPath: cores.path("")).isEmpty)
    }

    private static var coresAreFiles: Bool {
        let pattern = try? String(contentsOfFile: "/proc/sys/kernel/core_pattern", encoding: .utf8)
        return pattern.map { !$0.hasPrefix("|") && !$0.hasPrefix("/") } ?? false
    }
}

private struct Mapping {
    let isLocked: Bool
}

/// Where in a process's memory the text stands: one for each place.
private func mappings(of pid: pid_t, holding text: String) throws -> [Mapping] {
    let memory = open("/proc/\(pid)/mem", O_RDONLY | O_CLOEXEC)
    try #require(memory >= 0)
    defer { close(memory) }
    var found: [Mapping] = []
    var places = 0
    for line in String(decoding: try #require(bytes(of: "/proc/\(pid)/smaps")), as: UTF8.self).split(separator: "\n") {
        let words = line.split(separator: " ")
        if words.count > 1, words[0].contains("-"), let bounds = range(words[0]) {
            places = 0
            guard words[1].hasPrefix("r"), bounds.upperBound < 1 << 47 else { continue }
            var content = [UInt8](repeating: 0, count: bounds.count)
            guard pread(memory, &content, content.count, off_t(bounds.lowerBound)) > 0 else { continue }
            places = content.withUnsafeBytes { occurrences(of: text, in: $0) }
        } else if words.first == "VmFlags:" {
            found += (0..<places).map { _ in Mapping(isLocked: words.contains("lo")) }
            places = 0
        }
    }
    return found
}

private func range(_ text: Substring) -> Range<UInt>? {
    let ends = text.split(separator: "-").compactMap { UInt($0, radix: 16) }
    return ends.count == 2 && ends[0] < ends[1] ? ends[0]..<ends[1] : nil
}

private func occurrences(of text: String, in bytes: UnsafeRawBufferPointer) -> Int {
    guard let first = text.utf8.first, let end = bytes.baseAddress.map({ $0 + bytes.count }) else { return 0 }
    var count = 0
    var place = bytes.baseAddress
    while let from = place, let at = memchr(from, CInt(first), end - from) {
        if end - UnsafeRawPointer(at) >= text.utf8.count, memcmp(at, text, text.utf8.count) == 0 { count += 1 }
        place = UnsafeRawPointer(at) + 1
    }
    return count
}

extension RunningProgram {
    /// Until the programs that lead to it have become it.
    fileprivate func waitUntilItIs(_ name: String) throws {
        for _ in 0..<3_000 {
            if String(decoding: bytes(of: "/proc/\(pid)/comm") ?? [], as: UTF8.self) == name + "\n" { return }
            usleep(2_000)
        }
        throw Late(self)
    }
}
