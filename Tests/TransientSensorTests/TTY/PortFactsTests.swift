import CLinux
import Foundation
import NLOSCore
import Testing

@testable import TransientSensor

@Suite struct PortFactsTests {
    @Test func aPseudoTerminalThatNobodyReads() throws {
        let terminal = try PseudoTerminal()
        let byName = FileManager.default.temporaryDirectory.appendingPathComponent("ttyACM-\(UUID().uuidString)").path
        try FileManager.default.createSymbolicLink(atPath: byName, withDestinationPath: terminal.node)
        defer { try? FileManager.default.removeItem(atPath: byName) }
        let facts = try PortFacts(asking: byName)
        #expect(facts.node == terminal.node && facts.path == "tty:\(terminal.node)")
        #expect(facts.access == .ready && facts.isPseudoTerminal && facts.origin == .synthetic)
    }

    /// Opening raises DTR, of which boards start anew: asking must be no opening.
    @Test func nothingIsOpened() throws {
        let terminal = try PseudoTerminal()
        let openings = inotify_init1(CInt(O_NONBLOCK | O_CLOEXEC))
        defer { close(openings) }
        try #require(inotify_add_watch(openings, terminal.node, UInt32(IN_OPEN)) >= 0)
        _ = try PortFacts(asking: terminal.node)
        #expect(!isReadable(openings, milliseconds: 0))
        close(open(terminal.node, O_RDWR | O_NOCTTY | O_CLOEXEC))
        #expect(isReadable(openings, milliseconds: 1000))  // it would have been seen
    }

    @Test func aPortThatIsReadIsBusy() throws {
        let terminal = try PseudoTerminal()
        let link = try TTYLink(path: terminal.node, coding: LineCoding(baud: 2_250_000), clocks: .kernel)
        #expect(try PortFacts(asking: terminal.node).access == .busy)
        link.close()
        #expect(try PortFacts(asking: terminal.node).access == .ready)
    }

    @Test func aNodeThatMayNotBeOpenedIsDenied() async {
        await #expect(processExitsWith: .success) {
            let terminal = try PseudoTerminal()
            try #require(try PortFacts(asking: terminal.node).access == .ready)
            try #require(chmod(terminal.node, 0) == 0)
            // To a privileged process no node is closed.
            if geteuid() == 0 { try #require(setuid(65_534) == 0) }
            try #require(try PortFacts(asking: terminal.node).access == .denied)
        }
    }

    @Test(arguments: [
        ("/dev/ttyNone7", SensorError.notFound(selector: "tty:/dev/ttyNone7")),
        ("ttyNone7", .notFound(selector: "tty:ttyNone7")),
        ("", .notFound(selector: "tty:")),
        ("/etc/hostname/ttyACM0", .notFound(selector: "tty:/etc/hostname/ttyACM0")),
        ("/etc/hostname", .noSerialInterface(path: "tty:/etc/hostname")),
        ("/etc", .noSerialInterface(path: "tty:/etc")),
    ])
    func whatIsNoPortSaysSo(path: String, expected: SensorError) {
        #expect(throws: expected) { try PortFacts(asking: path) }
    }

    @Test(.enabled(if: access("/sys/dev/char/1:3", F_OK) == 0, "needs sysfs, which knows what kind of device /dev/null is"))
    func aDeviceThatIsNoTTYSaysSo() {
        #expect(throws: SensorError.noSerialInterface(path: "tty:/dev/null")) { try PortFacts(asking: "/dev/null") }
    }

    @Test(.enabled(if: access("/dev/ttyS0", F_OK) == 0, "needs a serial port: /dev/ttyS0"))
    func aSerialPortIsNoPseudoTerminal() throws {
        let facts = try PortFacts(asking: "/dev/ttyS0")
        #expect(!facts.isPseudoTerminal && facts.origin == .live && facts.node == "/dev/ttyS0")
    }
}
