/// Rows of numbers of the TMF882x sketches: a tag, and decimals behind commas.
enum TMF882xRow {
    enum Tag {
        /// Counts of a histogram, one byte of each.
        case raw
        /// The same of the sensor's electrical calibration.
        case calibration
        case objects
        /// Part of a histogram: a firmware that nobody has published.
        case partial
    }

    /// In every line of these tags, less the comma behind them.
    static let tagBytes = 4

    /// `line` is followed by at least `spare` bytes that may be read.
    static let spare = 3

    static func tag(of line: UnsafeRawBufferPointer) -> Tag? {
        guard line.count > tagBytes, line[tagBytes] == UInt8(ascii: ",") else { return nil }
        switch UInt32(littleEndian: line.loadUnaligned(as: UInt32.self)) {
        case 0x7761_5223: return .raw  // "#Raw"
        case 0x6c61_4323: return .calibration  // "#Cal"
        case 0x6a62_4f23: return .objects  // "#Obj"
        case 0x7472_5023: return .partial  // "#Prt"
        default: return nil
        }
    }

    /// The start of a row of counts: whose it is, which of a sub-capture's rows it is, and where its numbers begin.
    struct Head {
        let address: Int
        let index: Int
        let numbers: UnsafeRawPointer
    }

    static func head(of line: UnsafeRawBufferPointer) -> Head? {
        guard let start = line.baseAddress else { return nil }
        let end = start + line.count
        var place = start + tagBytes + 1
        guard let address = takeNumber(&place, to: end), address < 128, let index = takeNumber(&place, to: end),
            index < TMF882xLayout.rowsPerCapture
        else { return nil }
        return Head(address: address, index: index, numbers: place)
    }

    /// Takes a decimal of at most three digits and the comma behind it; a leading zero makes it none.
    private static func takeNumber(_ place: inout UnsafeRawPointer, to end: UnsafeRawPointer) -> Int? {
        var value = 0
        let start = place
        while place < end {
            let digit = place.load(as: UInt8.self) &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            value = value &* 10 &+ Int(digit)
            place += 1
        }
        let digits = place - start
        guard (1...3).contains(digits), digits == 1 || start.load(as: UInt8.self) != UInt8(ascii: "0"), place < end,
            place.load(as: UInt8.self) == UInt8(ascii: ",")
        else { return nil }
        place += 1
        return value
    }

    /// Reads exactly 128 numbers of 0 to 255 up to `end`, shifts each and puts it with what `keep` leaves in its place.
    ///
    /// False when it is not exactly that; what was written is then of no use. Four bytes at a time, and no branch for what is in them.
    static func readBytes(
        _ start: UnsafeRawPointer, to end: UnsafeRawPointer, shift: UInt32, keep: UInt32, into counts: UnsafeMutablePointer<UInt32>
    ) -> Bool {
        var place = start
        var bad: UInt32 = 0
        for bin in 0..<(TMF882xLayout.bins - 1) {
            guard place < end else { return false }
            let text = UInt32(littleEndian: place.loadUnaligned(as: UInt32.self))
            let commas = text ^ 0x2c2c_2c2c
            let found = (commas &- 0x0101_0101) & ~commas & 0x8080_8080
            let length = UInt32(truncatingIfNeeded: found.trailingZeroBitCount) &>> 3
            // No digit before the comma, or more than three.
            bad |= (length &- 1) & ~3 | (length &>> 2)
            let value = decimal(text, length, &bad)
            counts[bin] = counts[bin] & keep | value &<< shift
            place += Int(length &+ 1)
        }
        let length = end - place
        guard (1...3).contains(length) else { return false }
        let value = decimal(UInt32(littleEndian: place.loadUnaligned(as: UInt32.self)), UInt32(length), &bad)
        counts[TMF882xLayout.bins - 1] = counts[TMF882xLayout.bins - 1] & keep | value &<< shift
        return bad == 0
    }

    /// The number of the first `length` bytes, 1 to 3; sets bits in `bad` where it is none of 0 to 255.
    @inline(__always)
    private static func decimal(_ text: UInt32, _ length: UInt32, _ bad: inout UInt32) -> UInt32 {
        // Moved up, so that the last digit is on top and zeros stand below the first.
        let digits = (text ^ 0x3030_3030) &<< (32 &- 8 &* length)
        bad |= ((digits &+ 0x7676_7676) | digits) & 0x8080_8080
        let value = (digits &>> 24) &+ 10 &* (digits &>> 16 & 0xff) &+ 100 &* (digits &>> 8 & 0xff)
        bad |= value &>> 8
        // A zero in front of other digits.
        bad |= text & 0xff == 0x30 ? length &- 1 : 0
        return value
    }

    /// What is wrong with a line whose numbers are not 128 of 0 to 255.
    static func fault(_ start: UnsafeRawPointer, to end: UnsafeRawPointer) -> FrameFault {
        let numbers = UnsafeRawBufferPointer(start: start, count: end - start)
        let fields = numbers.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        if !fields.allSatisfy({ isDecimal($0) }) { return .notANumber }
        return fields.count == TMF882xLayout.bins ? .outOfRange : .rowShape
    }

    private static func isDecimal(_ field: Slice<UnsafeRawBufferPointer>) -> Bool {
        !field.isEmpty && field.allSatisfy { $0 &- 0x30 < 10 } && (field.count == 1 || field.first != 0x30)
    }
}
