/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers for the same seed, on every machine.
struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// In 0 ..< 1.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// Mean 0, standard deviation 1, never over 3.5: four 16-bit uniforms of one draw, summed.
    mutating func noise() -> Double {
        let draw = next()
        let sum = (draw & 0xffff) + (draw >> 16 & 0xffff) + (draw >> 32 & 0xffff) + (draw >> 48)
        return (Double(sum) - 131_070) * (1.732_050_807_568_877_2 / 65_536)
    }

    /// True with the given probability, 0 ... 1.
    mutating func happens(_ probability: Double) -> Bool { probability > 0 && unit() < probability }
}
