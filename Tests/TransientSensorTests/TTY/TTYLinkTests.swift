import CLinux
import Foundation
import NLOSCore
import Synchronization
import Testing

@testable import TransientSensor

private let coding = LineCoding(baud: 2_250_000)

private func link(_ terminal: PseudoTerminal, _ coding: LineCoding = coding) throws(SensorError) -> TTYLink {
    try TTYLink(path: terminal.node, coding: coding, clocks: .kernel)
}

/// Drains until the link has nothing more or throws; both are returned.
private func drainAll(_ link: TTYLink) -> (text: String, end: SensorError?) {
    var bytes: [UInt8] = []
    do throws(SensorError) {
        while try link.drain({ chunk, _ in bytes += chunk }) == .more {}
        return (String(decoding: bytes, as: UTF8.self), nil)
    } catch {
        return (String(decoding: bytes, as: UTF8.self), error)
    }
}

@Suite struct TTYLinkTests {
    @Test func bytesArriveAsTheyWereSaid() throws {
        let terminal = try PseudoTerminal()
        let link = try link(terminal)
        terminal.say("D\n0, 1, \u{03}\u{04}\u{11}\u{13}\r\n")  // characters that a line discipline would act on
        #expect(isReadable(link.readiness, milliseconds: 1000))
        let (text, end) = drainAll(link)
        #expect(text == "D\n0, 1, \u{03}\u{04}\u{11}\u{13}\r\n")
        #expect(end == nil)
        #expect(!isReadable(link.readiness, milliseconds: 0))
        #expect(link.path == "tty:\(terminal.node)")
        #expect(link.stalls == 0 && link.bytesLost == 0)
    }

    @Test func arrivalIsOfBothClocks() throws {
        let terminal = try PseudoTerminal()
        let clocks = Clocks(monotonicNs: { 11 }, bootNs: { 12 }, unixMs: { 13 })
        let link = try TTYLink(path: terminal.node, coding: coding, clocks: clocks)
        terminal.say("x")
        #expect(isReadable(link.readiness, milliseconds: 1000))
        var arrivals: [Arrival] = []
        _ = try link.drain { _, arrival in arrivals.append(arrival) }
        #expect(arrivals == [Arrival(monotonicNs: 11, unixMs: 13)])
    }

    @Test func whatCameBeforeTheRateIsThrownAway() throws {
        let terminal = try PseudoTerminal()
        terminal.say("garbage of another rate\n")
        let link = try link(terminal)
        terminal.say("good")
        #expect(isReadable(link.readiness, milliseconds: 1000))
        #expect(drainAll(link).text == "good")
    }

    @Test func nothingIsEchoedToTheBoard() throws {
        let terminal = try PseudoTerminal()
        let link = try link(terminal)
        terminal.say("D\n0, 1, 2\n")
        #expect(isReadable(link.readiness, milliseconds: 1000))
        _ = drainAll(link)
        link.close()
        terminal.say("D\n")
        #expect(!isReadable(terminal.board, milliseconds: 20))
    }

    @Test(arguments: [[UInt8](0...255), [0x10, 0x00, 0x0a, 0x0d, 0x03]])
    func sendsEveryByteUnchanged(bytes: [UInt8]) throws {
        let terminal = try PseudoTerminal()
        let link = try link(terminal)
        try link.send(bytes)
        #expect(terminal.hear(bytes.count) == bytes)
    }

    @Test func sendGivesUpWhenNobodyReads() throws {
        let terminal = try PseudoTerminal()
        let now = SteppedClock(step: 1_950_000_000)
        let clocks = Clocks(monotonicNs: { now.next() }, bootNs: { 0 }, unixMs: { 0 })
        let link = try TTYLink(path: terminal.node, coding: coding, clocks: clocks)
        let failure = #expect(throws: SensorError.self) { try link.send([UInt8](repeating: 0, count: 1 << 20)) }
        #expect(failure == .system(path: link.path, operation: "write", errno: ETIMEDOUT))
    }

    /// B16, B19: a hang-up is the end, said once everything was handed over, for ever, and without another read.
    @Test func hangUpIsUnplugged() throws {
        let terminal = try PseudoTerminal()
        let link = try link(terminal)
        terminal.say("last words")
        #expect(isReadable(link.readiness, milliseconds: 1000))
        #expect(drainAll(link).text == "last words")
        terminal.unplug()
        #expect(isReadable(link.readiness, milliseconds: 1000))
        for _ in 0..<3 {
            #expect(drainAll(link).end == .unplugged(path: link.path))
        }
        #expect(throws: SensorError.unplugged(path: link.path)) { try link.send([1]) }
    }

    /// An emulator can never be captured as live, by whatever name its terminal is opened.
    @Test func aPseudoTerminalIsSynthetic() throws {
        let terminal = try PseudoTerminal()
        let byName = FileManager.default.temporaryDirectory.appendingPathComponent("ttyACM-\(UUID().uuidString)").path
        try FileManager.default.createSymbolicLink(atPath: byName, withDestinationPath: terminal.node)
        defer { try? FileManager.default.removeItem(atPath: byName) }
        let link = try TTYLink(path: byName, coding: coding, clocks: .kernel)
        #expect(link.origin == .synthetic)
        #expect(link.path == "tty:\(terminal.node)")
    }

    @Test(.enabled(if: access("/dev/ttyS0", R_OK | W_OK) == 0, "needs a serial port that may be opened: /dev/ttyS0"))
    func aPortIsLiveOrSaysWhyNot() throws {
        do throws(SensorError) {
            let link = try TTYLink(path: "/dev/ttyS0", coding: LineCoding(baud: 115_200), clocks: .kernel)
            #expect(link.origin == .live)
            var exclusive: CInt = 0
            #expect(nlos_tty_get_exclusive(link.readiness, &exclusive) == 0)
            #expect(exclusive == 1)
        } catch {
            // A node without hardware behind it answers EIO to every question.
            #expect(error == .system(path: "tty:/dev/ttyS0", operation: "TCGETS2", errno: EIO))
        }
    }

    @Test func aPortInUseIsBusy() throws {
        let terminal = try PseudoTerminal()
        let first = try link(terminal)
        #expect(throws: SensorError.busy(path: first.path, node: terminal.node)) { _ = try link(terminal) }
        first.close()
        _ = try link(terminal)
    }

    /// Also for a privileged process, which the kernel would let in.
    @Test func aPortInExclusiveModeIsBusy() throws {
        let terminal = try PseudoTerminal()
        #expect(nlos_tty_set_exclusive(terminal.keeper, 1) == 0)
        #expect(throws: SensorError.busy(path: "tty:\(terminal.node)", node: terminal.node)) { _ = try link(terminal) }
        var exclusive: CInt = 0
        #expect(nlos_tty_get_exclusive(terminal.keeper, &exclusive) == 0)
        #expect(exclusive == 1)  // still the other's
        #expect(nlos_tty_set_exclusive(terminal.keeper, 0) == 0)
        _ = try link(terminal)
    }

    @Test func aKilledHolderDoesNotKeepAnEmulatorBusy() throws {
        let terminal = try PseudoTerminal()
        let link = try link(terminal)
        var exclusive: CInt = 1
        #expect(nlos_tty_get_exclusive(link.readiness, &exclusive) == 0)
        #expect(exclusive == 0)
    }

    @Test(arguments: [
        ("/dev/null", SensorError.noSerialInterface(path: "tty:/dev/null")),
        ("/etc/hostname", .noSerialInterface(path: "tty:/etc/hostname")),
        ("/etc", .noSerialInterface(path: "tty:/etc")),
        ("/dev/ttyNone7", .notFound(selector: "tty:/dev/ttyNone7")),
        ("ttyNone7", .notFound(selector: "tty:ttyNone7")),
        ("", .notFound(selector: "tty:")),
    ])
    func whatIsNoPortSaysSo(node: String, expected: SensorError) {
        #expect(throws: expected) { _ = try TTYLink(path: node, coding: coding, clocks: .kernel) }
    }

    @Test func aPipeIsNotEvenOpened() throws {
        let pipe = FileManager.default.temporaryDirectory.appendingPathComponent("pipe-\(UUID().uuidString)").path
        #expect(mkfifo(pipe, 0o600) == 0)
        defer { try? FileManager.default.removeItem(atPath: pipe) }
        let reader = open(pipe, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        let node = URL(fileURLWithPath: pipe).resolvingSymlinksInPath().path
        #expect(throws: SensorError.noSerialInterface(path: "tty:\(node)")) {
            _ = try TTYLink(path: pipe, coding: coding, clocks: .kernel)
        }
        #expect(!isReadable(reader, milliseconds: 0))  // no writer came and went
    }

    @Test func settingsAreGivenBackWithoutEchoAndHangUp() throws {
        let terminal = try PseudoTerminal()
        let before = terminal.settings
        #expect(before.c_lflag & UInt32(ECHO | ICANON) == UInt32(ECHO | ICANON))
        let link = try link(terminal)
        let during = terminal.settings
        #expect(during.c_ospeed == 2_250_000)
        #expect(during.c_ispeed == 2_250_000)
        #expect(during.c_lflag == 0)
        #expect(during.c_cflag & UInt32(HUPCL) == 0)
        #expect(during.c_cflag & UInt32(1 << 31) == 0)  // CRTSCTS
        link.close()
        link.close()
        let after = terminal.settings
        #expect(after.c_ospeed == before.c_ospeed)
        #expect(after.c_iflag == before.c_iflag)
        #expect(after.c_lflag == before.c_lflag & ~UInt32(ECHO))
        #expect(after.c_cflag == before.c_cflag & ~UInt32(HUPCL))
    }

    /// B23: everything is as at the first opening, and bytes from before and after do not touch.
    @Test func openingAgainKeepsSettingsOriginAndOrder() throws {
        let terminal = try PseudoTerminal()
        let before = terminal.settings
        let link = try link(terminal)
        terminal.say("old")
        #expect(isReadable(link.readiness, milliseconds: 1000))
        #expect(drainAll(link).text == "old")
        #expect(try link.revive())
        #expect(link.origin == .synthetic && link.path == "tty:\(terminal.node)")
        #expect(terminal.settings.c_ospeed == 2_250_000 && terminal.settings.c_lflag == 0)
        #expect(throws: SensorError.busy(path: link.path, node: terminal.node)) { _ = try TransientSensorTests.link(terminal) }
        terminal.say("new")
        #expect(isReadable(link.readiness, milliseconds: 1000))
        var chunks: [String] = []
        _ = try link.drain { chunk, _ in chunks.append(String(decoding: chunk, as: UTF8.self)) }
        #expect(chunks == ["", "new"])
        terminal.say("er")
        #expect(isReadable(link.readiness, milliseconds: 1000))
        _ = try link.drain { chunk, _ in chunks.append(String(decoding: chunk, as: UTF8.self)) }
        #expect(chunks == ["", "new", "er"])
        link.close()
        #expect(terminal.settings.c_lflag == before.c_lflag & ~UInt32(ECHO))
    }

    @Test func aPortThatDoesNotOpenAgainSaysSoForEver() throws {
        let terminal = try PseudoTerminal()
        let before = try openDescriptors(on: terminal.node)
        let link = try link(terminal)
        #expect(nlos_tty_set_exclusive(terminal.keeper, 1) == 0)
        defer { _ = nlos_tty_set_exclusive(terminal.keeper, 0) }
        let busy = SensorError.busy(path: link.path, node: terminal.node)
        #expect(throws: busy) { try link.revive() }
        #expect(drainAll(link).end == busy)
        #expect(throws: busy) { try link.send([1]) }
        #expect(throws: busy) { try link.revive() }
        #expect(try openDescriptors(on: terminal.node) == before)
        link.close()
        #expect(drainAll(link).end == .unplugged(path: link.path))
    }

    @Test func everyWayOutClosesEveryDescriptor() async {
        await #expect(processExitsWith: .success) {
            let terminal = try PseudoTerminal()
            let before = try openDescriptors(on: terminal.node, "/dev/null")
            let one = open("/dev/null", O_RDONLY)
            try #require(try openDescriptors(on: terminal.node, "/dev/null") == before + 1)  // the count can see one
            close(one)
            for _ in 0..<64 {
                let link = try TTYLink(path: terminal.node, coding: LineCoding(baud: 921_600, parity: .odd), clocks: .kernel)
                _ = try? TTYLink(path: terminal.node, coding: LineCoding(baud: 921_600), clocks: .kernel)
                _ = try? TTYLink(path: "/dev/null", coding: LineCoding(baud: 921_600), clocks: .kernel)
                #expect(link.readiness >= 0)
            }
            try #require(try openDescriptors(on: terminal.node, "/dev/null") == before)
        }
    }
}

/// A clock that a test moves by looking at it.
private final class SteppedClock: Sendable {
    private let value = Mutex<UInt64>(0)
    private let step: UInt64
    init(step: UInt64) { self.step = step }
    func next() -> UInt64 {
        value.withLock {
            $0 += step
            return $0
        }
    }
}
