import Foundation
import Testing

@testable import NLOSCore

@Suite struct JSONReaderStructureTests {
    private enum PairKey: String, JSONKey {
        case a, histogramPreserved
        static let table = JSONKeyTable<Self>()
    }

    private static func pair(_ text: some Sequence<UInt8>) -> [UInt64?]? {
        read(text) { json throws(MalformedJSON) in
            var values: [UInt64?] = [nil, nil]
            var members = try json.object(PairKey.self)
            while let key = try members.next(&json) {
                switch key {
                case .a: values[0] = try json.unsigned()
                case .histogramPreserved: values[1] = try json.unsigned()
                }
            }
            return values
        }
    }

    @Test(arguments: [
        #"{"a":1,"histogramPreserved":2}"#,
        #"{"histogramPreserved":2,"a":1}"#,
        " {\t\"a\"\n: 1 ,\r\n\"histogramPreserved\" :2 } \n",
        #"{"\u0061":1,"\u0068istogramPreserve\u0064":2}"#,
    ])
    func everyKeyOnceInAnyOrder(text: String) {
        #expect(Self.pair(text.utf8) == [1, 2])
    }

    @Test(
        arguments: [
            ("empty message", ""),
            ("empty object", "{}"),
            ("missing key", #"{"a":1}"#),
            ("missing first key", #"{"histogramPreserved":2}"#),
            ("duplicate key", #"{"a":1,"histogramPreserved":2,"a":1}"#),
            ("duplicate instead of another", #"{"a":1,"a":1}"#),
            ("duplicate by escape", #"{"a":1,"histogramPreserved":2,"\u0061":1}"#),
            ("duplicate of an escaped one", #"{"\u0061":1,"a":1,"histogramPreserved":2}"#),
            ("unknown key", #"{"a":1,"histogramPreserved":2,"b":3}"#),
            ("unknown key first", #"{"b":3,"a":1,"histogramPreserved":2}"#),
            ("unknown null key", #"{"a":1,"histogramPreserved":2,"b":null}"#),
            ("empty key", #"{"a":1,"histogramPreserved":2,"":3}"#),
            ("key in another case", #"{"A":1,"histogramPreserved":2}"#),
            ("key with a joiner", "{\"a\u{200d}\":1,\"histogramPreserved\":2}"),
            ("shorter key", #"{"a":1,"histogramPreserve":2}"#),
            ("longer key", #"{"a":1,"histogramPreserved2":2}"#),
            ("key that differs in the first word", #"{"a":1,"hiztogramPreserved":2}"#),
            ("key that differs in the second word", #"{"a":1,"histogramPrezerved":2}"#),
            ("key that differs at the end", #"{"a":1,"histogramPreservez":2}"#),
            ("key without quotes", #"{a:1,"histogramPreserved":2}"#),
            ("key in single quotes", #"{'a':1,"histogramPreserved":2}"#),
            ("number as key", #"{1:1,"a":1,"histogramPreserved":2}"#),
            ("trailing comma", #"{"a":1,"histogramPreserved":2,}"#),
            ("leading comma", #"{,"a":1,"histogramPreserved":2}"#),
            ("double comma", #"{"a":1,,"histogramPreserved":2}"#),
            ("no comma", #"{"a":1 "histogramPreserved":2}"#),
            ("no colon", #"{"a" 1,"histogramPreserved":2}"#),
            ("no value", #"{"a":,"histogramPreserved":2}"#),
            ("equals sign", #"{"a"=1,"histogramPreserved":2}"#),
            ("line comment", "{\"a\":1,// one\n\"histogramPreserved\":2}"),
            ("block comment", #"{"a":1,/* one */"histogramPreserved":2}"#),
            ("comment behind", #"{"a":1,"histogramPreserved":2} // two"#),
            ("not closed", #"{"a":1,"histogramPreserved":2"#),
            ("closed by a bracket", #"{"a":1,"histogramPreserved":2]"#),
            ("closed twice", #"{"a":1,"histogramPreserved":2}}"#),
            ("second object", #"{"a":1,"histogramPreserved":2}{}"#),
            ("text behind", #"{"a":1,"histogramPreserved":2} x"#),
            ("NUL behind", "{\"a\":1,\"histogramPreserved\":2}\0"),
            ("NUL between tokens", "{\"a\":1,\0\"histogramPreserved\":2}"),
            ("BOM", "\u{feff}{\"a\":1,\"histogramPreserved\":2}"),
            ("BOM behind", "{\"a\":1,\"histogramPreserved\":2}\u{feff}"),
            ("vertical tab in front", "\u{0b}{\"a\":1,\"histogramPreserved\":2}"),
            ("form feed", "{\u{0c}\"a\":1,\"histogramPreserved\":2}"),
            ("no-break space", "{\u{a0}\"a\":1,\"histogramPreserved\":2}"),
            ("array around", #"[{"a":1,"histogramPreserved":2}]"#),
            ("top level null", "null"),
            ("top level number", "0"),
            ("top level string", #""{}""#),
        ] as [(String, String)])
    func whatIsNotThisObject(name: String, text: String) {
        #expect(Self.pair(text.utf8) == nil, "\(name)")
    }

    @Test func cutAnywhereItIsMalformed() {
        let text = Array(#"{"a":1,"histogramPreserved":2}"#.utf8)
        for count in text.indices { #expect(Self.pair(text.prefix(count)) == nil) }
        #expect(Self.pair(text) != nil)
    }

    @Test(arguments: [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32, .utf32LittleEndian])
    func otherEncodingsAreMalformed(encoding: String.Encoding) throws {
        let bytes = try #require(#"{"a":1,"histogramPreserved":2}"#.data(using: encoding))
        #expect(Self.pair(bytes) == nil)
    }

    @Test(
        arguments: [("[]", []), ("[1]", [1]), ("[1,2,3]", [1, 2, 3]), (" [ 1 , 2 ] ", [1, 2]), ("[65535,0]", [65535, 0])]
            as [(String, [UInt16])])
    func lists(text: String, values: [UInt16]) {
        #expect(Self.list(text) == values)
    }

    @Test(arguments: [
        "", "[", "]", "[1", "[1,", "[1,]", "[,1]", "[,]", "[1,,2]", "[1 2]", "[1;2]", "[1}", "[[1]]", "[null]", "[\"1\"]", "[1]]", "[1],",
        "[-1]", "[1.0]", "[01]",
    ])
    func whatIsNotAList(text: String) {
        #expect(Self.list(text) == nil)
    }

    private static func list(_ text: String) -> [UInt16]? {
        read(text.utf8) { json throws(MalformedJSON) in
            var found: [UInt16] = []
            try json.smallIntegers { found.append($0 ?? 0) }
            return found
        }
    }

    @Test func numbersAboveTheRangeAreToldApart() {
        let values = read("[65536,1,99999999999999999999]".utf8) { json throws(MalformedJSON) in
            var found: [UInt16?] = []
            try json.smallIntegers { found.append($0) }
            return found
        }
        #expect(values == [nil, 1, nil])
    }

    @Test(
        arguments: [
            ("true", true), ("false", false), (" true ", true), ("True", nil), ("tru", nil), ("truee", nil), ("1", nil), ("\"true\"", nil),
            ("null", nil),
        ] as [(String, Bool?)])
    func truths(text: String, value: Bool?) {
        #expect(read(text.utf8) { json throws(MalformedJSON) in try json.bool() } == value)
    }

    @Test func theSizeIsCheckedBeforeAnythingIsRead() {
        let verdict = Array("not JSON at all".utf8).withUnsafeBytes { bytes in
            Result { () throws(Rejection) in
                try JSONReader.read(bytes, atMost: 14) { json throws(MalformedJSON) in try json.bool() }
            }
        }
        #expect(verdict == .failure(.messageTooLarge))
    }
}
