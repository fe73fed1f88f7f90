import Testing

@testable import TransientSensor

/// Two readers of one grammar: the one that takes eight bytes at a time may give up on a right row, and must never take a wrong one.
@Suite struct RowReaderTests {
    static let bins = 4
    static let tokens = [
        "0", "-0", "1", "-1", "9", "10", "-10", "1234567", "-1234567", "12345678", "-12345678", "99999999", "123456789", "-123456789",
        "9223372036854775807", "-9223372036854775808", "9223372036854775808", "00", "01", "-01", "-00", "", "-", "--1", "+1", "1.", "1e3",
        "0x1", "D",
        "\u{ff}", "1\u{0}", "/", ":", "1\r", "1\t2", "5 5",
    ]

    @Test func agreeOnEveryRow() {
        var taken = 0
        for place in 0..<(Self.bins + VL53L8CHRow.head) {
            for token in Self.tokens {
                var words = (0..<(Self.bins + VL53L8CHRow.head)).map { String($0 * 37) }
                words[place] = token
                let line = Array(words.joined(separator: " ").utf8)
                var slow = [Int64](repeating: 0, count: words.count)
                let reading = slow.withUnsafeMutableBufferPointer { slow in
                    line.withUnsafeBytes { VL53L8CHRow.read($0, into: slow) }
                }
                guard let fast = fast(line) else { continue }
                taken += 1
                #expect(reading == .values(words.count) && slow[0] == 0, "\(words)")
                #expect(fast == Array(slow.dropFirst()), "\(words)")
            }
        }
        // Every well-formed token of up to eight digits, in every place but the row's number, and the zeros there.
        #expect(taken == 12 * (Self.bins + 2) + 2)
    }

    /// Ambient, distance and bins of one row, if the fast reader takes it. What follows the row must not matter.
    private func fast(_ line: [UInt8]) -> [Int64]? {
        let padding = Array("D\n0 -999 99999 9 9 9 9 9 9".utf8)
        let bytes = line + [0x0a] + padding + Array(repeating: 0xff, count: 100)
        var (ambient, distance, histogram) = (
            [Int64](repeating: 0, count: 1), [Int64](repeating: 0, count: 1), [Int64](repeating: 0, count: Self.bins)
        )
        let end = bytes.withUnsafeBytes { bytes in
            let start = bytes.baseAddress!
            let (next, row) = VL53L8CHRow.fast(
                from: start, to: start + bytes.count, first: 0, zones: 1, bins: Self.bins, ambient: &ambient, distance: &distance,
                histogram: &histogram)
            #expect(row == (next > start ? 1 : 0))
            return next - start
        }
        guard end > 0 else { return nil }
        #expect(end == line.count + 1)
        return ambient + distance + histogram
    }

    /// Near the end of the bytes the fast reader stops rather than look past them.
    @Test func neverPastTheEnd() {
        let row = Array("0 1 2 3 4 5 6\n".utf8)
        for count in 0...120 {
            // Exactly as many bytes as are given, so that the address sanitizer sees one too many.
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, count), alignment: 1)
            defer { bytes.deallocate() }
            for place in 0..<count { bytes[place] = row[place % row.count] }
            var (ambient, distance, histogram) = (
                [Int64](repeating: 0, count: 1), [Int64](repeating: 0, count: 1), [Int64](repeating: 0, count: 4)
            )
            let start = UnsafeRawPointer(bytes.baseAddress!)
            let (next, taken) = VL53L8CHRow.fast(
                from: start, to: start + count, first: 0, zones: 1, bins: 4, ambient: &ambient, distance: &distance, histogram: &histogram)
            #expect(taken == (count >= 72 ? 1 : 0))
            #expect(next - start == taken * row.count)
        }
    }
}
