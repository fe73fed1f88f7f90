/// Rows of numbers of the cc-hardware VL53L8CH firmware: `id ambient distance bin...`, signed decimals, single spaces, one line feed.
///
/// Two readers of one grammar, `-?(0|[1-9][0-9]*)`, where `-0` reads as 0: `fast` takes eight bytes at a time and only ever
/// succeeds on a row that is right; `read` goes byte by byte, stays inside the line and names what is wrong.
enum VL53L8CHRow {
    /// Values in front of the bins: number of the row, ambient, distance.
    static let head = 3

    enum Reading: Equatable {
        /// Well-formed; more values than the buffer holds are counted and not kept.
        case values(Int)
        case fault(FrameFault)
    }

    /// Reads a whole line (without its line feed), whatever is in it.
    static func read(_ line: UnsafeRawBufferPointer, into values: UnsafeMutableBufferPointer<Int64>) -> Reading {
        var count = 0
        var position = 0
        while true {
            var negative = false
            if position < line.count, line[position] == UInt8(ascii: "-") {
                negative = true
                position += 1
            }
            let firstDigit = position
            // Gathered as a negative number: that side reaches one further.
            var value: Int64 = 0
            var overflow = false
            while position < line.count {
                let digit = line[position] &- UInt8(ascii: "0")
                guard digit < 10 else { break }
                let (tens, over) = value.multipliedReportingOverflow(by: 10)
                let (next, under) = tens.subtractingReportingOverflow(Int64(digit))
                overflow = overflow || over || under
                value = next
                position += 1
            }
            guard position > firstDigit, line[firstDigit] != UInt8(ascii: "0") || position == firstDigit + 1 else {
                return .fault(.notANumber)
            }
            let ends = position == line.count
            guard ends || line[position] == UInt8(ascii: " ") else { return .fault(.notANumber) }
            if overflow || (!negative && value == .min) { return .fault(.outOfRange) }
            if count < values.count { values[count] = negative ? value : 0 - value }
            count += 1
            if ends { return .values(count) }
            position += 1
        }
    }

    /// Takes consecutive rows, from row `first` up to `zones`, as long as they are right and lie in `start ..< end` with eight bytes to spare.
    ///
    /// Returns where the first row not taken starts, and its number. The tables hold at least `zones` rows of `bins`.
    @inline(__always)
    static func fast(
        from start: UnsafeRawPointer, to end: UnsafeRawPointer, first: Int, zones: Int, bins: Int,
        ambient: UnsafeMutablePointer<Int64>, distance: UnsafeMutablePointer<Int64>, histogram: UnsafeMutablePointer<Int64>
    ) -> (next: UnsafeRawPointer, row: Int) {
        var taken = start
        var row = first
        rows: while row < zones {
            var cursor = taken
            var id: Int64 = 0
            guard number(&cursor, end, UInt8(ascii: " "), &id), id == Int64(row),
                number(&cursor, end, UInt8(ascii: " "), &ambient[row]),
                number(&cursor, end, UInt8(ascii: " "), &distance[row])
            else { break }
            let target = histogram + row &* bins
            for bin in 0..<(bins &- 1) {
                guard number(&cursor, end, UInt8(ascii: " "), &target[bin]) else { break rows }
            }
            guard number(&cursor, end, UInt8(ascii: "\n"), &target[bins &- 1]) else { break }
            taken = cursor
            row &+= 1
        }
        return (taken, row)
    }

    /// One number of at most seven digits and the byte after it; false for anything else, right or wrong.
    @inline(__always)
    private static func number(
        _ cursor: inout UnsafeRawPointer, _ end: UnsafeRawPointer, _ separator: UInt8, _ value: inout Int64
    ) -> Bool {
        guard end - cursor >= 8 else { return false }
        let word = UInt64(littleEndian: cursor.loadUnaligned(as: UInt64.self))
        let sign: UInt64 = word & 0xff == UInt64(UInt8(ascii: "-")) ? 1 : 0
        let text = word &>> (sign &* 8)
        // Digits become 0...9; the lowest byte that is no digit gets its top bit set (a carry can only spoil bytes above it).
        let nibbles = text ^ 0x3030_3030_3030_3030
        let stops = ((nibbles &+ 0x7676_7676_7676_7676) | nibbles) & 0x8080_8080_8080_8080
        let bits = UInt64(truncatingIfNeeded: stops.trailingZeroBitCount) & 0x78
        guard bits &- 8 < 56, (text &>> bits) & 0xff == UInt64(separator) else { return false }
        // A zero in front of other digits.
        guard bits == 8 || nibbles & 0xff != 0 else { return false }
        // The digits, moved up so that zeros stand in front, are added in pairs, fours and eights.
        var sum = nibbles &<< (64 &- bits)
        sum = sum &* 10 &+ (sum &>> 8)
        sum =
            (((sum & 0x0000_00FF_0000_00FF) &* 0x000F_4240_0000_0064)
                &+ (((sum &>> 16) & 0x0000_00FF_0000_00FF) &* 0x0000_2710_0000_0001)) &>> 32
        let magnitude = Int64(truncatingIfNeeded: sum)
        let minus = 0 &- Int64(truncatingIfNeeded: sign)
        value = (magnitude ^ minus) &- minus
        cursor += Int(truncatingIfNeeded: (bits &>> 3) &+ sign &+ 1)
        return true
    }
}
