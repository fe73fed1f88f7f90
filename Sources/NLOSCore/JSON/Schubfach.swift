/// The shortest decimal in a `Float`'s rounding interval, nearest to it where several are as short.
///
/// Raffaello Giulietti, "The Schubfach way to render doubles" (2020): one multiplication by a power of ten for each end of the
/// interval, in 64 bits where `Float` needs no more.
enum Schubfach {
    /// For a finite number above zero: an integer of at most nine digits, which may end in zeros, and a power of ten.
    @inline(__always)
    static func shortest(_ number: Float) -> (digits: UInt64, exponent: Int) {
        let fraction = number.significandBitPattern
        let biased = Int(number.exponentBitPattern)
        // number = significand * 2^exponent
        let significand = biased == 0 ? fraction : fraction | 1 << 23
        let exponent = max(biased, 1) - 150
        let even = significand & 1 == 0
        // Below a power of two the neighbour is only half as far away.
        let narrow = fraction == 0 && biased > 1
        let power = (exponent * 1_262_611 - (narrow ? 524_031 : 0)) >> 22
        let shift = exponent + (-power * 1_741_647) >> 19 + 1
        let scale = powersOfTen[-power - firstPower]
        // Four times the number and its two boundaries, in units of 10^power.
        let lower = scaled(scale, (4 * significand - (narrow ? 1 : 2)) << UInt32(truncatingIfNeeded: shift)) + (even ? 0 : 1)
        let value = scaled(scale, (4 * significand) << UInt32(truncatingIfNeeded: shift))
        let upper = scaled(scale, (4 * significand + 2) << UInt32(truncatingIfNeeded: shift)) - (even ? 0 : 1)

        let quarter = value / 4
        if quarter >= 10 {
            let tens = quarter / 10
            let below = lower <= 40 * tens
            let above = 40 * tens + 40 <= upper
            if below != above { return (UInt64(tens + (above ? 1 : 0)), power + 1) }
        }
        let below = lower <= 4 * quarter
        let above = 4 * quarter + 4 <= upper
        if below != above { return (UInt64(quarter + (above ? 1 : 0)), power) }
        let middle = 4 * quarter + 2
        let up = value > middle || (value == middle && quarter & 1 == 1)
        return (UInt64(quarter + (up ? 1 : 0)), power)
    }

    /// The product's integer part, its last bit set when anything was cut off.
    @inline(__always)
    private static func scaled(_ scale: UInt64, _ factor: UInt32) -> UInt32 {
        let (high, low) = scale.multipliedFullWidth(by: UInt64(factor))
        return UInt32(truncatingIfNeeded: high) | (low >> 32 > 1 ? 1 : 0)
    }

    /// The exponent of the table's first entry.
    private static let firstPower = -31

    /// 10^k * 2^(63 - floor(log2 10^k)), rounded up, for k = -31...45.
    private static let powersOfTen: InlineArray<77, UInt64> = [
        0x81ce_b32c_4b43_fcf5, 0xa242_5ff7_5e14_fc32, 0xcad2_f7f5_359a_3b3f, 0xfd87_b5f2_8300_ca0e, 0x9e74_d1b7_91e0_7e49,
        0xc612_0625_7658_9ddb, 0xf796_87ae_d3ee_c552, 0x9abe_14cd_4475_3b53, 0xc16d_9a00_9592_8a28, 0xf1c9_0080_baf7_2cb2,
        0x971d_a050_74da_7bef, 0xbce5_0864_9211_1aeb, 0xec1e_4a7d_b695_61a6, 0x9392_ee8e_921d_5d08, 0xb877_aa32_36a4_b44a,
        0xe695_94be_c44d_e15c, 0x901d_7cf7_3ab0_acda, 0xb424_dc35_095c_d810, 0xe12e_1342_4bb4_0e14, 0x8cbc_cc09_6f50_88cc,
        0xafeb_ff0b_cb24_aaff, 0xdbe6_fece_bded_d5bf, 0x8970_5f41_36b4_a598, 0xabcc_7711_8461_cefd, 0xd6bf_94d5_e57a_42bd,
        0x8637_bd05_af6c_69b6, 0xa7c5_ac47_1b47_8424, 0xd1b7_1758_e219_652c, 0x8312_6e97_8d4f_df3c, 0xa3d7_0a3d_70a3_d70b,
        0xcccc_cccc_cccc_cccd, 0x8000_0000_0000_0000, 0xa000_0000_0000_0000, 0xc800_0000_0000_0000, 0xfa00_0000_0000_0000,
        0x9c40_0000_0000_0000, 0xc350_0000_0000_0000, 0xf424_0000_0000_0000, 0x9896_8000_0000_0000, 0xbebc_2000_0000_0000,
        0xee6b_2800_0000_0000, 0x9502_f900_0000_0000, 0xba43_b740_0000_0000, 0xe8d4_a510_0000_0000, 0x9184_e72a_0000_0000,
        0xb5e6_20f4_8000_0000, 0xe35f_a931_a000_0000, 0x8e1b_c9bf_0400_0000, 0xb1a2_bc2e_c500_0000, 0xde0b_6b3a_7640_0000,
        0x8ac7_2304_89e8_0000, 0xad78_ebc5_ac62_0000, 0xd8d7_26b7_177a_8000, 0x8786_7832_6eac_9000, 0xa968_163f_0a57_b400,
        0xd3c2_1bce_cced_a100, 0x8459_5161_4014_84a0, 0xa56f_a5b9_9019_a5c8, 0xcecb_8f27_f420_0f3a, 0x813f_3978_f894_0985,
        0xa18f_07d7_36b9_0be6, 0xc9f2_c9cd_0467_4edf, 0xfc6f_7c40_4581_2297, 0x9dc5_ada8_2b70_b59e, 0xc537_1912_364c_e306,
        0xf684_df56_c3e0_1bc7, 0x9a13_0b96_3a6c_115d, 0xc097_ce7b_c907_15b4, 0xf0bd_c21a_bb48_db21, 0x9676_9950_b50d_88f5,
        0xbc14_3fa4_e250_eb32, 0xeb19_4f8e_1ae5_25fe, 0x92ef_d1b8_d0cf_37bf, 0xb7ab_c627_0503_05ae, 0xe596_b7b0_c643_c71a,
        0x8f7e_32ce_7bea_5c70, 0xb35d_bf82_1ae4_f38c,
    ]
}
