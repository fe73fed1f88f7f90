import Foundation
import Testing

@testable import NLOSCore

/// What the writer makes of one value.
private func written(_ write: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    write(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
}

@Suite struct JSONWriterTests {
    @Test func commasStandBetweenAndNowhereElse() {
        let text = written { json in
            json.beginObject()
            json.key("empty")
            json.beginObject()
            json.endObject()
            json.key("list")
            json.beginArray()
            json.value(1)
            json.beginArray()
            json.endArray()
            json.value("two")
            json.null()
            json.endArray()
            json.key("yes")
            json.value(true)
            json.key("no")
            json.value(false)
            json.endObject()
            json.endLine()
            json.beginArray()
            json.endArray()
        }
        #expect(text == #"{"empty":{},"list":[1,[],"two",null],"yes":true,"no":false}"# + "\n[]")
    }

    @Test func forgettingStartsANewDocument() {
        var json = JSONWriter()
        json.value(1)
        json.removeAll()
        json.value(2)
        #expect(json.bytes == Array("2".utf8))
    }

    @Test(arguments: [
        ("", #""""#), ("plain", #""plain""#), ("a\"b\\c", #""a\"b\\c""#), ("\u{8}\t\n\u{c}\r", #""\b\t\n\f\r""#),
        ("\u{0}\u{1f}\u{7f}", #""\u0000\u001f\u007f""#), ("é\u{2028}😀", "\"é\u{2028}😀\""),
    ])
    func stringsAreEscaped(text: String, json: String) throws {
        let found = written { $0.value(text) }
        #expect(found == json)
        #expect(try JSONSerialization.jsonObject(with: Data(found.utf8), options: .fragmentsAllowed) as? String == text)
    }

    @Test func integersOfEveryLength() {
        #expect(written { $0.value(Int64.min) } == "-9223372036854775808")
        #expect(written { $0.value(UInt64.max) } == "18446744073709551615")
        #expect(written { $0.value(Int8(-128)) } == "-128")
        var number: UInt64 = 1
        for _ in 0..<19 {
            for near in [number - 1, number, number + 1] { #expect(written { $0.value(near) } == "\(near)") }
            number *= 10
        }
    }

    @Test func listsOfNumbers() {
        let numbers: [UInt16] = [0, 9, 10, 99, 100, 999, 1000, 9999, 10000, 65535]
        #expect(written { $0.value(numbers.span) } == "[0,9,10,99,100,999,1000,9999,10000,65535]")
        #expect(written { $0.value([UInt16]().span) } == "[]")
    }

    @Test func absentValuesAreNull() {
        #expect(written { $0.value(Float?.none) } == "null")
        #expect(written { $0.value(Int?.none) } == "null")
        #expect(written { $0.value(String?.none) } == "null")
        #expect(written { $0.value(Optional(0.5)) } == "0.5")
        for number in [Double.nan, .infinity, -.infinity] {
            #expect(written { $0.value(number) } == "null")
            #expect(written { $0.value(Float(number)) } == "null")
        }
    }

    @Test(arguments: [
        (0, "0"), (-0.0, "-0"), (1, "1"), (250, "250"), (-1, "-1"), (0.1, "0.1"), (0.01, "0.01"), (1.5, "1.5"), (123.25, "123.25"),
        (1e-6, "0.000001"), (1e-7, "1e-7"), (1.25e-7, "1.25e-7"), (1e20, "100000000000000000000"), (1e21, "1e21"), (1.5e22, "1.5e22"),
    ])
    func realsOfEveryLayout(number: Double, text: String) {
        #expect(written { $0.value(number) } == text)
        #expect(written { $0.value(Float(number)) } == text)
    }

    @Test(arguments: [
        (Float.pi, "3.1415925"), (.greatestFiniteMagnitude, "3.4028235e38"), (.leastNonzeroMagnitude, "1e-45"),
        (.leastNormalMagnitude, "1.1754944e-38"), (16_777_216, "16777216"), (0.3, "0.3"), (8_388_608.5, "8388608"),
        (9.5367e-7, "9.5367e-7"), (33_554_432, "33554432"), (67_108_864, "67108864"),
    ])
    func floats(number: Float, text: String) {
        #expect(written { $0.value(number) } == text)
    }

    @Test(arguments: [
        (Double.pi, "3.141592653589793"), (.greatestFiniteMagnitude, "1.7976931348623157e308"), (.leastNonzeroMagnitude, "5e-324"),
        (0.1 + 0.2, "0.30000000000000004"), (9_007_199_254_740_992, "9007199254740992"), (1.23e17, "123000000000000000"),
    ])
    func doubles(number: Double, text: String) {
        #expect(written { $0.value(number) } == text)
    }

    @Test func anyFloatReadsBackToItselfAndIsTheShortest() throws {
        var random = SplitMix64(seed: 1)
        var json = JSONWriter()
        for _ in 0..<100_000 {
            let number = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
            guard number.isFinite else { continue }
            json.removeAll()
            json.value(number)
            let text = String(decoding: json.bytes, as: UTF8.self)
            try #require(strtof(text, nil).bitPattern == number.bitPattern)
            // The standard library's is known to be the shortest; both must have the same digits.
            try #require(digits(text) == digits(number.description), "\(text) is not as short as \(number)")
        }
    }

    @Test func anyDoubleReadsBackToItself() throws {
        var random = SplitMix64(seed: 2)
        var json = JSONWriter()
        for _ in 0..<100_000 {
            let number = Double(bitPattern: random.next())
            guard number.isFinite else { continue }
            json.removeAll()
            json.value(number)
            try #require(strtod(String(decoding: json.bytes, as: UTF8.self), nil).bitPattern == number.bitPattern)
        }
    }

    /// The significant digits of a decimal, without sign, point, exponent, and zeros at either end.
    private func digits(_ text: String) -> String {
        let mantissa = text.prefix { $0 != "e" }.filter { $0.isNumber }
        let leading = mantissa.drop { $0 == "0" }
        return String(leading.reversed().drop { $0 == "0" }.reversed())
    }
}
