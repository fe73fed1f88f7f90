/// The three checksums of the DEPZ transport. All are reflected and differ in width and polynomial only, so one walk serves them.
///
/// Eight bytes a step, with eight tables (Kounavis and Berry 2005). Source of the parameters: the catalogue entries CRC-8/MAXIM,
/// CRC-16/MODBUS and CRC-32/ISO-HDLC.
struct DepzChecksum: Sendable {
    static let crc8 = DepzChecksum(polynomial: 0x8c, initial: 0, final: 0)
    static let crc16 = DepzChecksum(polynomial: 0xa001, initial: 0xffff, final: 0)
    static let crc32 = DepzChecksum(polynomial: 0xedb8_8320, initial: .max, final: .max)

    private let initial: UInt32
    private let final: UInt32
    /// Table `n` at `256 * n`: what a byte that is followed by `n` more does to the sum.
    private let tables: [UInt32]

    private init(polynomial: UInt32, initial: UInt32, final: UInt32) {
        self.initial = initial
        self.final = final
        var tables = (0..<256).map { byte in
            (0..<8).reduce(UInt32(byte)) { sum, _ in sum & 1 == 1 ? (sum >> 1) ^ polynomial : sum >> 1 }
        }
        for place in 256..<2048 {
            let before = tables[place - 256]
            tables.append((before >> 8) ^ tables[Int(before & 0xff)])
        }
        self.tables = tables
    }

    func sum(of bytes: UnsafeRawBufferPointer) -> UInt32 {
        tables.withUnsafeBufferPointer { tables in
            var sum = initial
            var place = 0
            while place &+ 8 <= bytes.count {
                let low = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)) ^ sum
                let high = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: place &+ 4, as: UInt32.self))
                sum =
                    Self.four(low, in: tables, at: 4) ^ Self.four(high, in: tables, at: 0)
                place &+= 8
            }
            while place < bytes.count {
                sum = (sum >> 8) ^ tables[Int((sum ^ UInt32(bytes[place])) & 0xff)]
                place &+= 1
            }
            return sum ^ final
        }
    }

    /// What four bytes do that are followed by `following` more in the same step.
    @inline(__always)
    private static func four(_ word: UInt32, in tables: UnsafeBufferPointer<UInt32>, at following: Int) -> UInt32 {
        let base = following &* 256
        return tables[base &+ 768 &+ Int(word & 0xff)] ^ tables[base &+ 512 &+ Int(word >> 8 & 0xff)]
            ^ tables[base &+ 256 &+ Int(word >> 16 & 0xff)] ^ tables[base &+ Int(word >> 24)]
    }
}
