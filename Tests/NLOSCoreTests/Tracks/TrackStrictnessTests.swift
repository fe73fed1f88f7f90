import Foundation
import NLOSCore
import Synchronization
import Testing

/// Where JSON libraries differ, through whole messages. What is not listed as accepted is malformed.
@Suite struct TrackStrictnessTests {
    private static let message = TrackFields().text

    private static func replacing(_ passage: String, with replacement: String) -> String {
        message.replacingFirst(passage, with: replacement)
    }

    @Test func eachObjectRefusesAKeyTwiceHoweverSpelled() {
        let members = [
            #""sequence":7"#, #""source":"live""#, #""sensorId":"st-kit-001""#, #""transport":"ruview_server""#,
            #""trackId":"hidden-target-0""#,
            #""confidence":0.88"#, #""x":1.25"#, #""x":0.1"#, #""x":0.04"#, #""lidar":0.7"#, #""csi":0.3"#,
        ]
        for member in members {
            let name = member.split(separator: "\"")[0]
            let escaped = "\\u00" + String(name.utf8.first!, radix: 16) + name.dropFirst()
            let spelled = member.replacingFirst(String(name), with: escaped)
            #expect(trackVerdict(Self.replacing(member, with: spelled).utf8) == nil, "\(spelled)")
            for copy in [member, spelled] {
                #expect(trackVerdict(Self.replacing(member, with: "\(member),\(copy)").utf8) == .malformed, "\(copy)")
                #expect(trackVerdict(Self.replacing(member, with: "\(copy),\(member)").utf8) == .malformed, "\(copy)")
            }
            // Missing, unknown, null.
            #expect(trackVerdict(Self.replacing(member, with: #""extra":0"#).utf8) == .malformed)
            #expect(trackVerdict(Self.replacing(member, with: "\(member),\"extra\":null").utf8) == .malformed)
            #expect(trackVerdict(Self.replacing(member, with: "\"\(name)\":null").utf8) == .malformed)
            #expect(trackVerdict(Self.replacing(member, with: "\"\(name)\":[\(member.split(separator: ":")[1])]").utf8) == .malformed)
        }
        for whole in ["provenance", "tracks", "positionM", "velocityMps", "covarianceDiagonalM2", "modalityContributions"] {
            let value = TrackFields().values[whole]!
            #expect(trackVerdict(Self.replacing(value, with: "\(value),\"\(whole)\":\(value)").utf8) == .malformed)
        }
    }

    @Test func keysInAnyOrder() {
        let fields = TrackFields()
        let reversed = Self.message.dropFirst().dropLast()
            .replacing(fields.values["provenance"]!, with: "P").replacing(fields.values["tracks"]!, with: "T")
            .split(separator: ",").reversed().joined(separator: ",")
            .replacing("P", with: fields.values["provenance"]!, maxReplacements: 1)
        // "T" stands for the tracks only where it follows the key.
        #expect(trackVerdict("{\(reversed.replacing(":T", with: ":" + fields.values["tracks"]!))}".utf8) == nil)
        for key in ["Sequence", "sequence ", " sequence", "sequenc", "sequence\u{200d}", #"sequence\u0000"#, ""] {
            #expect(trackVerdict(Self.replacing("\"sequence\"", with: "\"\(key)\"").utf8) == .malformed, "\(key)")
        }
    }

    @Test(
        arguments: [
            ("white space between tokens", replacing(",\"sequence\":7", with: " \t\r\n, \"sequence\" : 7 "), true),
            ("white space around", " \n\t\r\(message) \n\t\r", true),
            ("vertical tab", "\u{0b}\(message)", false), ("form feed", "\(message)\u{0c}", false),
            ("no-break space", "\u{a0}\(message)", false),
            ("line separator", "\u{2028}\(message)", false), ("BOM", "\u{feff}\(message)", false),
            ("BOM behind", "\(message)\u{feff}", false),
            ("NUL behind", "\(message)\0", false), ("four NULs behind", "\(message)\0\0\0\0", false),
            ("NUL in front", "\0\(message)", false),
            ("NUL between", replacing(",", with: ",\0"), false), ("NUL in a string", replacing("lab-run", with: "lab\0run"), false),
            ("escaped NUL", replacing("lab-run", with: #"lab\u0000run"#), false),
            ("second object", "\(message){}", false), ("second message", "\(message)\(message)", false),
            ("comma behind", "\(message),", false),
            ("brace behind", "\(message)}", false), ("word behind", "\(message)x", false), ("comment behind", "\(message) // x", false),
            ("comment in front", "/* x */\(message)", false), ("comment inside", replacing(",", with: ",/**/"), false),
            ("hash comment", "\(message)\n# x", false), ("array around", "[\(message)]", false),
            ("trailing comma", String(message.dropLast()) + ",}", false), ("leading comma", "{,\(message.dropFirst())", false),
            ("double comma", replacing(",", with: ",,"), false), ("no comma", replacing(",\"sequence\"", with: " \"sequence\""), false),
            ("trailing comma in a vector", replacing("\"z\":-2.5", with: "\"z\":-2.5,"), false),
            ("trailing comma in the list", replacing("}]}", with: "},]}"), false),
            ("single quotes", message.replacing("\"", with: "'"), false), ("no quotes", replacing("\"sequence\"", with: "sequence"), false),
            ("equals sign", replacing("\"sequence\":", with: "\"sequence\"="), false),
            ("raw tab", replacing("lab-run", with: "lab\trun"), false),
            ("raw line feed", replacing("lab-run", with: "lab\nrun"), false),
            ("unknown escape", replacing("lab-run", with: #"lab\x2drun"#), false),
            ("capital escape", replacing("lab-run", with: #"lab\U002drun"#), false),
            ("short escape", replacing("lab-run", with: #"lab\u12"#), false),
            ("signed escape", replacing("lab-run", with: #"lab\u+02drun"#), false),
            ("escaped hyphen", replacing("lab-run", with: #"lab\u002Drun"#), true),
            ("high surrogate", replacing("lab-run", with: #"lab\ud83d"#), false),
            ("low surrogate", replacing("lab-run", with: #"lab\ude00"#), false),
            ("pair reversed", replacing("lab-run", with: #"\ude00\ud83d"#), false),
            ("two high", replacing("lab-run", with: #"\ud83d\ud83d"#), false),
            ("high and letter", replacing("lab-run", with: #"\ud83d\u0041"#), false),
            ("surrogate in a key", replacing("sequence", with: #"\ud800"#), false),
            ("top level null", "null", false), ("top level number", "0", false), ("top level string", "\"{}\"", false),
            ("nothing", "", false),
            ("only spaces", "   ", false), ("empty object", "{}", false), ("empty array", "[]", false),
        ] as [(String, String, Bool)])
    func oneObjectAndNothingElse(name: String, text: String, accepted: Bool) {
        #expect(trackVerdict(text.utf8) == (accepted ? nil : .malformed), "\(name)")
    }

    @Test func aPairOfSurrogatesIsText() {
        // Well-formed, and no label.
        #expect(trackVerdict(["sessionId": #""lab\ud83d\ude00""#]) == .invalidField("sessionId"))
    }

    @Test(
        "bytes that are no UTF-8",
        arguments: [
            [0xc0, 0x80], [0xc1, 0xbf], [0xe0, 0x80, 0x80], [0xe0, 0x9f, 0xbf], [0xed, 0xa0, 0x80], [0xed, 0xbf, 0xbf],
            [0xf0, 0x80, 0x80, 0x80],
            [0xf0, 0x8f, 0xbf, 0xbf], [0xf4, 0x90, 0x80, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xff], [0xfe], [0x80], [0xbf], [0xe2, 0x82],
            [0xf0, 0x9f, 0x98],
            [0xc3], [0xc3, 0x28], [0xe2, 0x28, 0xa1], [0xe2, 0x82, 0x28], [0xf8, 0x88, 0x80, 0x80, 0x80],
        ] as [[UInt8]])
    func invalidUTF8(bytes: [UInt8]) {
        for place in ["lab-run-001", "sequence", "hidden-target-0", "live"] {
            let parts = Self.message.components(separatedBy: place)
            #expect(trackVerdict(Array(parts[0].utf8) + bytes + Array(parts.dropFirst().joined(separator: place).utf8)) == .malformed)
        }
        #expect(trackVerdict(bytes + Array(Self.message.utf8)) == .malformed)
        #expect(trackVerdict(Array(Self.message.utf8) + bytes) == .malformed)
    }

    @Test(arguments: [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32, .utf32LittleEndian, .utf32BigEndian])
    func otherEncodings(encoding: String.Encoding) throws {
        #expect(trackVerdict(try #require(Self.message.data(using: encoding))) == .malformed)
    }

    @Test func cutAnywhereItIsMalformed() {
        let message = Array(Self.message.utf8)
        for count in message.indices { #expect(trackVerdict(message.prefix(count)) == .malformed) }
    }

    @Test func theLongestMessage() {
        let room = TrackEnvelope.longestMessage - Self.message.utf8.count
        for spaces in [" ", "\n", "\t", "\r", " \n"] {
            let padding = String(String(repeating: spaces, count: room).prefix(room))
            for place in [padding + Self.message, Self.message + padding, Self.replacing(",", with: ",\(padding)")] {
                #expect(trackVerdict(place.utf8) == nil)
                #expect(trackVerdict((place + " ").utf8) == .messageTooLarge)
            }
        }
        #expect(trackVerdict(Array(repeating: 0, count: TrackEnvelope.longestMessage + 1)) == .messageTooLarge)
    }

    @Test("nesting as deep as a message is long takes no stack", arguments: ["[", "{\"a\":", "{\"tracks\":", "[{\"tracks\":"])
    func deepNesting(opening: String) {
        let deep = String(repeating: opening, count: 131_072 / opening.utf8.count * 2)
        let verdicts = onSmallStack {
            [
                trackVerdict(deep.utf8), trackVerdict(Self.replacing("{\"schema\"", with: "{\"extra\":\(deep.prefix(200_000))").utf8),
                trackVerdict(TrackFields(["tracks": "[" + deep.prefix(200_000)]).text.utf8),
                trackVerdict(TrackFields(["positionM": String(deep.prefix(200_000))]).text.utf8),
            ]
        }
        #expect(verdicts == [.malformed, .malformed, .malformed, .malformed])
    }

    @Test func oneLevelTooDeep() {
        for path in ["sessionId", "sequence", "positionM", "confidence", "tracks"] {
            let value = TrackFields().values[path]!
            #expect(trackVerdict([path: "[\(value)]"]) == .malformed)
            #expect(trackVerdict([path: "{\"a\":\(value)}"]) == .malformed)
        }
    }

    /// Runs the body on a thread with so little stack that a call a level would not fit.
    private func onSmallStack(_ body: @escaping @Sendable () -> [Rejection?]) -> [Rejection?] {
        let result = Box()
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            let verdicts = body()
            result.verdicts.withLock { $0 = verdicts }
            done.signal()
        }
        thread.stackSize = 128 * 1024
        thread.start()
        done.wait()
        return result.verdicts.withLock { $0 }
    }

    private final class Box: Sendable { let verdicts = Mutex<[Rejection?]>([]) }
}
