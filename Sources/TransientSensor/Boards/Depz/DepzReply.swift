internal import NLOSCore

/// What a board says that is no part of a result. Source: DEPZ `protocol/common.py`, `protocol/vl53l8.py`.
public enum DepzReply: Equatable, Sendable {
    /// The outcome of a command; command 0 is a word of the board's own.
    case status(command: UInt8, code: UInt8)
    /// An answer in words.
    case text(command: UInt8, String)
    /// What was read from the sensor's registers.
    case registers([UInt8])
    /// The board missed packets of the host.
    case sequenceError(expected: UInt8, received: UInt8)
    /// Anything else that came in a right packet.
    case other(id: UInt8)

    init(_ packet: DepzPacket) {
        let payload = packet.payload
        switch (packet.header.id, payload.count) {
        case (DepzId.status, 2): self = .status(command: payload[0], code: payload[1])
        case (DepzId.text, 1...): self = .text(command: payload[0], Self.text(payload.dropFirst()))
        // The echoed command, and when the board read.
        case (DepzId.registers, 9...): self = .registers(Array(payload.dropFirst(9)))
        case (DepzId.sequenceError, 2): self = .sequenceError(expected: payload[0], received: payload[1])
        default: self = .other(id: packet.header.id)
        }
    }

    /// Without the padding, escaped for people; a longer text than any board has is cut.
    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        var end = bytes.endIndex
        while end > bytes.startIndex, [0x00, 0xff].contains(bytes[end - 1]) { end -= 1 }
        return escaped(bytes[..<end].prefix(64))
    }
}

/// Ids of commands and reports.
enum DepzId {
    static let deviceName: UInt8 = 0x03
    static let software: UInt8 = 0x04
    static let serialNumber: UInt8 = 0x05
    static let readRegisters: UInt8 = 0x32
    static let writeRegisters: UInt8 = 0x33
    static let startStream: UInt8 = 0x35
    static let stopStream: UInt8 = 0x36

    static let status: UInt8 = 0x80
    static let text: UInt8 = 0x81
    static let sequenceError: UInt8 = 0x84
    static let registers: UInt8 = 0x91
    static let chunk: UInt8 = 0x93
}

/// The code of a status report.
enum DepzStatus {
    static let ok: UInt8 = 0
    static let busy: UInt8 = 6
    static let notInitialised: UInt8 = 8

    static func words(_ code: UInt8) -> String {
        let known = [
            "OK", "error", "invalid command", "wrong payload format", "invalid parameter", "damaged payload", "busy", "not supported",
            "not initialised", "hardware fault",
        ]
        return Int(code) < known.count ? known[Int(code)] : "code \(code)"
    }
}

/// What runs on the board, by the name that it gives itself. Source: `identity.json`.
enum DepzSoftware: Equatable, Sendable {
    case vl53l8Application, otherApplication, bootLoader, unknown

    init(_ name: String) {
        if name.hasPrefix("APP_") {
            self = name.contains("VL53L8") ? .vl53l8Application : .otherApplication
        } else {
            self = name.hasPrefix("BOOTDEPZ") ? .bootLoader : .unknown
        }
    }
}
