/// Decimals of up to 19 digits with a fraction of up to 27 places, which is how programs print a `Double` in full, to the nearest
/// binary number.
///
/// Daniel Lemire, "Number parsing at a gigabyte per second" (2021), after Michael Eisel: the digits are multiplied by 128 bits of
/// the power of ten. In this range of powers those bits always settle the rounding.
enum EiselLemire {
    /// The `Double` nearest to `digits` x 10^`exponent`, ties to even; nil outside the range.
    static func nearest(_ digits: UInt64, exponent: Int) -> Double? {
        guard -27...(-1) ~= exponent else { return nil }
        guard digits > 0 else { return 0 }
        let leading = digits.leadingZeroBitCount
        let significand = digits << UInt64(leading)
        let entry = 2 * (exponent + 27)
        var (high, low) = significand.multipliedFullWidth(by: powersOfTen[entry])
        if high & 0x1ff == 0x1ff {
            // The upper half of the power leaves it open which way to round.
            let carry: Bool
            (low, carry) = low.addingReportingOverflow(significand.multipliedFullWidth(by: powersOfTen[entry + 1]).high)
            if carry { high += 1 }
        }
        let upper = high >> 63
        let shift = upper + 9
        var mantissa = high >> shift
        // Exactly half-way, and even below: that is where it goes.
        if low <= 1, exponent >= -4, mantissa & 3 == 1, mantissa << shift == high { mantissa &= ~1 }
        mantissa = (mantissa + mantissa & 1) >> 1
        // floor(exponent * log2(10)), and the places of the product's top bit and of the bias.
        var binary = (217_706 * exponent) >> 16 + 63 + Int(upper) - leading + 1023
        if mantissa == 1 << 53 {
            mantissa = 1 << 52
            binary += 1
        }
        return Double(sign: .plus, exponentBitPattern: UInt(binary), significandBitPattern: mantissa & (1 << 52 - 1))
    }

    /// 10^k for k = -27...-1, its first 128 bits rounded up, upper half and lower half.
    private static let powersOfTen: InlineArray<54, UInt64> = [
        0x9e74_d1b7_91e0_7e48, 0x775e_a264_cf55_347e,
        0xc612_0625_7658_9dda, 0x9536_4afe_032a_819e,
        0xf796_87ae_d3ee_c551, 0x3a83_ddbd_83f5_2205,
        0x9abe_14cd_4475_3b52, 0xc492_6a96_7279_3543,
        0xc16d_9a00_9592_8a27, 0x75b7_053c_0f17_8294,
        0xf1c9_0080_baf7_2cb1, 0x5324_c68b_12dd_6339,
        0x971d_a050_74da_7bee, 0xd3f6_fc16_ebca_5e04,
        0xbce5_0864_9211_1aea, 0x88f4_bb1c_a6bc_f585,
        0xec1e_4a7d_b695_61a5, 0x2b31_e9e3_d06c_32e6,
        0x9392_ee8e_921d_5d07, 0x3aff_322e_6243_9fd0,
        0xb877_aa32_36a4_b449, 0x09be_feb9_fad4_87c3,
        0xe695_94be_c44d_e15b, 0x4c2e_be68_7989_a9b4,
        0x901d_7cf7_3ab0_acd9, 0x0f9d_3701_4bf6_0a11,
        0xb424_dc35_095c_d80f, 0x5384_84c1_9ef3_8c95,
        0xe12e_1342_4bb4_0e13, 0x2865_a5f2_06b0_6fba,
        0x8cbc_cc09_6f50_88cb, 0xf93f_87b7_442e_45d4,
        0xafeb_ff0b_cb24_aafe, 0xf78f_69a5_1539_d749,
        0xdbe6_fece_bded_d5be, 0xb573_440e_5a88_4d1c,
        0x8970_5f41_36b4_a597, 0x3168_0a88_f895_3031,
        0xabcc_7711_8461_cefc, 0xfdc2_0d2b_36ba_7c3e,
        0xd6bf_94d5_e57a_42bc, 0x3d32_9076_0469_1b4d,
        0x8637_bd05_af6c_69b5, 0xa63f_9a49_c2c1_b110,
        0xa7c5_ac47_1b47_8423, 0x0fcf_80dc_3372_1d54,
        0xd1b7_1758_e219_652b, 0xd3c3_6113_404e_a4a9,
        0x8312_6e97_8d4f_df3b, 0x645a_1cac_0831_26ea,
        0xa3d7_0a3d_70a3_d70a, 0x3d70_a3d7_0a3d_70a4,
        0xcccc_cccc_cccc_cccc, 0xcccc_cccc_cccc_cccd,
    ]
}
