import Foundation
import Testing
import TrackServerKit

/// `nlos-bridge monitor --json`, paired with a port of the track server, from outside.
final class MonitorPlay {
    let served: ServedScenario
    let folder: TemporaryFolder
    let url: String
    let program: RunningProgram
    private(set) var events: [[String: Any]] = []
    private var bytesTaken = 0

    /// Pairs, and starts the monitor. `through` is a program that becomes it.
    init(_ served: ServedScenario, _ options: [String] = [], through wrapper: [String] = []) throws {
        self.served = served
        url = "wss://localhost:\(served.port)/api/v1/nlos/ws"
        folder = try TemporaryFolder()
        let home = ["XDG_DATA_HOME": folder.path("data")]
        let token = try folder.write(TrackServer.token, to: "token")
        chmod(token, 0o600)
        let pairing = try run(["pair", url, "--token-file", token], environment: home)
        #expect(pairing.status == 0, "\(pairing.messages)")
        program = try RunningProgram(
            ["monitor", "--json", "--ca-file", try TrackServer.shared.get().authority] + options + [url], environment: home,
            through: wrapper)
    }

    convenience init(_ scenario: String, _ more: [String: any Sendable] = [:], options: [String] = []) throws {
        try self.init(TrackServer.shared.get().open(scenario, more), options)
    }

    /// Reads events until one fits; the scenario goes one step further with each message of it that is told. Nil when the program ends before.
    @discardableResult
    func read(until fits: ([String: Any]) -> Bool) throws -> [String: Any]? {
        while true {
            do {
                try program.wait { $0.output.count > bytesTaken && $0.output.last == UInt8(ascii: "\n") }
            } catch is RunningProgram.Ended {
                try takeLines { _ in false }
                return nil
            }
            if let event = try takeLines(until: fits) { return event }
        }
    }

    /// Reads to the end of the program. Returns its status.
    func finish() throws -> Int32 {
        try read { _ in false }
        return try program.finish()
    }

    @discardableResult
    private func takeLines(until fits: ([String: Any]) -> Bool) throws -> [String: Any]? {
        var found: [String: Any]?
        let news = program.output[bytesTaken...]
        bytesTaken = program.output.count
        for line in news.split(separator: UInt8(ascii: "\n")) {
            let event = try object(line)
            events.append(event)
            if ["authenticated", "frame", "rejected"].contains(event["event"] as? String) { try served.go() }
            if found == nil, fits(event) { found = event }
        }
        return found
    }

    /// The events in a few words each, as a table can list them.
    var words: [String] {
        events.map { event in
            ["event", "sequence", "watermark", "verdict", "field", "reason", "closeCode"].compactMap { key in
                event[key].flatMap { $0 is NSNull ? nil : "\($0)" }
            }.joined(separator: " ")
        }
    }

    /// Everything that it said, on both streams.
    var everything: String { program.text + program.said }
}
