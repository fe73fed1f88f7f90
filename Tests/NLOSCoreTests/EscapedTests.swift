import NLOSCore
import Testing

@Suite struct EscapedTests {
    @Test(
        arguments: [
            ([], ""), (Array("plain ~ text".utf8), "plain ~ text"), ([0x1f], "\\x1f"), ([0x20], " "), ([0x7e], "~"), ([0x7f], "\\x7f"),
            ([0x00, 0x0a, 0xff], "\\x00\\x0a\\xff"), (Array("\u{1b}[2J".utf8), "\\x1b[2J"), (Array("\\x41".utf8), "\\\\x41"),
            (Array("é".utf8), "\\xc3\\xa9"),
        ] as [([UInt8], String)])
    func forATerminal(bytes: [UInt8], text: String) { #expect(escaped(bytes) == text) }

    /// Whatever comes in, nothing but printable ASCII goes out, and no two inputs look alike.
    @Test func everyByteIsSafeAndTold() {
        let texts = (UInt8.min...UInt8.max).map { escaped([$0]) }
        #expect(texts.allSatisfy { $0.utf8.allSatisfy { (0x20...0x7e).contains($0) } })
        #expect(Set(texts).count == 256)
    }
}
