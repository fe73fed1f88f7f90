import Foundation
import Testing
import TransientSensor

@testable import bridge

/// The man page names everything that the program takes, and a formatter finds nothing wrong with it.
struct ManPageTests {
    static let file = packageRoot.appending(path: "docs/man/nlos-bridge.1")
    let text: String

    init() throws {
        text = try String(contentsOf: Self.file, encoding: .utf8)
    }

    static let commands = [
        Probe.spec, Validate.spec, Capture.spec, Replay.spec, Monitor.spec, Pair.spec, Unpair.spec, Check.spec, Emulate.spec,
    ]

    @Test(arguments: commands.map(\.name))
    func namesEveryOption(of command: String) throws {
        let spec = try #require(Self.commands.first { $0.name == command })
        #expect(text.contains(".Ss \(command)\n"))
        for option in spec.options {
            #expect(text.contains("Fl \(option.name.dropFirst()) ") || text.contains("Fl \(option.name.dropFirst())\n"), "\(option.name)")
        }
    }

    @Test func namesEveryFault() {
        for fault in FaultSwitch.all {
            #expect(text.contains(try! Regex("Cm [^\n]*\\b\(fault.name)\\b")), "\(fault.name)")
        }
    }

    /// The module's name stands before it because Testing has an `ExitStatus` too.
    static let statuses: [bridge.ExitStatus] = [
        .done, .failed, .usage, .noSensor, .denied, .device, .network, .refused, .interrupted, .terminated,
    ]

    @Test(arguments: statuses.map(\.rawValue))
    func namesEveryExitStatus(status: Int32) {
        #expect(text.contains(try! Regex("\\.It [0-9 ,]*\\b\(status)\\b")))
    }

    @Test(.enabled(if: Command.exists("mandoc"), "needs mandoc"))
    func isWellFormed() throws {
        let verdict = try Command("mandoc", ["-Tlint", "-Wwarning", Self.file.path()])
        #expect(verdict.output == "")
    }
}
