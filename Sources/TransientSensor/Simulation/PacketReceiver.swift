/// The board's command receiver: counts 26 bytes by interrupt, with no start mark, no time limit and no resynchronisation.
///
/// One stray byte shifts every later packet for ever. One full packet waits to be taken while the next begins; a second full
/// one is lost whole.
struct PacketReceiver: Sendable {
    private var bytes: [UInt8] = []
    private var waiting: BoardConfiguration?
    /// Bytes of packets that became complete while another one waited.
    private(set) var overrun: UInt64 = 0

    init() { bytes.reserveCapacity(BoardConfiguration.packetBytes) }

    var hasPacket: Bool { waiting != nil }

    mutating func take(_ byte: UInt8) {
        bytes.append(byte)
        guard bytes.count == BoardConfiguration.packetBytes else { return }
        if waiting == nil {
            waiting = BoardConfiguration(packet: bytes)
        } else {
            overrun += UInt64(bytes.count)
        }
        bytes.removeAll(keepingCapacity: true)
    }

    /// The packet that waits; a part of the next one stays where it is.
    mutating func packet() -> BoardConfiguration? {
        defer { waiting = nil }
        return waiting
    }
}
