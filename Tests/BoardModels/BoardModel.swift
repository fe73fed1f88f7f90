/// What a device says about itself: its descriptors, byte for byte, and its strings.
public struct BoardModel: Sendable {
    /// 18 bytes.
    public var device: [UInt8]
    /// wTotalLength bytes: the configuration with everything in it.
    public var configuration: [UInt8]
    /// String descriptors by index. The serial number is the board's, not the model's.
    public var strings: [UInt8: String]
    /// As in sysfs `speed`: 12 or 480.
    public var megabits: Int

    public init(device: [UInt8], configuration: [UInt8], strings: [UInt8: String], megabits: Int) {
        precondition(device.count == 18, "a device descriptor has 18 bytes, not \(device.count)")
        precondition(
            configuration.count >= 9 && Int(configuration[2]) | Int(configuration[3]) << 8 == configuration.count,
            "wTotalLength must say \(configuration.count)")
        self.device = device
        self.configuration = configuration
        self.strings = strings
        self.megabits = megabits
    }

    public var vendor: UInt16 { UInt16(device[8]) | UInt16(device[9]) << 8 }
    public var product: UInt16 { UInt16(device[10]) | UInt16(device[11]) << 8 }
    public var release: UInt16 { UInt16(device[12]) | UInt16(device[13]) << 8 }
    public var serialIndex: UInt8 { device[16] }
}

/// One interface (alternate setting 0) of a configuration.
public struct BoardInterface: Equatable, Sendable {
    public struct Endpoint: Equatable, Sendable {
        public var address: UInt8
        public var attributes: UInt8
        /// wMaxPacketSize in bytes.
        public var packetSize: Int

        public var isBulk: Bool { attributes & 3 == 2 }
        public var isIn: Bool { address & 0x80 != 0 }
    }

    public var number: UInt8
    /// Class, subclass, protocol.
    public var triple: [UInt8]
    public var nameIndex: UInt8
    public var endpoints: [Endpoint] = []
    /// The data interface that this interface's Union descriptor names.
    public var unionData: UInt8?
}

extension BoardModel: CustomStringConvertible {
    /// Vendor and product id, as in `0483:374b`, and the number of interfaces.
    public var description: String {
        func hex(_ id: UInt16) -> String { String(repeating: "0", count: 4 - String(id, radix: 16).count) + String(id, radix: 16) }
        return "\(hex(vendor)):\(hex(product)), \(configuration[4]) interfaces"
    }
}

extension BoardModel {
    /// The interfaces in descriptor order.
    public var interfaces: [BoardInterface] {
        var found: [BoardInterface] = []
        var at = 0
        while at + 2 <= configuration.count, configuration[at] >= 2, at + Int(configuration[at]) <= configuration.count {
            let d = configuration[at..<at + Int(configuration[at])].map { $0 }
            switch d[1] {
            case 4 where d[3] == 0:
                found.append(BoardInterface(number: d[2], triple: Array(d[5...7]), nameIndex: d[8]))
            case 5 where !found.isEmpty:
                let size = Int(d[4]) | Int(d[5]) << 8
                found[found.count - 1].endpoints.append(.init(address: d[2], attributes: d[3], packetSize: size))
            case 0x24 where d.count >= 5 && d[2] == 6 && !found.isEmpty:
                found[found.count - 1].unionData = d[4]
            default: break
            }
            at += d.count
        }
        return found
    }

    /// The control and data interface numbers of each serial port, in order.
    public var serialPorts: [SerialPort] {
        let all = interfaces
        return all.compactMap { control in
            guard control.triple[0] == 2, control.triple[1] == 2, let number = control.unionData,
                let data = all.first(where: { $0.number == number }),
                let input = data.endpoints.first(where: { $0.isBulk && $0.isIn }),
                let output = data.endpoints.first(where: { $0.isBulk && !$0.isIn })
            else { return nil }
            return SerialPort(control: control.number, data: number, input: input, output: output)
        }
    }
}

/// A CDC-ACM port of a board.
public struct SerialPort: Equatable, Sendable {
    public var control: UInt8
    public var data: UInt8
    public var input: BoardInterface.Endpoint
    public var output: BoardInterface.Endpoint
}

extension BoardModel {
    /// Reads `12 01 00 02` as bytes.
    static func bytes(_ hex: String) -> [UInt8] { hex.split(whereSeparator: \.isWhitespace).map { UInt8($0, radix: 16)! } }
}
