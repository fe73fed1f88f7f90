/// What the sensor makes of a result by itself: a distance for each zone, and how sure it is. Storage that every result uses again.
struct TMF882xObjects: Equatable, Sendable {
    /// I2C address of the sensor.
    private(set) var address = 0
    /// Counts results, 0 to 255 and again from 0.
    private(set) var number: UInt8 = 0
    /// Degrees Celsius.
    private(set) var temperature = 0
    /// The sensor's clock, fifths of a microsecond; wraps every 859 s.
    private(set) var tick: UInt32 = 0
    /// Millimetres to the nearest object, and how sure it is: nine zones of the first sub-capture, nine of the second.
    private(set) var distanceMm: [Int64] = Array(repeating: 0, count: pairs)
    private(set) var confidence: [Int64] = Array(repeating: 0, count: pairs)

    static let zonesPerCapture = 9
    private static let head = 5
    private static let pairs = 2 * zonesPerCapture
    /// With the second objects and without them.
    private static let lengths = [head + 4 * pairs, head + 2 * pairs]

    /// Reads what stands behind the tag and its comma, or says what is wrong with it.
    mutating func read(_ text: UnsafeRawBufferPointer) -> FrameFault? {
        guard var place = text.baseAddress else { return .rowShape }
        let end = place + text.count
        var count = 0
        var isOutOfRange = false
        while true {
            guard let value = Self.takeNumber(&place, to: end, mayBeNegative: count == 2) else { return .notANumber }
            isOutOfRange = !take(value, at: count) || isOutOfRange
            count += 1
            if place == end { break }
            place += 1
        }
        if !Self.lengths.contains(count) { return .rowShape }
        return isOutOfRange ? .outOfRange : nil
    }

    /// False for a value that its place cannot have.
    private mutating func take(_ value: Int64, at index: Int) -> Bool {
        switch index {
        case 0:
            address = Int(value)
            return value < 128
        case 1:
            number = UInt8(truncatingIfNeeded: value)
            return value <= 0xff
        case 2:
            temperature = Int(value)
            return (-128...127).contains(value)
        case 3: return value <= 0xff
        case 4:
            tick = UInt32(truncatingIfNeeded: value)
            return value <= 0xffff_ffff
        default:
            let (pair, isConfidence) = (index - Self.head).quotientAndRemainder(dividingBy: 2)
            if pair < Self.pairs {
                if isConfidence == 1 { confidence[pair] = value } else { distanceMm[pair] = value }
            }
            return value <= (isConfidence == 1 ? 0xff : 0xffff)
        }
    }

    /// A decimal of at most ten digits that ends at a comma or at the end; `place` is left there.
    private static func takeNumber(_ place: inout UnsafeRawPointer, to end: UnsafeRawPointer, mayBeNegative: Bool) -> Int64? {
        var isNegative = false
        if mayBeNegative, place < end, place.load(as: UInt8.self) == UInt8(ascii: "-") {
            isNegative = true
            place += 1
        }
        let start = place
        var value: Int64 = 0
        while place < end {
            let digit = place.load(as: UInt8.self) &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            value = value &* 10 &+ Int64(digit)
            place += 1
        }
        let digits = place - start
        guard (1...10).contains(digits), digits == 1 || start.load(as: UInt8.self) != UInt8(ascii: "0"),
            place == end || place.load(as: UInt8.self) == UInt8(ascii: ",")
        else { return nil }
        return isNegative ? -value : value
    }
}
