@testable import TransientSensor

/// Result frames in the board's packets, made without an emulator.
struct DepzBytes {
    var outgoing: DepzOutgoing
    private var writer: DepzResultWriter

    init(isVL53L8CH: Bool, protection: DepzProtection = .none) {
        outgoing = DepzOutgoing(sequence: 250, protection: protection)
        writer = DepzResultWriter(isVL53L8CH: isVL53L8CH)
    }

    /// Numbers without a symmetry that could hide an exchange of rows, bins or signs.
    static func numbers(_ frame: Int, zones: Int, bins: Int) -> FrameNumbers {
        var numbers = FrameNumbers()
        numbers.bins = bins
        numbers.distanceMm = (0..<zones).map { Int64(400 + 17 * frame + 31 * $0) }
        numbers.ambient = (0..<zones).map { Int64(1_000 + 7 * frame + 13 * $0) }
        numbers.histogram = (0..<zones * bins).map { Int64(($0 * 7_919 + frame * 104_729) % 60_013) - 9_000 }
        return numbers
    }

    /// The packets of one frame.
    mutating func frame(_ frame: Int, zones: Int = 16, bins: Int = 0, number: UInt16? = nil, chunk: Int = 1_528) -> [UInt8] {
        let data = writer.bytes(
            Self.numbers(frame, zones: zones, bins: bins), number: number ?? UInt16(frame + 100), temperatureC: -7, status: nil)
        return packets(data, deviceUs: 5_000_000 + UInt64(frame) * 66_300, chunk: chunk)
    }

    mutating func packets(_ data: [UInt8], deviceUs: UInt64, chunk: Int = 1_528) -> [UInt8] {
        let start = outgoing.bytes.count
        for offset in stride(from: 0, to: data.count, by: chunk) {
            let head = withUnsafeBytes(of: deviceUs.littleEndian) { Array($0) }
            let sizes = DepzSetting.littleEndian(UInt16(data.count)) + DepzSetting.littleEndian(UInt16(offset))
            outgoing.append(DepzId.chunk, head + sizes + data[offset..<min(offset + chunk, data.count)])
        }
        return Array(outgoing.bytes[start...])
    }
}
