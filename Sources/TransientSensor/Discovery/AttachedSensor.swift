/// An interface of an attached device, for diagnosis.
public struct USBInterface: Equatable, Sendable {
    /// Class, subclass and protocol codes.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        public let deviceClass, subclass, `protocol`: UInt8

        public init(deviceClass: UInt8, subclass: UInt8, protocol: UInt8) {
            (self.deviceClass, self.subclass, self.protocol) = (deviceClass, subclass, `protocol`)
        }

        /// As `lsusb` and the kernel write it: `02/02/01`.
        public var description: String { [deviceClass, subclass, `protocol`].map { hexDigits($0, 2) }.joined(separator: "/") }
    }

    public let number: UInt8
    public let kind: Kind
    /// The kernel driver that holds it; `usbfs` is another program. Nil where none does or nobody can say.
    public let driver: String?
}

/// A known board on this machine's USB, with everything that can be told without opening it.
public struct AttachedSensor: Equatable, Sendable {
    /// Whether this process could use it now. The raw value is the word in `probe --json`.
    public enum Access: String, Sendable {
        case ready
        /// The kernel does not let this process open the node.
        case denied
        /// Another program holds the serial port or claims its interfaces.
        case busy
        /// No serial interface that this tool can use, whatever the reason: `diagnosis` tells.
        case noSerialInterface = "no_serial_interface"
    }

    /// Where it is plugged in: its identity.
    public let busPath: BusPath
    public let vendorId: UInt16
    public let productId: UInt16
    /// Nil when the device has none, or when it could not be read without opening it.
    public let serial: SerialNumber?
    /// What people call the board or chip.
    public let board: String
    public let kind: KnownBoard.Kind
    /// Name of the profile it has unless the user names another one; nil when nothing says which firmware is behind it.
    public let profile: String?
    public let access: Access
    /// `/dev/bus/usb/001/004`.
    public let node: String
    /// Serial nodes of the kernel driver, in the order of their interfaces; a name may change at every plug.
    public var ttyNodes: [String] { serialNodes.map(\.node) }
    /// Driver on the first serial port's control interface; `usbfs` is another program.
    public let kernelDriver: String?
    /// Megabits a second, as negotiated; nil where unknown.
    public let speedMbps: Double?
    public let busNumber: Int
    /// Changes each time the device is plugged in or resets itself.
    public let deviceNumber: Int
    /// Value of the active configuration; nil when the kernel has not set one.
    public let configuration: UInt8?
    /// ModemManager runs, and no rule tells it to leave this board alone: what it writes there puts a firmware's receiver out of step.
    public let isOpenToModemManager: Bool
    /// Interfaces of the active configuration.
    public let interfaces: [USBInterface]
    /// Serial ports of the active configuration.
    let serialPairs: [CDCPair]
    let serialNodes: [SerialNode]

    /// How messages, JSON and `--sensor` name it: `usb:1-4.2`.
    public var path: String { "usb:\(busPath)" }
    /// `0483:374b`.
    public var id: String { "\(hexDigits(vendorId, 4)):\(hexDigits(productId, 4))" }
    /// Serial ports that can be opened.
    public var serialPorts: Int { serialPairs.count }
    public var sensorProfile: SensorProfile? { profile.flatMap(SensorProfile.named) }

    /// The tty that the kernel driver made of this serial port.
    func ttyNode(of pair: CDCPair) -> String? { serialNodes.first { $0.interface == pair.control }?.node }
}

/// A tty that a kernel driver made of an interface.
struct SerialNode: Equatable, Sendable {
    let node: String
    let interface: UInt8
}

/// What udev or libusb tells of one device, before anything is concluded from it.
struct DeviceFacts {
    var busPath: BusPath
    var vendorId: UInt16
    var productId: UInt16
    var serial: [UInt8] = []
    var node: String
    var serialNodes: [SerialNode] = []
    /// Interface number to kernel driver.
    var drivers: [UInt8: String] = [:]
    var speedMbps: Double?
    var busNumber: Int
    var deviceNumber: Int
    /// A rule has told ModemManager to leave it alone.
    var isIgnoredByModemManager = false
    /// The active configuration; nil when none is set or it cannot be read.
    var configuration: ConfigurationDescriptor?
}

extension AttachedSensor {
    /// Concludes from the facts; what needs the kernel's word is asked through `mayOpen` and `isHeld`.
    init(
        _ facts: DeviceFacts, known: KnownBoard, mayOpen: (_ node: String) -> Bool,
        isHeld: (_ ttyNode: String) -> Bool, modemManagerRuns: () -> Bool = { false }
    ) {
        busPath = facts.busPath
        vendorId = facts.vendorId
        productId = facts.productId
        serial = SerialNumber(facts.serial)
        board = known.board
        kind = known.kind
        profile = known.profile?.name
        node = facts.node
        serialNodes = facts.serialNodes.sorted { ($0.interface, $0.node) < ($1.interface, $1.node) }
        speedMbps = facts.speedMbps
        busNumber = facts.busNumber
        deviceNumber = facts.deviceNumber
        configuration = facts.configuration?.value
        let settings: [InterfaceDescriptor] = facts.configuration?.interfaces.filter { $0.alternate == 0 } ?? []
        isOpenToModemManager =
            !facts.isIgnoredByModemManager && (known.kind == .sensorBoard || known.kind == .sketchBoard) && modemManagerRuns()
        interfaces = settings.map { USBInterface(number: $0.number, kind: $0.kind, driver: facts.drivers[$0.number]) }
        serialPairs = facts.configuration?.serialPairs ?? []
        kernelDriver = serialPairs.first.flatMap { facts.drivers[$0.control] }

        // The first port is the sensor's; a second one may be in other hands.
        if let port = serialPairs.first {
            let claimed = [port.control, port.data].contains { facts.drivers[$0] == "usbfs" }
            let held = facts.serialNodes.contains { $0.interface == port.control && isHeld($0.node) }
            access = !mayOpen(facts.node) ? .denied : claimed || held ? .busy : .ready
        } else {
            access = .noSerialInterface
        }
    }
}

/// Lower-case hexadecimal, padded with zeros to `width` digits.
func hexDigits(_ value: some FixedWidthInteger, _ width: Int) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}
