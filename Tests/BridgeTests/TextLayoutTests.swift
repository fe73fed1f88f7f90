import Testing

@testable import bridge

@Suite struct TextLayoutTests {
    @Test(arguments: [
        ("", 10, [""]), ("a b c", 5, ["a b c"]), ("a b c", 3, ["a b", "c"]), ("longer than that", 4, ["longer", "than", "that"]),
        ("a  b", 10, ["a b"]), ("abc def", 3, ["abc", "def"]), ("abc def", 1, ["abc", "def"]),
    ]) func wrapping(text: String, width: Int, lines: [String]) {
        #expect(wrapped(text, width: width) == lines)
    }

    @Test func padding() {
        #expect(padded("ab", to: 4) == "ab  ")
        #expect(padded("abcd", to: 4) == "abcd")
        #expect(padded("abcde", to: 4) == "abcde")
    }

    @Test(arguments: [
        (0.0, 2, "0.00"), (1.005, 1, "1.0"), (9.96, 1, "10.0"), (-0.04, 1, "0.0"), (-1.25, 2, "-1.25"), (12.5, 0, "13"),
        (0.07, 2, "0.07"), (.nan, 1, "-"), (.infinity, 1, "-"), (1e300, 1, "-"), (999_999_999.99, 1, "1000000000.0"),
    ]) func decimals(value: Double, places: Int, text: String) {
        #expect(decimal(value, places: places) == text)
    }

    @Test func hexadecimalDigits() {
        #expect(hexadecimal([0, 9, 0x0a, 0xff]) == "00090aff")
    }
}
