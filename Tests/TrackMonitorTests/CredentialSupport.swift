import Foundation
import NLOSCore
import Testing

@testable import TrackMonitor

/// Bytes through a pipe, as they come from a file or a terminal.
func token(_ bytes: some Sequence<UInt8>) throws -> PairingToken {
    var ends: [CInt] = [-1, -1]
    try #require(pipe(&ends) == 0)
    defer { close(ends[0]) }
    let all = Array(bytes)
    try #require(write(ends[1], all, all.count) == all.count)
    close(ends[1])
    return try PairingToken.read(from: ends[0])
}

func token(_ text: String) throws -> PairingToken { try token(text.utf8) }

extension PairingToken {
    /// A copy for a test to compare.
    var text: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}

/// A token that each call makes anew: what a test finds in a file came from this test.
func randomToken() -> String { (UUID().uuidString + UUID().uuidString).filter { $0 != "-" } }

/// A data directory of its own for one test, removed with it.
final class DataDirectory {
    let path: String
    let endpoint = try! MonitorEndpoint("wss://ruview.example:8443/api/v1/nlos/ws")

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "nlos-data-\(UUID().uuidString)").path(percentEncoded: false)
        try #require(mkdir(path, 0o700) == 0)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var store: CredentialStore { CredentialStore(dataDirectory: path) }
    var own: String { path + "/nlos-bridge" }
    var pairings: String { own + "/pairings" }
    var file: String { pairings + "/ruview.example+8443" }

    func facts(_ path: String) throws -> stat {
        var facts = stat()
        try #require(lstat(path, &facts) == 0, "\(path): \(errno)")
        return facts
    }

    func mode(_ path: String) throws -> UInt32 { try facts(path).st_mode & 0o7777 }

    /// What is in the folder of the pairings.
    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: pairings).sorted() }

    func contents(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @discardableResult func keep(_ text: String) throws -> Bool { try store.keep(token(text), for: endpoint) }

    func write(_ text: String, to path: String, mode: mode_t = 0o600) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        try #require(fchmod(descriptor, mode) == 0)
        try #require(Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count)
    }
}

let isRoot = geteuid() == 0
