import Glibc
public import NLOSCore

extension SensorError {
    /// The sentence for people: what happened, to which device, and what to type or do next.
    public var message: Message {
        switch self {
        case .notFound(nil):
            Message(
                text: "no sensor is attached",
                next: "plug the board in, then nlos-bridge probe; without a board: --sensor sim:matte-wall")
        case .notFound(let selector?) where selector.hasPrefix("sim:"):
            UnknownScene(name: String(selector.dropFirst("sim:".count))).message
        case .notFound(let port?) where port.hasPrefix("tty:"):
            Message(text: "\(escaped(port.dropFirst("tty:".count).utf8)): there is no such port", next: AccessHints.listPorts)
        case .notFound(let selector?):
            Message(text: "no sensor matches '\(escaped(selector.utf8))'", next: "nlos-bridge probe")
        case .several(let paths):
            Message(
                text: "more than one sensor matches: \(paths.joined(separator: ", "))",
                next: "choose one by its place, as in --sensor \(paths.first ?? "usb:1-4")")
        case .denied(let path, let node):
            Message(
                text: "\(path): cannot open \(node): permission denied",
                next: path.hasPrefix("usb:")
                    ? "\(AccessHints.installRules); or run this command once with sudo"
                    : "ls -l \(node), and join the group that owns it, or run this command once with sudo")
        case .busy(let path, let node):
            Message(
                text: "\(path): \(node) is held by another program (a terminal, a debugger, or ModemManager just after plug-in)",
                next: "fuser -v \(node), close that program, and try again")
        case .noSerialInterface(let path) where path.hasPrefix("tty:"):
            Message(text: "\(path): this is no serial port", next: AccessHints.listPorts)
        case .noSerialInterface(let path):
            Message(
                text: "\(path): the device has no serial interface that this tool can use",
                next: "nlos-bridge probe, which shows what was found there")
        case .noSuchSerialPort(let path, let asked, let has):
            Message(
                text: "\(path): there is no serial port \(asked): the board has \(has == 1 ? "one" : String(has))",
                next: has == 1 ? "leave --vcp away" : "choose one with --vcp, from 1 to \(has)")
        case .unknownFirmware(let path, let board):
            Message(
                text: "\(path): \(board): nothing tells which firmware it runs",
                next: "name the board, as in --sensor \(path), and what it says is listened to; or name its firmware too, with --profile: "
                    + AccessHints.profiles)
        case .unrecognized(let path, let bytes):
            Message(
                text: bytes == 0
                    ? "\(path): nothing was heard at any line rate of a known firmware"
                    : "\(path): \(bytes) bytes were heard, and no known firmware speaks like that",
                next: "press the board's reset button and try again, or name its firmware with --profile: \(AccessHints.profiles)")
        case .usb(let path, let operation, let failure):
            Message(text: "\(path): \(operation): \(failure.words)", next: failure.advice(for: path))
        case .system(let path, let operation, errno: EIO) where path.hasPrefix("tty:"):
            Message(text: "\(path): \(operation): nothing answers behind this port", next: AccessHints.listPorts)
        case .system(let path, let operation, let errno):
            Message(text: "\(path): \(operation): \(Self.words(errno: errno))")
        case .unplugged(let path):
            Message(text: "\(path): unplugged", next: "plug it in again, and run this command again")
        case .stalledEndpoint(let path):
            Message(
                text: "\(path): the endpoint stalled again right after it was cleared",
                next: "replug the board; if that does not help, update the firmware of its debug probe")
        case .rateRefused(let path, let asked, let got):
            Message(
                text: "\(path): asked for \(asked) baud, the port is at \(got)",
                next: "use a port that can do \(asked) baud, or update the firmware of the debug probe")
        case .configurationRefused(let path, let line):
            Message(
                text: "\(path): the firmware refused the configuration: \(line)",
                next: "nlos-bridge capture --help lists what fits together")
        case .receiverMisaligned(let path):
            Message(
                text: "\(path): the firmware took no notice of the configuration: stray bytes have put its receiver out of step",
                next: "press the board's reset button, or replug it and try again")
        case .sensorMissing(let path, let line):
            Message(
                text: "\(path): the board does not reach its sensor: \(line)",
                next: "check the sensor's wiring and power, then press reset")
        case .sensorNotRunning(let path, let line):
            Message(
                text:
                    "\(path): the board's sensor does not measure: \(line); it needs ST's firmware first, which this tool does not download",
                next: "run DEPZ's own depz-sensor-sdk once (init, start_ranging), leave the board powered, and try again; "
                    + "see hardware/depz-vl53l8.md")
        case .silent(let path, let seconds):
            Message(
                text: "\(path): nothing arrived for \(seconds) s",
                next: "press the board's reset button, or replug it; still silent: check that the sensor firmware is flashed, "
                    + "and as a last resort update the firmware of its debug probe")
        case .noFrames(let path, let bytes, let seconds):
            Message(
                text:
                    "\(path): \(bytes) bytes arrived in \(Int(seconds)) s and made no frame: the line is damaged, or the board sends something else",
                next: "press the board's reset button; if it comes again, replug it, without a hub in between")
        case .unreadable(let path, let bytes, let baud):
            Message(
                text: "\(path): \(bytes) bytes arrived at \(baud) baud, and no line of the expected firmware: wrong baud rate?",
                next: "name the board's firmware with --profile, or flash the one that speaks \(baud) baud")
        case .unsupportedShape(let path, let shape):
            Message(
                text: "\(path): the stream has \(shape), from which no frame can be made",
                next:
                    "nlos-bridge probe --open shows what it streams; a board that takes settings is configured as in capture --zones 4x4 --bins 48"
            )
        case .badRecording(let file, let why):
            Message(text: "\(file): \(why)")
        case .cannotSend(let path):
            Message(text: "\(path): a source that only plays back takes no configuration", next: "leave the sensor settings away")
        }
    }

    /// The C library's words for an errno.
    private static func words(errno: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            guard let start = buffer.baseAddress, strerror_r(errno, start, buffer.count) == 0 else { return "error \(errno)" }
            return String(cString: start)
        }
    }
}

/// What more than one message advises.
enum AccessHints {
    static let installRules =
        "run 'sudo make install' in the source folder (it installs 70-nlos-bridge.rules), then replug the board"
    static var profiles: String { SensorProfile.all.map(\.name).joined(separator: ", ") }
    static let listPorts = "ls /dev/ttyACM* /dev/ttyUSB*"
}

extension USBFailure {
    /// What libusb reported, in words.
    var words: String {
        switch self {
        case .denied: "permission denied"
        case .gone: "the device is gone"
        case .busy: "another program or driver holds it"
        case .notFound: "not found"
        case .timeout: "the device did not answer in time"
        case .stalled: "the device refused the request (stall)"
        case .overflow: "the device sent more than was asked for"
        case .ioError: "input/output error on the bus"
        case .notSupported: "not supported on this system"
        case .noMemory: "no memory for it"
        case .other(code: -99): "it failed, and libusb does not say why (error -99)"
        case .other(let code): "libusb error \(code)"
        }
    }

    fileprivate func advice(for path: String) -> String? {
        switch self {
        case .denied: AccessHints.installRules
        case .gone, .timeout, .ioError, .overflow: "replug \(path); try another cable or port, without a hub in between"
        case .busy: "close the program that uses it (a terminal, a debugger), and try again"
        case .stalled, .notSupported: "replug the board; if that does not help, update the firmware of its debug probe"
        case .noMemory: "raise /sys/module/usbcore/parameters/usbfs_memory_mb, or end other programs that use USB"
        case .notFound, .other: "replug \(path); the end of 'sudo dmesg' may say more"
        }
    }
}
