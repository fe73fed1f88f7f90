/// One result frame of the sensor, as it lies in the board's chunks: 32-bit words turned round, a header, blocks, a footer.
///
/// Source: ST UM3109 and the VL53L8CX driver for blocks and units; the public recordings for everything that is checked.
struct DepzResult {
    enum Outcome {
        case result(DepzResult)
        case fault(FrameFault)
        /// The blocks go on past the end, or end long before it: the board was told another size than the sensor's frames have. What to tell
        /// it instead.
        case otherSize(Int)
    }

    /// The sensor's own count of its frames.
    let number: UInt16
    /// 16 or 64.
    let zones: Int
    /// Of the die, degrees Celsius.
    let temperatureC: Int
    let histogram: CompactHistogramBlock?
    private let bytes: UnsafeRawBufferPointer
    private let places: Places

    /// Where the data of the blocks starts.
    private struct Places {
        var metadata, ambient, targets, distance, status: Int?
        var histogram: Range<Int>?
    }

    private enum Index {
        static let metadata: UInt32 = 0x54b4
        static let ambient: UInt32 = 0x54d0
        static let targets: UInt32 = 0xdb84
        static let distance: UInt32 = 0xdf44
        static let status: UInt32 = 0xe084
        static let histogram: UInt32 = 0xc048
    }

    private static let firstBlock = 16
    /// From the end of the blocks to the end of the frame: 12 bytes from a VL53L8CH, 20 from a VL53L8CX.
    private static let footer = 12...32
    /// Enough of it, whichever sensor it is.
    private static let largeFooter = 20
    /// From the end of the blocks to the footer's copy of the frame's number.
    private static let footerNumber = 8
    /// What a zone without a target has for a status, whatever the sensor left there.
    private static let noTarget: UInt8 = 255

    static func read(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        guard bytes.count >= firstBlock + footer.lowerBound, bytes.count % 4 == 0 else { return .fault(.malformed) }
        var places = Places()
        var zones: Int?
        var place = firstBlock
        while true {
            guard place + 4 <= bytes.count else { return .fault(.malformed) }
            let header = Self.word(at: place, of: bytes)
            let index = header >> 16
            if index == 0 { break }
            let (type, count) = (Int(header & 0xf), Int(header >> 4 & 0xfff))
            let length = (2..<13).contains(type) ? type * count : count
            let data = place + 4
            guard length % 4 == 0 else { return .fault(.malformed) }
            guard data + length <= bytes.count else {
                return index == Index.histogram && type == 4
                    ? .otherSize(data + length + largeFooter) : .fault(.malformed)
            }
            var elementBytes: Int?
            switch index {
            case Index.metadata where length >= 12: places.metadata = data
            case Index.histogram where type == 4: places.histogram = data..<data + length
            case Index.ambient: (places.ambient, elementBytes) = (data, 4)
            case Index.targets: (places.targets, elementBytes) = (data, 1)
            case Index.distance: (places.distance, elementBytes) = (data, 2)
            case Index.status: (places.status, elementBytes) = (data, 1)
            default: break
            }
            if let elementBytes {
                // One target a zone: every block has one element a zone.
                guard type == elementBytes, count == 16 || count == 64, count == zones ?? count else { return .fault(.malformed) }
                zones = count
            }
            place = data + length
        }
        guard bytes.count - place >= footer.lowerBound, let zones, let metadata = places.metadata, places.ambient != nil,
            places.targets != nil, places.distance != nil, places.status != nil
        else { return .fault(.malformed) }
        let number = UInt16(truncatingIfNeeded: word(at: 8, of: bytes))
        guard UInt16(truncatingIfNeeded: word(at: place + footerNumber, of: bytes)) == number else { return .fault(.torn) }
        guard bytes.count - place <= footer.upperBound else { return .otherSize(place + largeFooter) }
        var histogram: CompactHistogramBlock?
        if let range = places.histogram {
            guard let block = CompactHistogramBlock(UnsafeRawBufferPointer(rebasing: bytes[range])) else { return .fault(.malformed) }
            histogram = block
        }
        let temperature = Int8(bitPattern: bytes[(metadata + 8) ^ 3])
        return .result(
            DepzResult(number: number, zones: zones, temperatureC: Int(temperature), histogram: histogram, bytes: bytes, places: places))
    }

    @inline(__always)
    private static func word(at place: Int, of bytes: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
    }

    /// The frame that this result is; nil when a number of it is over 64 bits.
    ///
    /// Without histograms of every zone, `ambient` is the sensor's rate per SPAD in 2048ths of a kcps. Histograms that merge zones are
    /// left away: the stream does not say which zones an aggregate is made of.
    func frame(deviceUs: UInt64, arrival: Arrival) -> FirmwareFrame? {
        var bins = 0
        var values: [Int64] = []
        var ambient: [Int64]
        if let histogram, histogram.aggregates == zones {
            guard let all = histogram.thousandths(), let levels = histogram.ambientThousandths() else { return nil }
            (bins, values, ambient) = (histogram.bins, all, levels)
        } else {
            ambient = ambientPerSpad
        }
        var frame = FirmwareFrame(bins: bins, ambient: ambient, distanceMm: distanceMm, histogram: values, arrival: arrival)
        frame.targetStatus = targetStatus
        frame.temperatureC = temperatureC
        frame.deviceUs = deviceUs
        return frame
    }

    private var ambientPerSpad: [Int64] {
        array { Int64(Self.word(at: (places.ambient ?? 0) &+ 4 &* $0, of: bytes)) }
    }

    /// Quarters of a millimetre, cut towards minus infinity; a negative distance is nearer than the sensor can tell.
    private var distanceMm: [Int64] {
        array { zone in
            let place = (places.distance ?? 0) &+ 2 &* (zone ^ 1)
            return Int64(Int16(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: Int16.self)) >> 2)
        }
    }

    private var targetStatus: [UInt8] {
        array { bytes[(places.targets ?? 0) &+ $0 ^ 3] == 0 ? Self.noTarget : bytes[(places.status ?? 0) &+ $0 ^ 3] }
    }

    @inline(__always)
    private func array<Element>(_ element: (Int) -> Element) -> [Element] {
        [Element](unsafeUninitializedCapacity: zones) { target, filled in
            for zone in 0..<zones { target.initializeElement(at: zone, to: element(zone)) }
            filled = zones
        }
    }
}
