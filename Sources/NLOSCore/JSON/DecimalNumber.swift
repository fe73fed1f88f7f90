/// A decimal number as it was spelled, on its way to the nearest binary one.
///
/// Most numbers in a message are short, and for those one exact division or multiplication gives the correctly rounded result
/// (William Clinger, "How to read floating point numbers accurately", 1990). Most of the rest takes two multiplications of integers,
/// and what is left goes through the standard library.
struct DecimalNumber {
    var isNegative = false
    /// The digits as an integer, while they fit.
    private(set) var digits: UInt64 = 0
    /// The power of ten that `digits` is multiplied by.
    var exponent = 0
    private var count = 0
    /// The number's spelling in the message, valid as long as the message's bytes are.
    var text = UnsafeBufferPointer<UInt8>(start: nil, count: 0)

    init() {}

    /// Takes up to eight digits more, which make `value`.
    @inline(__always)
    mutating func append(_ value: UInt64, count: Int) {
        digits = digits &* Self.groups[count] &+ value
        self.count += count
    }

    private static let groups: InlineArray<9, UInt64> = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000]

    /// The correctly rounded number, where one exact step gives it.
    @inline(__always)
    var double: Double? {
        // 19 digits cannot have wrapped; integers up to 2^53 and powers up to 10^22 are exact.
        guard count <= 19, digits <= 1 << 53, -22...22 ~= exponent else { return nil }
        let whole = Double(digits)
        let magnitude = exponent < 0 ? whole / Self.powersOfTen[-exponent] : whole * Self.powersOfTen[exponent]
        return isNegative ? -magnitude : magnitude
    }

    /// The correctly rounded number, however it is spelled; nil where it overflows to infinity.
    @inline(__always)
    var nearestDouble: Double? {
        if let double { return double }
        // 19 digits cannot have wrapped.
        if count <= 19, let magnitude = EiselLemire.nearest(digits, exponent: exponent) { return isNegative ? -magnitude : magnitude }
        guard let number = Double(spelling), number.isFinite else { return nil }
        return number
    }

    /// The number in units of 10^-18; nil when it is no whole number of them, or below zero, or too large.
    var inUnits: UInt64? {
        guard count <= 19, -18...0 ~= exponent, !isNegative || digits == 0 else { return nil }
        let (units, overflow) = digits.multipliedReportingOverflow(by: UInt64(Self.powersOfTen[18 + exponent]))
        return overflow ? nil : units
    }

    /// The correctly rounded number, where rounding the `Double` once more gives it.
    @inline(__always)
    var float: Float? {
        guard let double else { return nil }
        // Rounding is monotonic, so the second one can only differ from a single one where the first landed exactly half-way
        // between two floats. Subnormal floats have their half-ways elsewhere, but they are far below what one step reaches, 1e-22.
        return double.bitPattern & 0x1fff_ffff == 0x1000_0000 ? nil : Float(double)
    }

    /// The spelling as a string, for the slow way.
    var spelling: String { String(decoding: text, as: UTF8.self) }

    private static let powersOfTen: InlineArray<23, Double> = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]
}
