import NLOSCore
import Testing

@testable import TransientSensor

@Suite struct SensorErrorMessageTests {
    /// One of each; `path` must be named wherever there is one.
    static let all: [SensorError] = [
        .notFound(selector: nil), .notFound(selector: "usb:1-4"), .several(paths: ["usb:1-4", "usb:1-5"]),
        .denied(path: "usb:1-4", node: "/dev/bus/usb/001/004"), .denied(path: "tty:/dev/ttyS0", node: "/dev/ttyS0"),
        .busy(path: "usb:1-4", node: "/dev/ttyACM0"), .noSerialInterface(path: "usb:1-4"),
        .noSuchSerialPort(path: "usb:1-4", asked: 2, has: 1), .noSuchSerialPort(path: "usb:1-4", asked: 3, has: 2),
        .usb(path: "usb:1-4", operation: "SET_LINE_CODING", failure: .stalled),
        .usb(path: "usb:1-4", operation: "open", failure: .other(code: -99)),
        .system(path: "usb:1-4", operation: "eventfd", errno: 24), .unplugged(path: "usb:1-4"), .stalledEndpoint(path: "usb:1-4"),
        .rateRefused(path: "usb:1-4", asked: 2_250_000, got: 9600), .configurationRefused(path: "usb:1-4", line: "Invalid"),
        .receiverMisaligned(path: "usb:1-4"), .sensorMissing(path: "usb:1-4", line: "no answer"),
        .sensorNotRunning(path: "usb:1-4", line: "not initialised"), .silent(path: "usb:1-4", seconds: 3),
        .unreadable(path: "usb:1-4", bytes: 700, baud: 2_250_000), .noFrames(path: "usb:1-4", bytes: 700, seconds: 10),
        .unsupportedShape(path: "usb:1-4", shape: FrameShape(zones: 3, bins: 2)),
        .badRecording(file: "usb:1-4.pcap", why: "cut short"), .cannotSend(path: "usb:1-4"),
    ]

    @Test(arguments: all) func namesTheDevice(error: SensorError) {
        guard error != .notFound(selector: nil) else { return #expect(error.message.text == "no sensor is attached") }
        #expect(error.message.text.contains("usb:1-4") || error.message.text.contains("/dev/ttyS0"))
    }

    @Test(arguments: [
        (SensorError.usb(path: "usb:1-4", operation: "SET_LINE_CODING", failure: .stalled), "SET_LINE_CODING"),
        (.usb(path: "usb:1-4", operation: "open", failure: .other(code: -99)), "-99"),
        (.rateRefused(path: "usb:1-4", asked: 7, got: 5), "7 baud"),
        (.noSuchSerialPort(path: "usb:1-4", asked: 4, has: 2), "no serial port 4: the board has 2"),
        (.unreadable(path: "usb:1-4", bytes: 700, baud: 2_250_000), "2250000 baud"),
        (.noFrames(path: "usb:1-4", bytes: 700, seconds: 10), "700 bytes arrived in 10 s"),
        (.system(path: "p", operation: "open", errno: 24), "Too many open files"),
        (.notFound(selector: "\u{1b}[2J"), "\\x1b[2J"),
    ])
    func holdsTheFact(error: SensorError, fact: String) { #expect(error.message.text.contains(fact)) }

    /// Every one has a next step, but for two that only the facts can explain.
    @Test(arguments: all) func saysWhatToDo(error: SensorError) {
        switch error {
        case .system, .badRecording: break
        default: #expect(error.message.next?.isEmpty == false)
        }
    }

    @Test(arguments: [
        (SensorError.notFound(selector: "tty:/dev/ttyNone7"), "/dev/ttyNone7: there is no such port"),
        (.notFound(selector: "tty:foo"), "foo: there is no such port"),
        (.notFound(selector: "foo"), "no sensor matches 'foo'"),
        (.system(path: "tty:/dev/ttyS0", operation: "TCGETS2", errno: 5), "tty:/dev/ttyS0: TCGETS2: nothing answers behind this port"),
        (.usb(path: "usb:1-4", operation: "read", failure: .other(code: -11)), "usb:1-4: read: no memory for it"),
        (.noSuchSerialPort(path: "usb:1-4", asked: 2, has: 1), "usb:1-4: there is no serial port 2: the board has one"),
    ])
    func reads(error: SensorError, text: String) { #expect(error.message.text == text) }

    /// Whoever reads it may have installed the program from anywhere, and may run no udev.
    @Test func adviceHoldsEverywhere() {
        for next in Self.all.compactMap(\.message.next) {
            #expect(!next.contains(" udev/") && !next.contains("--watch"), "\(next)")
        }
    }

    @Test(arguments: [-11, -99, -2, -1000] as [Int32]) func everyFailureHasANextStep(code: Int32) {
        #expect(SensorError.usb(path: "usb:1-4", operation: "open", failure: .other(code: code)).message.next != nil)
    }

    @Test func deniedTellsTheRulesFile() {
        #expect(SensorError.denied(path: "usb:1-4", node: "n").message.next?.contains("70-nlos-bridge.rules") == true)
        #expect(SensorError.denied(path: "tty:/dev/x", node: "/dev/x").message.next?.contains("udev") == false)
    }
}
