import CLinux
import Foundation
import Testing
import TrackServerKit

/// The monitor on a terminal, against a real server: what is on the screen, and that the terminal comes back.
@Suite(.enabled(if: TrackServer.isInstalled, "\(TrackServer.absence)"))
struct MonitorScreenTests {
    /// A monitor whose standard output is a screen that the test looks at.
    private final class Watched {
        let served: ServedScenario
        let screen: Terminal
        let program: RunningProgram
        private let folder: TemporaryFolder
        private var bytes = ""

        init(_ scenario: String, _ options: [String] = [], columns: UInt16 = 100, rows: UInt16 = 30, environment: [String: String] = [:])
            throws
        {
            served = try TrackServer.shared.get().open(scenario)
            folder = try TemporaryFolder()
            screen = try Terminal(columns: columns, rows: rows)
            let url = "wss://localhost:\(served.port)/api/v1/nlos/ws"
            let home = ["XDG_DATA_HOME": folder.path("data")]
            let token = try folder.write(TrackServer.token, to: "token")
            chmod(token, 0o600)
            #expect(try run(["pair", url, "--token-file", token], environment: home).status == 0)
            program = try RunningProgram(
                ["monitor", "--ca-file", try TrackServer.shared.get().authority] + options + [url], input: .descriptor(screen.far),
                output: .descriptor(screen.far), environment: home.merging(environment) { $1 })
        }

        /// Looks until everything is there that was written so far, and says it.
        @discardableResult
        func look(seconds: Double = 30, until fits: (String) -> Bool) throws -> String {
            let limit = ContinuousClock.now + .seconds(seconds)
            while true {
                bytes += screen.shown()
                if fits(bytes) { return bytes }
                guard ContinuousClock.now < limit else { throw Unseen(bytes: bytes) }
                if try program.hasEnded(milliseconds: 20) {
                    bytes += screen.shown()
                    guard fits(bytes) else { throw Unseen(bytes: bytes) }
                }
            }
        }

        /// Everything from here on is new.
        func forget() { bytes = "" }

        struct Unseen: Error { let bytes: String }
    }

    private static let leave = "\u{1b}[?1049l"

    @Test("A frame is shown under its watermark, and 'q' ends it and gives the terminal back") func quit() throws {
        let watched = try Watched("synthetic-stream")
        let text = try watched.look { $0.contains("hidden-target-0") }
        #expect(text.contains("\u{1b}[?1049h"))
        #expect(text.contains("SYNTHETIC"))
        #expect(text.contains("never act on them"))
        watched.screen.write("q")
        #expect(try watched.program.finish() == 0)
        #expect(try watched.look { $0.contains(Self.leave) }.hasSuffix(Self.leave))
        #expect(try watched.served.wait { $0.what == "left" }.closeCode == 1000)
    }

    @Test("Ctrl-C ends it with its own status and gives the terminal back") func interrupted() throws {
        let watched = try Watched("good-30")
        try watched.look { $0.contains("hidden-target-0") }
        watched.program.send(signal: SIGINT)
        #expect(try watched.program.finish() == 130)
        #expect(try watched.look { $0.contains(Self.leave) }.hasSuffix(Self.leave))
    }

    @Test("A frame whose time is over goes, with a silent server") func expiry() throws {
        let watched = try Watched("short-lived-frame")
        try watched.look { $0.contains("waiting for the first frame") }
        try watched.served.go()
        try watched.look { $0.contains("hidden-target-0") }
        watched.forget()
        try watched.look { $0.contains("the last frame has expired and no newer one came") }
        watched.program.send(signal: SIGTERM)
        #expect(try watched.program.finish() == 143)
    }

    @Test("Where the server is gone the reason stays on the terminal after the screen") func lastWord() throws {
        let watched = try Watched("forbidden")
        #expect(try watched.program.finish() == 6)
        #expect(watched.program.said.contains("the server refuses this client (403)"))
        #expect(try watched.look { $0.contains(Self.leave) }.hasSuffix(Self.leave))
    }

    @Test(
        "Where a screen makes no sense there are plain lines",
        arguments: [("dumb", 100, 30), ("xterm", 39, 30), ("xterm", 100, 11), ("xterm", 0, 0)] as [(String, UInt16, UInt16)])
    func plainLines(terminal: String, columns: UInt16, rows: UInt16) throws {
        let watched = try Watched("replay-stream", columns: columns, rows: rows, environment: ["TERM": terminal])
        let text = try watched.look { $0.contains("hidden-target-0") }
        #expect(!text.contains("\u{1b}"))
        #expect(text.contains("REPLAY frame "))
        watched.program.send(signal: SIGINT)
        #expect(try watched.program.finish() == 130)
    }

    @Test("A simulated sensor beside a stream is labelled in the JSON, and supports no live claim") func paired() throws {
        let play = try MonitorPlay("good-30", options: ["--paired", "--sensor", "sim:matte-wall", "--sensor-id", "st-kit-001"])
        let event = try #require(
            try play.read {
                $0["event"] as? String == "paired" && $0["agreement"] as? String == "differs" && $0["framesPerSecond"] is Double
            })
        #expect(
            Set(event.keys) == [
                "event", "atUnixMs", "sensor", "watermark", "framesPerSecond", "coverage", "histogramKind", "agreement", "differences",
            ])
        #expect(event["sensor"] as? String == "streaming")
        #expect(event["watermark"] as? String == "SYNTHETIC")
        #expect(event["histogramKind"] as? String == "replay")
        #expect((event["differences"] as? [String])?.contains("transientKind") == true)
        // The local distances are in no track, and in no event at all.
        for line in play.program.lines { #expect(!line.contains("distance") && !line.contains("sim:")) }
        play.program.send(signal: SIGINT)
        #expect(try play.finish() == 130)
    }
}
