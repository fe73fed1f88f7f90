/// The board's command receiver: counts 26 bytes by interrupt, with no start mark, no time limit and no resynchronisation.
///
/// One stray byte shifts every later packet for ever. While a full packet waits to be taken, what comes is lost.
struct PacketReceiver: Sendable {
    private var held: [UInt8] = []
    /// Bytes that came while a full packet waited.
    private(set) var overrun: UInt64 = 0

    init() { held.reserveCapacity(BoardConfiguration.packetBytes) }

    /// Bytes towards the next packet.
    var count: Int { held.count }
    var isFull: Bool { held.count == BoardConfiguration.packetBytes }

    mutating func take(_ byte: UInt8) {
        if isFull { overrun += 1 } else { held.append(byte) }
    }

    /// The full packet; the receiver then starts with an empty buffer.
    mutating func packet() -> BoardConfiguration? {
        guard isFull else { return nil }
        defer { held.removeAll(keepingCapacity: true) }
        return BoardConfiguration(packet: held)
    }

    /// What the firmware does around the pause after a failure: a full packet goes, a partial one stays.
    mutating func discardFull() {
        if isFull { held.removeAll(keepingCapacity: true) }
    }
}
