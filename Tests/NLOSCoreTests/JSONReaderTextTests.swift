import Testing

@testable import NLOSCore

@Suite struct JSONReaderTextTests {
    @Test(
        arguments: [
            (#""""#, ""), (#""lab""#, "lab"), (#""a\"b\\c\/d""#, "a\"b\\c/d"), (#""\b\f\n\r\t""#, "\u{8}\u{c}\n\r\t"),
            (#""\u0041\u00e9\u212a\uFFFF""#, "A\u{e9}\u{212a}\u{ffff}"), (#""\ud83d\ude00""#, "😀"),
            (#""\uD800\uDC00\udbff\udfff""#, "\u{10000}\u{10ffff}"),
            (#""é😀\#u{7f}\#u{800}\#u{ffff}""#, "é😀\u{7f}\u{800}\u{ffff}"), (#""l\u0069ve""#, "live"),
        ] as [(String, String)])
    func stringsAreDecoded(json: String, text: String) {
        #expect(string(Array(json.utf8)).map { Array($0.utf8) } == Array(text.utf8))
    }

    @Test(arguments: [
        "", "\"", "\"a", "a\"", "'a'", "\"a\" x", #""\""#, #""\x""#, #""\a""#, #""\'""#, #""\u12""#, #""\u12"34"#, #""\u+041""#,
        #""\u00g0""#,
        #""\u 041""#, #""\U0041""#, #""\u{41}""#, #""\ud800""#, #""\udc00""#, #""\ud800x""#, #""\ud800\n""#, #""\ud800\u0041""#,
        #""\ud800\ud800""#, #""\udc00\ud800""#, #""\ud83d"\ude00"#, #""\u0000""#, "\"\n\"", "\"\t\"", "\"\0\"", "\"\u{1f}\"",
        "\"\u{1b}[2J\"",
    ])
    func whatIsNotAString(json: String) {
        #expect(string(Array(json.utf8)) == nil)
    }

    @Test(
        arguments: [
            ([0xc2, 0x80], true), ([0xdf, 0xbf], true), ([0xe0, 0xa0, 0x80], true), ([0xed, 0x9f, 0xbf], true), ([0xee, 0x80, 0x80], true),
            ([0xef, 0xbf, 0xbf], true), ([0xf0, 0x90, 0x80, 0x80], true), ([0xf4, 0x8f, 0xbf, 0xbf], true),
            ([0xc0, 0x80], false), ([0xc1, 0xbf], false), ([0xe0, 0x9f, 0xbf], false), ([0xed, 0xa0, 0x80], false),
            ([0xed, 0xbf, 0xbf], false),
            ([0xf0, 0x8f, 0xbf, 0xbf], false), ([0xf4, 0x90, 0x80, 0x80], false), ([0xf5, 0x80, 0x80, 0x80], false), ([0xff], false),
            ([0x80], false), ([0xbf], false), ([0xe2, 0x82], false), ([0xe2, 0x82, 0x22], false), ([0xc2], false),
            ([0xf0, 0x9f, 0x98], false),
            ([0xf0, 0x9f, 0x98, 0xc0], false), ([0xc2, 0xc2], false),
        ] as [([UInt8], Bool)])
    func onlyStrictUTF8(bytes: [UInt8], valid: Bool) {
        let message = [UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")]
        #expect((string(message) != nil) == valid)
        // Cut anywhere, it is malformed, and nothing is read beyond its end.
        for count in 0..<message.count { #expect(string(Array(message.prefix(count))) == nil) }
    }

    @Test(arguments: ["\"live\"", #""l\u0069ve""#, #""\u006c\u0069\u0076\u0065""#])
    func namesAreComparedDecoded(json: String) {
        #expect(read(json.utf8) { json throws(MalformedJSON) in try json.name(of: FrameSource.self) } == .live)
    }

    @Test(arguments: ["\"LIVE\"", "\"\"", "\"live \"", "\"liv\"", "\"lives\"", #""live\u0020""#, "live", "null", #"{"live":null}"#])
    func otherNamesAreMalformed(json: String) {
        #expect(read(json.utf8) { json throws(MalformedJSON) in try json.name(of: FrameSource.self) } == nil)
    }

    /// The string is copied while the message is still there.
    private func string(_ bytes: [UInt8]) -> String? { read(bytes) { json throws(MalformedJSON) in try json.text().string } }
}
