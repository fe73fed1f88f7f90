import Testing

@testable import TransientSensor

/// One byte lost, bent or added anywhere in the second of four frames: never a frame with wrong numbers, the loss is told, and the last
/// frame is right.
@Suite struct DepzDamageTests {
    enum Damage: CaseIterable {
        case deleted, changed, inserted

        func apply(_ byte: UInt8, at place: Int, to bytes: [UInt8]) -> [UInt8] {
            switch self {
            case .deleted: Array(bytes[..<place] + bytes[(place + 1)...])
            case .changed: bytes[..<place] + [bytes[place] ^ (byte | 1)] + bytes[(place + 1)...]
            case .inserted: bytes[..<place] + [byte] + bytes[place...]
            }
        }
    }

    struct Row: CustomTestStringConvertible {
        let damage: Damage
        let protection: DepzProtection
        /// 0 for depth only; with histograms a frame is cut into three chunks.
        let bins: Int
        var testDescription: String { "\(damage), \(protection), \(bins) bins" }
    }

    /// Without a payload checksum a byte that is bent inside a number shows nowhere: that is left to the checksums.
    static let rows = Damage.allCases.flatMap { damage in
        (damage == .changed ? [DepzProtection.crc8, .crc16, .crc32] : [.none, .crc16]).flatMap { protection in
            [0, 3].map { Row(damage: damage, protection: protection, bins: $0) }
        }
    }

    @Test(arguments: rows) func oneByte(row: Row) {
        var bytes = DepzBytes(isVL53L8CH: row.bins > 0, protection: row.protection)
        let texts = (0..<4).map { bytes.frame($0, bins: row.bins, chunk: row.bins > 0 ? 300 : 1_528) }
        var clean = DepzDecoder()
        let good = texts.flatMap { clean.events(of: $0) }.frames
        #expect(good.count == 4)
        var wrong: [String] = []
        for place in texts[1].indices {
            for byte: UInt8 in row.damage == .deleted ? [0] : [0x00, 0xa5, 0xc3] {
                var decoder = DepzDecoder()
                let bent = row.damage.apply(byte, at: place, to: texts[1])
                let events = decoder.events(of: texts[0] + bent + texts[2] + texts[3])
                decoder.finish()
                let frames = events.frames
                let isRight =
                    frames.allSatisfy(good.contains) && frames.first == good[0] && frames.last == good[3]
                    // At most the frame that is damaged, and one of which it takes bytes.
                    && frames.count >= 2 && decoder.isAccounted
                // Each lost frame is refused or missing. One may be refused in two pieces, which is never fewer than were lost.
                let lost = UInt64(4 - frames.count)
                let isTold =
                    lost == 0
                    || events.missing == lost - min(lost, UInt64(events.faults.count)) && decoder.counters.bytesSkipped > 0
                if !isRight || !isTold { wrong.append("\(byte) at \(place)") }
            }
        }
        #expect(wrong.isEmpty)
    }
}
