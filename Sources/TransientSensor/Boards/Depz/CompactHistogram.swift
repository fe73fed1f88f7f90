/// A number as the sensor writes it: `mantissa / 2^exponent`, exactly.
public struct BinaryFixedPoint: Equatable, Sendable {
    public let mantissa: Int32
    /// -128 ... 127; negative ones make the value larger.
    public let exponent: Int8

    public init(mantissa: Int32, exponent: Int8) {
        self.mantissa = mantissa
        self.exponent = exponent
    }

    /// The value times 1000, cut towards zero; nil when that is over 64 bits.
    @inlinable public var thousandths: Int64? {
        let scaled = Int64(mantissa) &* 1000
        if exponent >= 0 {
            // Under 2^41, so that nothing is left of it after more shifts.
            let places = min(Int64(exponent), 62)
            // An arithmetic shift cuts towards minus infinity: what it would lose is added first.
            return (scaled &+ (scaled &>> 63 & (1 &<< places &- 1))) &>> places
        }
        let places = -Int(exponent)
        guard scaled != 0 else { return 0 }
        guard places < 63, scaled.magnitude <= UInt64(Int64.max) >> UInt64(places) else { return nil }
        return scaled << Int64(places)
    }
}

/// The compact normalized histograms of one frame, number by number as the sensor sent them.
public struct CompactHistogram: Equatable, Sendable {
    public let aggregates: Int
    public let bins: Int
    /// What the sensor measured its reference to be off by: 2048ths of a physical bin.
    public let referenceResidual: UInt32
    /// Aggregate-major.
    public let values: [BinaryFixedPoint]
    /// One an aggregate.
    public let ambient: [BinaryFixedPoint]

    init(_ block: CompactHistogramBlock) {
        aggregates = block.aggregates
        bins = block.bins
        referenceResidual = block.referenceResidual
        values = (0..<block.aggregates * block.bins).map(block.value)
        ambient = (0..<block.aggregates).map(block.ambient)
    }
}

/// The CNH block of a result frame where it lies: big-endian words, each a little-endian word of the sensor turned round.
///
/// Source: ST's `vl53lmz_plugin_cnh.c` for the layout; `vl53l8_cnh.json` is a block of a live sensor.
struct CompactHistogramBlock {
    /// More aggregates than zones do not exist; more bins than physical ones neither.
    static let mostAggregates = 64
    static let mostBins = 128

    let aggregates: Int
    let bins: Int
    let referenceResidual: UInt32
    private let bytes: UnsafeRawBufferPointer
    /// Bytes from the start of the block.
    private let mantissas, exponents, ambientMantissas, ambientExponents: Int

    /// Nil when the block's counts do not agree with each other or with its length.
    init?(_ bytes: UnsafeRawBufferPointer) {
        func word(_ index: Int) -> UInt32 { UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)) }
        guard bytes.count >= 20, bytes.count % 4 == 0 else { return nil }
        let counts = word(4)
        aggregates = Int(counts & 0xffff)
        bins = Int(counts >> 16)
        guard (1...Self.mostAggregates).contains(aggregates), (1...Self.mostBins).contains(bins) else { return nil }
        let wordsPerBuffer = Int(word(1) & 0xffff)
        let values = aggregates * bins
        // The second of two buffers is the current one when the first is being filled.
        let buffer = 5 + (word(0) == 0 ? 0 : wordsPerBuffer)
        let needed = 2 + values + (values + 3) / 4 + aggregates + (aggregates + 3) / 4
        guard wordsPerBuffer >= needed, 4 * (buffer + needed) <= bytes.count else { return nil }
        referenceResidual = word(2)
        mantissas = 4 * (buffer + 2)
        exponents = mantissas + 4 * values
        ambientMantissas = exponents + 4 * ((values + 3) / 4)
        ambientExponents = ambientMantissas + 4 * aggregates
        self.bytes = bytes
    }

    func value(_ index: Int) -> BinaryFixedPoint { number(index, mantissas, exponents) }
    func ambient(_ aggregate: Int) -> BinaryFixedPoint { number(aggregate, ambientMantissas, ambientExponents) }

    @inline(__always)
    private func number(_ index: Int, _ mantissas: Int, _ exponents: Int) -> BinaryFixedPoint {
        // Bytes are turned round within their words.
        BinaryFixedPoint(
            mantissa: Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: mantissas &+ 4 &* index, as: Int32.self)),
            exponent: bytes.loadUnaligned(fromByteOffset: exponents &+ (index ^ 3), as: Int8.self))
    }

    /// Every value in thousandths, aggregate-major; nil when one is over 64 bits.
    func thousandths() -> [Int64]? { Self.thousandths(aggregates * bins, value) }

    /// Every ambient level in thousandths; nil when one is over 64 bits.
    func ambientThousandths() -> [Int64]? { Self.thousandths(aggregates, ambient) }

    @inline(__always)
    private static func thousandths(_ count: Int, _ number: (Int) -> BinaryFixedPoint) -> [Int64]? {
        var fits = true
        let all = [Int64](unsafeUninitializedCapacity: count) { target, filled in
            for index in 0..<count {
                let value = number(index).thousandths
                fits = fits && value != nil
                target[index] = value ?? 0
            }
            filled = count
        }
        return fits ? all : nil
    }
}
