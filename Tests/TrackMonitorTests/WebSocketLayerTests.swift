import NLOSCore
import Testing

@testable import TrackMonitor

/// Byte sequences, as a server could send them.
struct WebSocketLayerTests {
    /// What came out, in words, up to the breach.
    private func play(_ bytes: [UInt8], cut: Int? = nil) throws -> [String] {
        let layer = try WebSocketLayer()
        var words: [String] = []
        let pieces = cut.map { [bytes[..<$0], bytes[$0...]] } ?? [bytes[...]]
        for piece in pieces { words += feed(Array(piece), to: layer) }
        return words
    }

    private func feed(_ bytes: [UInt8], to layer: WebSocketLayer) -> [String] {
        var words: [String] = []
        bytes.withUnsafeBytes { bytes in
            layer.feed(bytes)
            do throws(WebSocketBreach) {
                while let incoming = try layer.next() { words.append(Self.words(incoming)) }
            } catch { words.append("\(error.closeCode) \(error)") }
        }
        return words
    }

    private static func words(_ incoming: WebSocketLayer.Incoming) -> String {
        switch incoming {
        case .text(let bytes): "text \(String(decoding: bytes, as: UTF8.self))"
        case .binary: "binary"
        case .ping: "ping"
        case .pong: "pong"
        case .close(let code, let reason): "close \(code.map(String.init) ?? "-") \(String(decoding: reason, as: UTF8.self))"
        }
    }

    struct Row: CustomTestStringConvertible {
        let bytes: [UInt8]
        let words: [String]
        init(_ bytes: [UInt8], _ words: String...) { (self.bytes, self.words) = (bytes, words) }
        var testDescription: String { "\(words) from \(bytes.prefix(20).map { String($0, radix: 16) })" }
    }

    private static let hello = Array("Hello".utf8)

    static let rows = [
        Row([0x81, 5] + hello, "text Hello"), Row([0x81, 0], "text "),
        Row([1, 3] + hello[..<3] + [0x80, 2] + hello[3...], "text Hello"),
        Row([1, 3] + hello[..<3] + [0x89, 1, 7] + [0x80, 2] + hello[3...], "ping", "text Hello"),
        Row([1, 0, 0, 0, 0x80, 1, 0x61], "text a"),
        Row([0x82, 2, 0xff, 0xfe, 0x81, 1, 0x61], "binary", "text a"), Row([2, 1, 0xff, 0x80, 1, 0xff], "binary"),
        Row([0x89, 0, 0x8a, 2, 1, 2], "ping", "pong"),
        Row([0x81, 0x7e, 0, 126] + [UInt8](repeating: 0x61, count: 126), "text " + String(repeating: "a", count: 126)),
        // The end: what follows it is not looked at.
        Row([0x88, 0, 0x81, 1, 0x61], "close - "), Row([0x88, 2, 3, 0xe8], "close 1000 "),
        Row([0x88, 5, 0x0f, 0xa0, 0x62, 0x79, 0x65], "close 4000 bye"),
        Row([0x88, 2, 3, 0xf4], "close 1012 "),
        // B68: masked.
        Row([0x81, 0x85, 0, 0, 0, 0] + hello, "1002 masked"), Row([0x88, 0x82, 0, 0, 0, 0, 3, 0xe8], "1002 masked"),
        Row([0x89, 0x80, 0, 0, 0, 0], "1002 masked"), Row([0x81, 1, 0x61, 0x81, 0x80], "text a", "1002 masked"),
        // B70: text.
        Row([0x81, 2, 0xce, 0xba], "text \u{3ba}"), Row([1, 1, 0xce, 0x80, 1, 0xba], "text \u{3ba}"),
        Row([1, 5, 0xce, 0xba, 0xe1, 0xbd, 0xb9, 0x00, 3, 0xed, 0xa0, 0x80], "1007 text"),
        Row([1, 5, 0xce, 0xba, 0xe1, 0xbd, 0xb9, 0, 3, 0xed, 0xa0], "1007 text"),
        Row([0x81, 1, 0xff], "1007 text"), Row([0x81, 9, 0xff], "1007 text"), Row([0x81, 2, 0xe2, 0x82], "1007 text"),
        Row([0x81, 2, 0xc0, 0x80], "1007 text"),
        Row([0x88, 4, 3, 0xe8, 0xed, 0xa0], "1007 text"), Row([0x88, 3, 3, 0xe8, 0xe2], "1007 text"),
        // B72: lengths, from the header alone.
        Row([0x81, 0x7f, 0, 0, 0, 1, 0, 0, 0, 0], "1009 messageTooLarge"),
        Row([0x81, 0x7f, 0, 0, 0, 0, 0, 4, 0, 1], "1009 messageTooLarge"),
        Row([0x82, 0x7f, 0, 0, 0, 0, 0, 4, 0, 1], "1009 messageTooLarge"), Row([0x81, 0x7f, 0, 0, 0, 0, 0, 4, 0, 0]),
        Row([1, 1, 0x61, 0x80, 0x7f, 0, 0, 0, 0, 0, 4, 0, 0], "1009 messageTooLarge"),
        Row([0x81, 0x7f, 0x80, 0, 0, 0, 0, 0, 0, 1], "1002 lengthForm"),
        Row([0x81, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], "1002 lengthForm"),
        Row([0x81, 0x7e, 0, 5] + hello, "1002 lengthForm"), Row([0x81, 0x7f, 0, 0, 0, 0, 0, 0, 0xff, 0xff], "1002 lengthForm"),
        Row([1, 0] + Array(repeating: [0, 0], count: 30).flatMap(\.self), "1002 emptyFragments"),
        // Everything that RFC 6455 reserves or forbids.
        Row([0xc1, 0], "1002 reservedBits"), Row([0xa1, 0], "1002 reservedBits"), Row([0x91, 0], "1002 reservedBits"),
        Row([0x83, 0], "1002 reservedOpcode(3)"), Row([0x87, 0], "1002 reservedOpcode(7)"), Row([0x8b, 0], "1002 reservedOpcode(11)"),
        Row([0x8f, 0], "1002 reservedOpcode(15)"),
        Row([0x09, 0], "1002 controlFrame"), Row([0x08, 2, 3, 0xe8], "1002 controlFrame"), Row([0x89, 126, 0, 126], "1002 controlFrame"),
        Row([0x8a, 127], "1002 controlFrame"),
        Row([0x80, 1, 0x61], "1002 order"), Row([0, 1, 0x61], "1002 order"), Row([1, 1, 0x61, 0x81, 1, 0x61], "1002 order"),
        Row([1, 1, 0x61, 2], "1002 order"),
        Row([0x88, 1, 3], "1002 closeCode(nil)"), Row([0x88, 2, 3, 0xed], "1002 closeCode(Optional(1005))"),
        Row([0x88, 2, 3, 0xee], "1002 closeCode(Optional(1006))"),
        Row([0x88, 2, 0, 0], "1002 closeCode(Optional(0))"), Row([0x88, 2, 3, 0xf7], "1002 closeCode(Optional(1015))"),
        Row([0x88, 2, 3, 0xec], "1002 closeCode(Optional(1004))"),
        Row([0x88, 2, 0x13, 0x88], "1002 closeCode(Optional(5000))"), Row([0x88, 2, 7, 0xd0], "1002 closeCode(Optional(2000))"),
    ]

    @Test("What comes of the bytes, cut nowhere and cut anywhere", arguments: rows) func bytes(row: Row) throws {
        #expect(try play(row.bytes) == row.words)
        for cut in 0...row.bytes.count { #expect(try play(row.bytes, cut: cut) == row.words, "cut at \(cut)") }
        // One byte at a time.
        let layer = try WebSocketLayer()
        #expect(row.bytes.flatMap { feed([$0], to: layer) } == row.words)
    }

    @Test("The longest message, in one frame and in fragments of one byte") func longest() throws {
        let payload = [UInt8](repeating: 0x20, count: 262_144)
        let expected = ["text " + String(decoding: payload, as: UTF8.self)]
        #expect(try play([0x81, 0x7f, 0, 0, 0, 0, 0, 4, 0, 0] + payload) == expected)
        #expect(try play([1, 0] + payload.flatMap { [0, 1, $0] } + [0x80, 0]) == expected)
        #expect(try play([1, 0] + payload.flatMap { [0, 1, $0] } + [0x80, 1]) == ["1009 messageTooLarge"])
    }

    @Test("After each message the counting starts anew") func countsAnew() throws {
        let message: [UInt8] = [1, 0] + Array(repeating: [0, 0], count: 10).flatMap(\.self) + [0x80, 1, 0x61]
        #expect(try play(Array(repeating: message, count: 50).flatMap(\.self)) == Array(repeating: "text a", count: 50))
    }

    @Test("Of many pings the newest is answered, once, masked, with its payload") func pong() throws {
        let layer = try WebSocketLayer()
        #expect(layer.takePong() == nil)
        #expect(feed([0x89, 1, 1, 0x89, 3, 7, 8, 9], to: layer) == ["ping", "ping"])
        let pong = try #require(layer.takePong())
        #expect(pong.count == 9)
        #expect(pong[..<2] == [0x8a, 0x83])
        #expect(zip(pong[6...], pong[2...]).map { $0 ^ $1 } == [7, 8, 9])
        #expect(layer.takePong() == nil)
    }

    @Test("What the client says is masked, each time by another key") func masked() throws {
        let layer = try WebSocketLayer()
        #expect(layer.close(code: nil)[..<2] == [0x88, 0x80])
        let close = layer.close(code: 1000)
        #expect(close[..<2] == [0x88, 0x82])
        #expect([close[6] ^ close[2], close[7] ^ close[3]] == [3, 0xe8])
        #expect(layer.ping()[..<2] == [0x89, 0x80])
        #expect(Set((0..<50).map { _ in layer.ping() }).count == 50)
    }

    /// A message, and behind it in the same bytes the beginning of one that is much longer than what wslay reads ahead.
    private static let two: (beginning: [UInt8], rest: [UInt8]) = {
        let head: [UInt8] = [0x81, 2, 0x7b, 0x7d, 0x81, 0x7f, 0, 0, 0, 0, 0, 1, 0x86, 0xa0]  // 100,000 bytes
        let here = 16_000 - head.count
        return (head + filler(here), filler(100_000 - here))
    }()
    private static func filler(_ count: Int) -> [UInt8] { [UInt8](repeating: 0x61, count: count) }

    @Test("Who stops after a message and skips the rest of the bytes finds what follows as it is") func skip() throws {
        let layer = try WebSocketLayer()
        let isGoodbye = try Self.two.beginning.withUnsafeBytes { bytes in
            layer.feed(bytes)
            let first = try layer.next().map(Self.words)
            #expect(first == "text {}")
            return try layer.skip()
        }
        #expect(!isGoodbye)
        let long = "text " + String(repeating: "a", count: 100_000)
        #expect(feed(Self.two.rest + [0x81, 1, 0x62], to: layer) == [long, "text b"])
    }

    @Test("What is skipped may hold the goodbye, or a breach; nothing follows either") func skippedEnd() throws {
        for (bytes, isGoodbye) in [([0x81, 0, 0x81, 0, 0x88, 0], true), ([0x81, 0, 0x83, 0], false)] as [([UInt8], Bool)] {
            let layer = try WebSocketLayer()
            let skipped = try bytes.withUnsafeBytes { bytes in
                layer.feed(bytes)
                _ = try layer.next()
                return try? layer.skip()
            }
            #expect(skipped == (isGoodbye ? true : nil))
            #expect(feed([0x81, 1, 0x61], to: layer) == [])
        }
    }

    @Test("Were bytes lost between the check of the headers and the decoder, no message would outgrow its memory all the same")
    func outOfStep() throws {
        let layer = try WebSocketLayer()
        let first = try Self.two.beginning.withUnsafeBytes { bytes in
            layer.feed(bytes)
            return try layer.next().map(Self.words)
        }
        #expect(first == "text {}")
        // The decoder lacks what it had not read of those bytes: it takes payload for the header of a message of 16 MiB.
        var said = feed(Self.two.rest.dropLast() + [0xc2], to: layer)
        let lost = 16_000 - 4_096
        let head: [UInt8] = [0x81, 0x7e, 0x7f, 0x7f]
        let giant: [UInt8] = [0x81, 0x7f, 0, 0, 0, 0, 1, 0, 0, 0]
        said += feed(head + Self.filler(lost - 4) + giant + Self.filler(0x7f7f - lost + 4 - giant.count - 1) + [0xc2], to: layer)
        for _ in 0..<40 { said += feed(head + Self.filler(0x7f7f - 1) + [0xc2], to: layer) }
        // What was decoded before that is payload taken for messages.
        #expect(said.last == "1009 messageTooLarge")
    }

    @Test("After a breach or an end nothing is read any more") func afterwards() throws {
        let layer = try WebSocketLayer()
        #expect(feed([0x83], to: layer) == ["1002 reservedOpcode(3)"])
        #expect(feed([0x81, 1, 0x61], to: layer) == [])
        let closed = try WebSocketLayer()
        #expect(feed([0x88, 0], to: closed) == ["close - "])
        #expect(feed([0x81, 1, 0x61], to: closed) == [])
    }
}
