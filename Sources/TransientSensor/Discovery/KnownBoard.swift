/// A USB id that this tool can say something about. Any other device is none of its business and is not listed.
public struct KnownBoard: Sendable {
    /// What can be done with it.
    public enum Kind: Equatable, Sendable {
        /// Speaks CDC-ACM and carries a sensor's firmware that this build can read.
        case sensorBoard
        /// A debug probe, or one in its boot loader, without a serial port.
        case probeWithoutSerialPort
        /// Speaks CDC-ACM and runs whatever sketch it was given, one of a TMF882x perhaps: what it says tells.
        case sketchBoard
        /// Speaks CDC-ACM, and nothing says which firmware is behind it.
        case otherSerialBoard
        /// A serial chip with its own requests, which only a kernel driver speaks: read it with `--port`.
        case vendorSerialChip
        /// Carries a sensor that this build cannot read; what is known of it, for people.
        case unsupportedSensor(String)
    }

    public let vendorId: UInt16
    public let productId: UInt16
    /// What people call it.
    public let board: String
    public let kind: Kind
    /// The profile a board of this kind has unless the user names another one.
    public let profile: SensorProfile?

    public static func find(vendorId: UInt16, productId: UInt16) -> KnownBoard? {
        all.first { $0.vendorId == vendorId && $0.productId == productId }
    }

    /// Every id, one row each. Sources: OpenOCD's dumps, the udev rules of stlink and probe-rs, the Arduino cores.
    public static let all: [KnownBoard] = [
        nucleo(0x374b, "ST-LINK/V2-1"),
        nucleo(0x3752, "ST-LINK/V2-1 without mass storage"),
        nucleo(0x374a, "ST-LINK/V2-1 audio variant"),
        nucleo(0x3742, "ST-LINK/V2-1 without mass storage, old id"),
        nucleo(0x374e, "STLINK-V3E"),
        nucleo(0x374f, "STLINK-V3SET"),
        nucleo(0x3753, "STLINK-V3 with two serial ports"),
        nucleo(0x3754, "STLINK-V3 without mass storage"),
        nucleo(0x3757, "STLINK-V3PWR"),
        bareProbe(0x3744, "ST-LINK/V1"),
        bareProbe(0x3748, "ST-LINK/V2, or a V2-1 in its boot loader"),
        bareProbe(0x374d, "STLINK-V3 in its boot loader"),
        bareProbe(0x3755, "STLINK-V3PWR in its boot loader"),
        bareProbe(0xdf11, "STM32 in its boot loader"),
        other(0x0483, 0x5740, "STM32 with a serial port of its own"),
        sketch(0x2341, 0x0001, "Arduino Uno"),
        sketch(0x2341, 0x0043, "Arduino Uno R3"),
        sketch(0x2341, 0x0243, "Arduino Uno R3"),
        sketch(0x2a03, 0x0043, "Arduino Uno R3"),
        sketch(0x2341, 0x0042, "Arduino Mega 2560"),
        sketch(0x2341, 0x0069, "Arduino Uno R4 Minima"),
        sketch(0x2341, 0x1002, "Arduino Uno R4 WiFi"),
        sketch(0x2341, 0x006d, "Arduino Uno R4 WiFi"),
        sketch(0x2341, 0x8036, "Arduino Leonardo"),
        sketch(0x2341, 0x8037, "Arduino Micro"),
        sketch(0x1b4f, 0x9206, "SparkFun Pro Micro"),
        sensor(0x1bcf, 0xed40, .depzVL53L8CH),
        sensor(0x1bcf, 0xed4b, .depzVL53L8CX),
        unsupported(0x1bcf, 0xed4c, "DEPZ TMF8829", tmf8829),
        unsupported(0x1325, 0x1000, "ams-OSRAM EVM (TMF8829)", amsBoard),
        chip(0x1a86, 0x7523, "CH340 serial chip"),
        chip(0x0403, 0x6001, "FTDI FT232R serial chip"),
        chip(0x0403, 0x6015, "FTDI FT-X serial chip"),
        chip(0x10c4, 0xea60, "CP210x serial chip"),
    ]

    private static func nucleo(_ productId: UInt16, _ board: String) -> KnownBoard {
        KnownBoard(
            vendorId: 0x0483, productId: productId, board: board, kind: .sensorBoard, profile: .nucleoVL53L8CH)
    }

    /// What an unsupported sensor's diagnosis says.
    private static let tmf8829 =
        "48x32 zones; the board frames its bytes as DEPZ's VL53L8 boards do, and its results hold distances and histograms"
    private static let amsBoard = "48x32 zones; the board speaks a protocol that only ams-OSRAM's own client knows"

    private static func sensor(_ vendorId: UInt16, _ productId: UInt16, _ profile: SensorProfile) -> KnownBoard {
        KnownBoard(vendorId: vendorId, productId: productId, board: profile.board, kind: .sensorBoard, profile: profile)
    }

    private static func unsupported(_ vendorId: UInt16, _ productId: UInt16, _ board: String, _ known: String) -> KnownBoard {
        KnownBoard(vendorId: vendorId, productId: productId, board: board, kind: .unsupportedSensor(known), profile: nil)
    }

    private static func bareProbe(_ productId: UInt16, _ board: String) -> KnownBoard {
        KnownBoard(
            vendorId: 0x0483, productId: productId, board: board, kind: .probeWithoutSerialPort, profile: nil)
    }

    private static func sketch(_ vendorId: UInt16, _ productId: UInt16, _ board: String) -> KnownBoard {
        KnownBoard(vendorId: vendorId, productId: productId, board: board, kind: .sketchBoard, profile: nil)
    }

    private static func other(_ vendorId: UInt16, _ productId: UInt16, _ board: String) -> KnownBoard {
        KnownBoard(vendorId: vendorId, productId: productId, board: board, kind: .otherSerialBoard, profile: nil)
    }

    private static func chip(_ vendorId: UInt16, _ productId: UInt16, _ board: String) -> KnownBoard {
        KnownBoard(vendorId: vendorId, productId: productId, board: board, kind: .vendorSerialChip, profile: nil)
    }
}
