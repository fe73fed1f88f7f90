import Testing

@testable import TrackMonitor

struct UTF8CheckTests {
    /// Nil while nothing is wrong, else where the text cannot be UTF-8 any more.
    private func breach(_ bytes: [UInt8]) -> Int? {
        var check = UTF8Check()
        for (index, byte) in bytes.enumerated() where !withUnsafeBytes(of: byte, { check.accepts($0) }) { return index }
        return check.isComplete ? nil : bytes.count
    }

    @Test("Every two-byte beginning is judged as the standard library judges it") func pairs() {
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                for tail in [[], [0x80], [0x80, 0x80], [0x41]] as [[UInt8]] {
                    let bytes = [first, second] + tail
                    #expect((breach(bytes) == nil) == (String(validating: bytes, as: UTF8.self) != nil), "\(bytes)")
                }
            }
        }
    }

    static let breaches: [([UInt8], Int)] = [
        ([0xc0, 0x80], 0), ([0xed, 0xa0, 0x80], 1), ([0xf4, 0x90, 0x80, 0x80], 1), ([0xff], 0), ([0xe2, 0x82], 2), ([0xe0, 0x9f, 0xbf], 1),
        ([0xf0, 0x8f, 0xbf, 0xbf], 1), ([0xf5], 0), ([0x61, 0x80], 1), ([0xf0, 0x9f, 0x98, 0x41], 3),
    ]

    @Test("The first byte that cannot be right is the one that is refused", arguments: breaches)
    func place(bytes: [UInt8], index: Int) { #expect(breach(bytes) == index) }

    @Test("A breach is found behind ASCII of every length and at every offset of the fast way") func offsets() {
        for count in 0..<40 {
            let ascii = [UInt8](repeating: 0x61, count: count)
            for tail in [[0xf0, 0x9f, 0x98, 0x80], [0xff], [0x80]] as [[UInt8]] {
                let bytes = ascii + tail + ascii
                var check = UTF8Check()
                let accepted = bytes.withUnsafeBytes { check.accepts($0) } && check.isComplete
                #expect(accepted == (tail.count == 4))
            }
        }
    }
}
