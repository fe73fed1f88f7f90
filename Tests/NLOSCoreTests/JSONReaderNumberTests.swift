import Foundation
import Testing

@testable import NLOSCore

@Suite struct JSONReaderNumberTests {
    @Test(
        arguments: [
            ("0", 0), ("7", 7), ("10", 10), (" 42\n", 42), ("9007199254740991", 9_007_199_254_740_991),
            ("9007199254740992", 9_007_199_254_740_992), ("9007199254740993", 9_007_199_254_740_993),
            ("18446744073709551609", .max - 6), ("18446744073709551615", .max),
        ] as [(String, UInt64)])
    func integersAreReadFromTheirDigits(text: String, value: UInt64) {
        #expect(unsigned(text) == .some(.some(value)))
    }

    @Test(arguments: ["18446744073709551616", "18446744073709551620", "99999999999999999999999999", String(repeating: "9", count: 400)])
    func anIntegerBeyond64BitsIsAnIntegerWithoutAValue(text: String) {
        #expect(unsigned(text) == .some(nil))
    }

    @Test(arguments: [
        "", " ", "-0", "-1", "+1", "01", "00", "7.0", "7.5", "0.0", "7e0", "1E3", "7e", "7.", ".7", "0x10", "1_000", "7n", "\"7\"", "null",
        "true", "{}", "[7]", "NaN", "Infinity", "7 7", "7,", "\u{0b}7", "7\0", "\u{feff}7", "७", "18446744073709551616.0",
    ])
    func whatIsNotAnInteger(text: String) {
        #expect(unsigned(text) == nil)
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", -0.0), ("0.0", 0), ("1", 1), ("-1", -1), ("1.5", 1.5), ("1e3", 1000), ("1E+2", 100), ("1e-2", 0.01),
            ("0.1", 0.1), ("0e9999", 0), ("1e22", 1e22), ("1e23", 1e23), ("9007199254740993", 9_007_199_254_740_992),
            ("179769313486231570e291", .greatestFiniteMagnitude), ("4.9e-324", .leastNonzeroMagnitude), ("1e-400", 0),
            ("18446744073709551617", 0x1p64),
            ("-36893488147419103233", -0x1p65), ("0.18446744073709551617", 0.1844674407370955),
            ("1e-99999999999999999999", 0), ("0e99999999999999999999", 0), ("123456789012345678901234567890", 1.2345678901234568e29),
            ("0.000000000000000000000000000001", 1e-30), ("0." + String(repeating: "1", count: 1000), 1.0 / 9),
        ] as [(String, Double)])
    func realsAreTheNearestDouble(text: String, value: Double) {
        #expect(double(text)?.bitPattern == value.bitPattern)
    }

    @Test(arguments: [
        "", "-", "+1", ".5", "5.", "-.5", "01", "-01", "00.5", "1e", "1e+", "1.e1", "1e1.5", "1.5.5", "0x1p3", "1_0", "--1", "1e--1", "nan",
        "NaN",
        "-NaN", "inf", "Infinity", "-Infinity", "\"1\"", "null", "1f", "1,5", "1e400", "-1e400", "1e99999999999999999999",
        "179769313486231581e291", "1/2", "{}", "[]",
    ])
    func whatIsNotAReal(text: String) {
        #expect(double(text) == nil)
        #expect(float(text) == nil)
    }

    /// Rows where rounding to `Double` first would land on the half-way and go wrong, and the ends of the range.
    @Test(
        arguments: [
            ("1.00000005960464477540", Float(1).nextUp), ("1.00000005960464477539", 1), ("1.00000005960464477538", 1),
            ("1.000000059604644775390625", 1), ("1.0000000596046447753906250000000000000000001", Float(1).nextUp),
            ("1.00000017881393432617187500", Float(1).nextUp.nextUp), ("1.00000017881393432617187499", Float(1).nextUp),
            ("18446744073709551617", 0x1p64), ("16777217", 16_777_216), ("16777219", 16_777_220), ("16777217.0000000001", 16_777_218),
            ("3.4028235e38", .greatestFiniteMagnitude),
            ("340282346638528859811704183484516925440", .greatestFiniteMagnitude),
            ("340282356779733661637539395458142568447", .greatestFiniteMagnitude), ("1e-45", .leastNonzeroMagnitude),
            ("7.006492321624085354618e-46", 0), ("7.006492321624085354619e-46", .leastNonzeroMagnitude), ("1e-400", 0), ("-0.0", -0.0),
            ("1.1754944e-38", .leastNormalMagnitude), ("0.01", 0.01), ("10", 10),
        ] as [(String, Float)])
    func realsAreTheNearestFloatRoundedOnce(text: String, value: Float) {
        #expect(float(text)?.bitPattern == value.bitPattern)
        #expect(float("-" + text.drop { $0 == "-" })?.magnitude == value.magnitude)
    }

    @Test(arguments: ["340282356779733661637539395458142568448", "3.4028236e38", "1e39", "-1e39"])
    func whatOverflowsFloatIsMalformedForFloatOnly(text: String) {
        #expect(float(text) == nil)
        #expect(double(text) != nil)
    }

    @Test func anyDecimalIsReadAsTheCLibraryReadsIt() throws {
        var random = SplitMix64(seed: 3)
        for _ in 0..<50_000 {
            let text = Self.decimal(&random)
            // In the "C" locale of a test run these are correctly rounded.
            let (expected, single) = (strtod(text, nil), strtof(text, nil))
            let (found, foundSingle) = (double(text), float(text))
            try #require(found?.bitPattern == (expected.isFinite ? expected.bitPattern : nil), "\(text)")
            try #require(foundSingle?.bitPattern == (single.isFinite ? single.bitPattern : nil), "\(text)")
        }
    }

    /// A decimal that is short, long, half-way between two floats, or near the ends of a range.
    private static func decimal(_ random: inout SplitMix64) -> String {
        let sign = Bool.random(using: &random) ? "-" : ""
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            return sign + "\(UInt64.random(in: 0...99_999, using: &random)).\(UInt64.random(in: 0...999_999, using: &random))"
        case 1:
            return sign + "\(random.next())e\(Int.random(in: -360...300, using: &random))"
        case 2:
            let low = Float(bitPattern: UInt32.random(in: 0..<0x7f00_0000, using: &random))
            let halfWay = (Double(low) + Double(low.nextUp)) / 2
            return sign + String(format: "%.*e", Int.random(in: 5...40, using: &random), halfWay)
        default:
            return sign + "0.\(String(repeating: "0", count: Int.random(in: 0..<30, using: &random)))\(random.next())"
        }
    }

    private func unsigned(_ text: String) -> UInt64?? { read(text.utf8) { json throws(MalformedJSON) in try json.unsigned() } }
    private func double(_ text: String) -> Double? { read(text.utf8) { json throws(MalformedJSON) in try json.double() } }
    private func float(_ text: String) -> Float? { read(text.utf8) { json throws(MalformedJSON) in try json.float() } }
}
