/// Writes a result frame as the sensor lays it out and the board passes it on. Not shared with the code that reads them, so that each
/// tests the other.
///
/// Source: ST UM3109 for the blocks, the public recordings for what stands in them where no scene says.
struct DepzResultWriter: Sendable {
    /// Whether the frame has a VL53L8CH's end, and room for histograms.
    let isVL53L8CH: Bool
    private var words: [UInt32] = []
    private var data: [UInt8] = []

    init(isVL53L8CH: Bool) { self.isVL53L8CH = isVL53L8CH }

    /// `numbers` has 16 or 64 rows; its histograms are written where it has bins and the sensor makes them. `status` is the sensor's code
    /// of each distance: by default 5 where there is one.
    mutating func bytes(
        _ numbers: FrameNumbers, number: UInt16, temperatureC: Int, status: [UInt8]? = nil, footerNumber: UInt16? = nil
    ) -> [UInt8] {
        let zones = numbers.distanceMm.count
        words.removeAll(keepingCapacity: true)
        // Stream count, then the frame's number.
        words += [0x059d_1100 | UInt32(number & 0x3f) << 2, 0, UInt32(number), 0xd]
        block(index: 0x54b4, type: 0, count: 12)
        words += [0, 0, UInt32(UInt8(truncatingIfNeeded: temperatureC))]
        block(index: 0x54c0, type: 0, count: 4)
        words.append(0xfce)
        let merges = numbers.bins > 0 && isVL53L8CH
        words(index: 0x54d0, numbers.ambient.map { merges ? 0x4834 : UInt32(truncatingIfNeeded: $0) })
        words(index: 0x55d0, Array(repeating: 256, count: zones))
        let hasTarget = status.map { $0.map { $0 != 255 } } ?? numbers.distanceMm.map { $0 > 0 }
        bytes(index: 0xdb84, hasTarget.map { $0 ? 1 : 0 })
        words(index: 0xdbc4, hasTarget.map { $0 ? 0x0004_2000 : 0 })
        halves(index: 0xdec4, hasTarget.map { $0 ? 0x0180 : 0 })
        halves(index: 0xdf44, numbers.distanceMm.map { UInt16(bitPattern: Int16(clamping: $0 * 4)) })
        bytes(index: 0xe044, hasTarget.map { $0 ? 90 : 0 })
        bytes(index: 0xe084, status ?? hasTarget.map { $0 ? 5 : 0 })
        block(index: 0xd858, type: 0, count: 140)
        words += Array(repeating: 0, count: 35)
        if merges { histograms(numbers) }
        words += [0xe, 0xf, UInt32(footerNumber ?? number)]
        if !isVL53L8CH { words += [0, 0] }
        data.removeAll(keepingCapacity: true)
        for word in words { withUnsafeBytes(of: word.bigEndian) { data.append(contentsOf: $0) } }
        return data
    }

    private mutating func block(index: UInt32, type: UInt32, count: Int) { words.append(index << 16 | UInt32(count) << 4 | type) }

    private mutating func words(index: UInt32, _ values: [UInt32]) {
        block(index: index, type: 4, count: values.count)
        words += values
    }

    private mutating func halves(index: UInt32, _ values: [UInt16]) {
        block(index: index, type: 2, count: values.count)
        for pair in stride(from: 0, to: values.count, by: 2) {
            words.append(UInt32(pair + 1 < values.count ? values[pair + 1] : 0) << 16 | UInt32(values[pair]))
        }
    }

    private mutating func bytes(index: UInt32, _ values: [UInt8]) {
        block(index: index, type: 1, count: values.count)
        packed(values)
    }

    private mutating func packed(_ values: [UInt8]) {
        for start in stride(from: 0, to: values.count, by: 4) {
            words.append((0..<4).reduce(0) { $0 | (start + $1 < values.count ? UInt32(values[start + $1]) << (8 * UInt32($1)) : 0) })
        }
    }

    /// The CNH block without ping-pong and variance, one aggregate a row.
    private mutating func histograms(_ numbers: FrameNumbers) {
        let (values, rows) = (numbers.histogram.map(Self.fixedPoint), numbers.ambient.map(Self.fixedPoint))
        let buffer = 2 + values.count + (values.count + 3) / 4 + rows.count + (rows.count + 3) / 4
        block(index: 0xc048, type: 4, count: 5 + buffer)
        words += [0, 0x0101_0000 | UInt32(buffer), 0, 0, UInt32(numbers.bins) << 16 | UInt32(rows.count)]
        words += [0, 1]
        for numbers in [values, rows] {
            words += numbers.map { UInt32(bitPattern: $0.mantissa) }
            packed(numbers.map { UInt8(bitPattern: $0.exponent) })
        }
    }

    /// A number that has exactly these thousandths: as many binary places as its mantissa has room for, cut away from zero.
    static func fixedPoint(thousandths: Int64) -> BinaryFixedPoint {
        var exponent = 30
        while exponent > 10, thousandths.magnitude << UInt64(exponent) / 1000 >= 1 << 30 { exponent -= 1 }
        let scaled = thousandths << Int64(exponent)
        return BinaryFixedPoint(mantissa: Int32(clamping: (scaled + (scaled > 0 ? 999 : -999)) / 1000), exponent: Int8(exponent))
    }
}
