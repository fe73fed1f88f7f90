/// Lists of small integers, which are most of what a transient message is made of, by a table of three digits.
enum HistogramDigits {
    /// "000," to "999," as words, the first digit lowest: 4 KB, made once.
    private static let groups: [UInt32] = (0..<1000).map { number in
        let digits = [number / 100, number / 10 % 10, number % 10].map { UInt32($0) + 0x30 }
        return digits[0] | digits[1] << 8 | digits[2] << 16 | UInt32(UInt8(ascii: ",")) << 24
    }

    /// The most bytes that `count` numbers take, their commas and the whole word at the end included.
    static func longest(_ count: Int) -> Int { 6 * count + 4 }

    /// Writes the numbers with a comma behind each; needs room for `longest` bytes.
    static func write(_ numbers: UnsafeBufferPointer<UInt16>, to: OutputPointer) -> OutputPointer {
        groups.withUnsafeBufferPointer { groups in
            guard let groups = groups.baseAddress else { return to }
            var end = to
            for number in numbers {
                var group = Int(number)
                if group >= 1000 {
                    let thousands = group / 1000
                    group -= 1000 * thousands
                    let zeros = thousands < 10 ? 2 : 1
                    store(groups[thousands] >> UInt32(8 * zeros), to: end)
                    // The tail's first digit takes the comma's place.
                    end += 3 - zeros
                    store(groups[group], to: end)
                    end += 4
                } else {
                    let zeros = (group < 10 ? 1 : 0) + (group < 100 ? 1 : 0)
                    store(groups[group] >> UInt32(truncatingIfNeeded: 8 * zeros), to: end)
                    end += 4 - zeros
                }
            }
            return end
        }
    }

    @inline(__always)
    private static func store(_ word: UInt32, to: OutputPointer) {
        UnsafeMutableRawPointer(to).storeBytes(of: word.littleEndian, as: UInt32.self)
    }
}
