extension VL53L8CHConfiguration {
    /// Bytes of a packet.
    public static let packetBytes = 26

    /// Reads a packet back, as a recording holds it; nil for one that this type has no words for (zones merged or left out, an
    /// unknown grid or mode) and for any other number of bytes.
    public init?(packet: [UInt8]) {
        guard packet.count == Self.packetBytes else { return nil }
        let words = stride(from: 0, to: packet.count, by: 2).map { UInt16(packet[$0]) | UInt16(packet[$0 + 1]) << 8 }
        guard let grid = Grid(rawValue: Int(words[0])), let mode = Mode(rawValue: words[1]) else { return nil }
        self.init(
            grid: grid, mode: mode, rateHz: Int(words[2]), integrationMs: Int(words[3]), startBin: Int(words[4]),
            bins: Int(words[5]), subsample: Int(words[6]))
        guard self.packet == packet else { return nil }
    }
}
