import CLinux
import Foundation
import Testing
import TrackServerKit

@testable import TrackMonitor

/// What hostile and failed connections cost. In processes of their own: other tests open files and take memory, too.
@Suite(.enabled(if: TrackServer.isInstalled, "\(TrackServer.absence)"))
struct ServerResourceTests {
    @Test("Two hundred failed connections leave no descriptor behind") func descriptors() async throws {
        let server = try TrackServer.shared.get()
        let failures = try [
            server.open("accept-wrong"), server.open("unauthorized"), server.open("redirect-302", ["location": "https://localhost/"]),
            server.open("plain", ["certificate": "expired"]), server.open("tls-closes"), server.open("plain-http"),
            server.open("not-json-first"), server.open("closes-at-once"), server.open("reset"), server.open("no-answer"),
        ]
        let ports = failures.map(\.port)
        let nobody = try server.open("plain").close()
        for failure in failures where failure.port == ports[8] { for _ in 0..<60 { try failure.go() } }
        await #expect(processExitsWith: .success) { [ports = (ports + [nobody]) as [UInt16], authority = server.authority as String] in
            var play = Play(authority: authority)
            play.limits.upgrade = 0.05
            for port in ports { _ = try play.listen(port: port) }
            let before = try openFiles()
            for index in 0..<200 { _ = try play.listen(port: ports[index % ports.count]) }
            #expect(try openFiles() == before)
        }
        withExtendedLifetime(failures) {}
    }

    @Test(
        "An attack costs less than 2 MiB of memory, while it lasts",
        arguments: [
            "header-1-mb", "headers-endless", "length-4-gib", "large-fragments", "endless-fragments", "empty-continuations", "ping-flood",
        ])
    func memory(scenario: String) async throws {
        let server = try TrackServer.shared.get()
        let good = try server.open("as-large-as-allowed")
        let attack = try server.open(scenario)
        for served in [good, attack] { for _ in 0..<4 { try served.go() } }
        await #expect(processExitsWith: .success) {
            [good = good.port as UInt16, attack = attack.port as UInt16, authority = server.authority as String] in
            let play = Play(authority: authority)
            #expect(try play.listen(port: good).words.last == "disconnected server_closed 1000")
            let before = try mostMemoryKiB()
            let played = try play.listen(port: attack) { $0.frames.last?.sequence == 2 }
            #expect(try mostMemoryKiB() - before < 2_048, "\(played.words)")
        }
        withExtendedLifetime((good, attack)) {}
    }
}

private func openFiles() throws -> [String] {
    // The folder's own descriptor is in its list, with a number that may differ.
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
    }.map { $0.hasPrefix("/proc/") ? "/proc" : String($0.prefix { $0 != ":" }) }.sorted()
}

/// The most that was resident since the start.
private func mostMemoryKiB() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return try #require(Int(line.split(whereSeparator: { " \t".contains($0) })[1]))
}
