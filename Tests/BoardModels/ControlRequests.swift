/// The setup stage of a control request.
public struct Setup: Equatable, Sendable {
    public var type: UInt8
    public var request: UInt8
    public var value: UInt16
    public var index: UInt16
    public var length: UInt16

    public init(type: UInt8, request: UInt8, value: UInt16, index: UInt16, length: UInt16) {
        self.type = type
        self.request = request
        self.value = value
        self.index = index
        self.length = length
    }

    /// From its eight bytes; nil when there are fewer.
    public init?(wire: [UInt8]) {
        guard wire.count >= 8 else { return nil }
        func word(_ at: Int) -> UInt16 { UInt16(wire[at]) | UInt16(wire[at + 1]) << 8 }
        self.init(type: wire[0], request: wire[1], value: word(2), index: word(4), length: word(6))
    }

    public var isIn: Bool { type & 0x80 != 0 }
    public var isForInterface: Bool { type & 0x1F == 1 }
}

/// What the board says to a control request.
public enum ControlReply: Equatable, Sendable {
    case data([UInt8])
    case accepted
    case stall
    case silence
}

/// Endpoint zero of the board.
public struct ControlRequests: Sendable {
    let model: BoardModel
    let serial: SerialNumber
    /// Per control interface.
    public var lineCodings: [UInt8: LineCoding] = [:]
    /// Class requests (bRequest) that stall, and those that are never answered.
    public var stalled: Set<UInt8> = []
    public var unanswered: Set<UInt8> = []
    /// What GET_LINE_CODING returns instead of the truth.
    public var claimedLineCoding: [UInt8]?

    public init(model: BoardModel, serial: SerialNumber) {
        self.model = model
        self.serial = serial
        forgetLineCodings()
    }

    public mutating func forgetLineCodings() {
        for port in model.serialPorts { lineCodings[port.control] = .kernelDefault }
    }

    public mutating func answer(_ setup: Setup, _ data: [UInt8], _ log: inout HostLog) -> ControlReply {
        let reply = setup.type & 0x60 == 0x20 ? classRequest(setup, data, &log) : standardRequest(setup)
        if reply == .stall { log.actions.append(.stalledRequest(type: setup.type, request: setup.request, index: setup.index)) }
        return reply
    }

    private mutating func classRequest(_ setup: Setup, _ data: [UInt8], _ log: inout HostLog) -> ControlReply {
        if unanswered.contains(setup.request) { return .silence }
        let number = UInt8(truncatingIfNeeded: setup.index)
        guard setup.isForInterface, let coding = lineCodings[number], !stalled.contains(setup.request) else { return .stall }
        switch (setup.type, setup.request) {
        case (0x21, 0x20):
            guard let coding = LineCoding(wire: data), setup.value == 0 else { return .stall }
            lineCodings[number] = coding
            log.actions.append(.setLineCoding(coding))
        case (0xA1, 0x21):
            log.actions.append(.getLineCoding)
            return .data(claimedLineCoding ?? coding.wire)
        case (0x21, 0x22):
            log.actions.append(.setLineState(dtr: setup.value & 1 != 0, rts: setup.value & 2 != 0))
        case (0x21, 0x23):
            log.actions.append(.sendBreak(milliseconds: setup.value))
        default: return .stall
        }
        return .accepted
    }

    private func standardRequest(_ setup: Setup) -> ControlReply {
        switch (setup.type, setup.request) {
        case (0x80, 6): descriptor(kind: UInt8(setup.value >> 8), index: UInt8(truncatingIfNeeded: setup.value))
        case (0x80, 8): .data([model.configuration[5]])
        case (0x80, 0), (0x81, 0), (0x82, 0): .data([0, 0])
        default: .stall
        }
    }

    private func descriptor(kind: UInt8, index: UInt8) -> ControlReply {
        switch kind {
        case 1: .data(model.device)
        case 2: .data(model.configuration)
        case 3 where index == 0: .data([4, 3, 0x09, 0x04])
        case 3 where index == model.serialIndex && index != 0: string(serial.units)
        case 3: string(model.strings[index].map { Array($0.utf16) })
        default: .stall
        }
    }

    private func string(_ units: [UInt16]?) -> ControlReply {
        guard let units, units.count <= 126 else { return .stall }
        let bytes = units.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        return .data([UInt8(2 + bytes.count), 3] + bytes)
    }
}

/// A serial number, in the two forms a host can meet.
public struct SerialNumber: Equatable, Sendable, ExpressibleByStringLiteral {
    /// The string descriptor's UTF-16 units; nil: the device has none.
    public var units: [UInt16]?
    /// The bytes of sysfs `serial`, without the newline.
    public var sysfs: [UInt8]?

    public static let none = SerialNumber(units: nil, sysfs: nil)

    public init(units: [UInt16]?, sysfs: [UInt8]?) {
        self.units = units
        self.sysfs = sysfs
    }

    public init(_ text: String) { self.init(units: Array(text.utf16), sysfs: Array(text.utf8)) }
    public init(stringLiteral text: String) { self.init(text) }

    /// As an old ST-LINK sends it: one raw byte of the chip's id in each UTF-16 unit. The kernel writes them to sysfs as UTF-8.
    public static func raw(_ id: [UInt8]) -> SerialNumber {
        let units = id.map(UInt16.init)
        return SerialNumber(units: units, sysfs: Array(String(decoding: units, as: UTF16.self).utf8))
    }
}
