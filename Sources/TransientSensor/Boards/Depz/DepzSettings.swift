/// What a sensor that runs can be asked about itself, through the registers that the board passes on.
///
/// Source: `vl53l8cx_dci_read_data` of ST's driver, and its VL53LMZ variant for the indices.
enum DepzSetting: Equatable, Sendable {
    /// Bytes of a result frame.
    case frameSize
    /// What the histograms are made of.
    case histogram

    private var index: UInt16 { self == .frameSize ? 0x5440 : 0xbfac }
    private var bytes: Int { self == .frameSize ? 12 : DepzHistogramSetting.bytes }

    /// Tells the sensor what to hold ready: address and data of a register write.
    var question: [UInt8] {
        let command: [UInt8] = [
            UInt8(index >> 8), UInt8(index & 0xff), UInt8(bytes >> 4), UInt8(bytes & 0xf) << 4, 0, 0, 0, 0x0f, 0, 2, 0, 8,
        ]
        return Self.littleEndian(0x2ff4) + command
    }

    /// Asks whether it is ready: address and length of a register read.
    static let readinessRequest: [UInt8] = littleEndian(0x2c00) + littleEndian(4)

    enum Readiness {
        case ready, waiting, failed
    }

    static func readiness(_ answer: [UInt8]) -> Readiness {
        guard answer.count == 4, answer[2] < 0x7f else { return .failed }
        return answer[1] == 3 ? .ready : .waiting
    }

    /// Fetches it: address and length of a register read. Before the data stand four bytes, and eight behind it.
    var answerRequest: [UInt8] { Self.littleEndian(0x2c04) + Self.littleEndian(UInt16(bytes + 12)) }

    static func littleEndian(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xff), UInt8(value >> 8)] }

    /// The frame size in an answer; nil when the board could not send such frames.
    static func frameSize(in answer: [UInt8]) -> Int? {
        guard answer.count == 24 else { return nil }
        let size = Int(answer[14]) << 8 | Int(answer[15])
        return (64...DepzAssembly.mostBytes).contains(size) ? size : nil
    }
}

/// How the sensor makes histograms. Source: ST's `VL53LMZ_Motion_Configuration`.
struct DepzHistogramSetting: Equatable, Sendable {
    static let bytes = 156

    /// First physical bin, in 2048ths.
    let offset: Int32
    /// Physical bins in a bin.
    let subsample: Int
    let bins: Int
    let aggregates: Int
    /// The aggregate of each of 64 zones; negative for none.
    let aggregateOfZone: [Int8]

    /// From the answer to `DepzSetting.histogram`; nil when it cannot be one.
    init?(_ answer: [UInt8]) {
        guard answer.count == Self.bytes + 12 else { return nil }
        // Bytes are turned round within their words; the data begins at 4.
        func byte(_ place: Int) -> UInt8 { answer[(4 + place) ^ 3] }
        offset = Int32(bitPattern: (0..<4).reduce(0) { $0 | UInt32(byte($1)) << (8 * UInt32($1)) })
        subsample = Int(byte(18))
        bins = Int(byte(19))
        aggregates = Int(byte(20))
        aggregateOfZone = (28..<92).map { Int8(bitPattern: byte($0)) }
        guard subsample > 0, (1...CompactHistogramBlock.mostBins).contains(bins),
            (1...CompactHistogramBlock.mostAggregates).contains(aggregates)
        else { return nil }
    }

    /// Whether aggregate n is zone n, for every zone of a frame of this shape.
    func isZoneByZone(_ shape: FrameShape) -> Bool {
        aggregates == shape.zones && aggregateOfZone.prefix(shape.zones).enumerated().allSatisfy { Int($1) == $0 }
    }

    /// Nil for other histograms, and for a start that is no physical bin.
    func timing(of shape: FrameShape, physicalBinPs: Float) -> BinTiming? {
        guard bins == shape.bins, aggregates == shape.zones, offset % 2048 == 0, let startBin = UInt16(exactly: offset / 2048) else {
            return nil
        }
        return BinTiming(binWidthPs: physicalBinPs * Float(subsample), startBin: startBin, basis: .reported)
    }
}
