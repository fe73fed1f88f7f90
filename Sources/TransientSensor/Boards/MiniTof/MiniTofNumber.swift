/// The numbers of the mini_tof VL53L8CH firmwares: little-endian single floats.
///
/// A value is a 32-bit integer over a power of two up to 2^31, so that what lies outside of 2^-40 ..< 2^31 and is not zero never left a
/// sensor. That bound is what finds damage: nothing else in a record is redundant.
enum MiniTofNumber {
    static let bytes = 4

    private static let least = Float(0x1p-40).bitPattern
    private static let span = Float(0x1p31).bitPattern - least
    private static let magnitude: UInt32 = 0x7fff_ffff

    static func bits(_ start: UnsafeRawPointer, _ index: Int) -> UInt32 {
        UInt32(littleEndian: start.loadUnaligned(fromByteOffset: bytes * index, as: UInt32.self))
    }

    static func value(_ start: UnsafeRawPointer, _ index: Int) -> Float { Float(bitPattern: bits(start, index)) }

    /// What is wrong with the first bad one of `count` numbers; nil when all are good.
    static func fault(_ start: UnsafeRawPointer, count: Int) -> FrameFault? {
        var isBad = false
        for index in 0..<count { isBad = isBad || !isNumber(bits(start, index)) }
        guard isBad else { return nil }
        for index in 0..<count {
            let value = value(start, index)
            guard isNumber(value.bitPattern) else { return value.isFinite && !value.isSubnormal ? .outOfRange : .notANumber }
        }
        return nil
    }

    private static func isNumber(_ bits: UInt32) -> Bool {
        let size = bits & magnitude
        return size == 0 || size &- least < span
    }

    /// A good number x 1000, cut toward zero, as the cc-hardware firmware prints it.
    static func thousandths(_ start: UnsafeRawPointer, _ index: Int) -> Int64 { Int64(value(start, index) * 1_000) }

    /// A good number that is whole and in the range; nil for any other.
    static func whole(_ start: UnsafeRawPointer, _ index: Int, in range: ClosedRange<Int>) -> Int? {
        let value = value(start, index)
        guard value >= Float(range.lowerBound), value <= Float(range.upperBound), value == value.rounded(.towardZero) else { return nil }
        return Int(value)
    }
}
