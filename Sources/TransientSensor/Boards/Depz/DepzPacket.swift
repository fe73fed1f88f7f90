/// How a packet's payload is protected. The raw value stands in the two top bits of the packet's size field.
public enum DepzProtection: UInt16, CaseIterable, Sendable {
    case none, crc8, crc16, crc32

    /// Bytes of the checksum behind a payload.
    var bytes: Int { [0, 1, 2, 4][Int(rawValue)] }

    /// The payload's checksum; 0 where there is none.
    func sum(of payload: UnsafeRawBufferPointer) -> UInt32 {
        switch self {
        case .none: 0
        case .crc8: DepzChecksum.crc8.sum(of: payload)
        case .crc16: DepzChecksum.crc16.sum(of: payload)
        case .crc32: DepzChecksum.crc32.sum(of: payload)
        }
    }
}

/// The seven bytes before every payload: magic, size and protection, id, number, and a CRC-8 of the four bytes in the middle.
///
/// Source: DEPZ `transport/framing.py`; `framing_decode.json`.
struct DepzHeader: Equatable, Sendable {
    static let bytes = 7
    static let magic: [UInt8] = [0xa5, 0xc3]
    /// What the size field has room for.
    static let mostPayload = 16_383

    let payloadBytes: Int
    let protection: DepzProtection
    /// Command or report.
    let id: UInt8
    /// Goes up by one a packet and direction.
    let sequence: UInt8

    /// Nil when the checksum does not fit. `start` has seven bytes, of which two are the magic.
    init?(_ start: UnsafeRawBufferPointer) {
        let field = UInt16(start[2]) | UInt16(start[3]) << 8
        guard DepzChecksum.crc8.sum(of: UnsafeRawBufferPointer(rebasing: start[2..<6])) == UInt32(start[6]),
            let protection = DepzProtection(rawValue: field >> 14)
        else { return nil }
        payloadBytes = Int(field & 0x3fff)
        self.protection = protection
        id = start[4]
        sequence = start[5]
    }

    /// Bytes of the whole packet. An empty payload has no checksum, whatever the protection.
    var packetBytes: Int { Self.bytes + payloadBytes + (payloadBytes > 0 ? protection.bytes : 0) }
}

/// One packet that came whole.
struct DepzPacket {
    let header: DepzHeader
    /// Valid while it is handed over.
    let payload: UnsafeRawBufferPointer

    /// The bytes of a packet; the payload has at most `DepzHeader.mostPayload`.
    static func bytes(id: UInt8, sequence: UInt8, protection: DepzProtection = .none, payload: [UInt8] = []) -> [UInt8] {
        precondition(payload.count <= DepzHeader.mostPayload, "no size field holds \(payload.count)")
        let field = UInt16(payload.count) | protection.rawValue << 14
        let middle = [UInt8(field & 0xff), UInt8(field >> 8), id, sequence]
        var packet = DepzHeader.magic + middle
        packet.append(UInt8(middle.withUnsafeBytes { DepzChecksum.crc8.sum(of: $0) }))
        packet += payload
        if !payload.isEmpty {
            let sum = payload.withUnsafeBytes { protection.sum(of: $0) }
            for place in 0..<protection.bytes { packet.append(UInt8(truncatingIfNeeded: sum >> UInt32(8 * place))) }
        }
        return packet
    }
}
