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

    /// Takes consecutive rows, from row `first` up to `zones`, as long as they are right and end well before `end`.
    ///
    /// Returns where the first row not taken starts, and its number. The tables hold at least `zones` rows of `bins`.
    static func fast(
        from start: UnsafeRawPointer, to end: UnsafeRawPointer, first: Int, zones: Int, bins: Int,
        ambient: UnsafeMutablePointer<Int64>, distance: UnsafeMutablePointer<Int64>, histogram: UnsafeMutablePointer<Int64>
    ) -> (next: UnsafeRawPointer, row: Int) {
        var separators = Separators(from: start, to: end)
        var taken = start
        var row = first
        while row < zones {
            var numbers = Numbers(at: taken)
            var id: Int64 = 0
            guard numbers.takeFirst(&separators, into: &id), numbers.take(&separators, into: &ambient[row]),
                numbers.take(&separators, into: &distance[row]), id == Int64(row)
            else { break }
            let target = histogram + row &* bins
            var bin = 0
            while bin < bins, numbers.take(&separators, into: &target[bin]) { bin &+= 1 }
            guard bin == bins, numbers.areRight else { break }
            taken = numbers.next
            row &+= 1
        }
        return (taken, row)
    }
}

/// Finds the bytes that end numbers, 64 at a look: everything below `-`, so spaces and line feeds and what else should not be there.
private struct Separators {
    private var block: UnsafeRawPointer
    private let end: UnsafeRawPointer
    /// Bit n: byte n of the block is a separator that has not been taken.
    private var found: UInt64 = 0

    @inline(__always)
    init(from start: UnsafeRawPointer, to end: UnsafeRawPointer) {
        block = start - 64
        self.end = end
    }

    /// Where the next one is; nil when it is not at least eight bytes before the end.
    @inline(__always)
    mutating func next() -> UnsafeRawPointer? {
        while found == 0 {
            block += 64
            guard end - block >= 64 + 8 else { return nil }
            found = Self.scan(block)
        }
        let place = block + found.trailingZeroBitCount
        found &= found &- 1
        return place
    }

    @inline(__always)
    private static func scan(_ block: UnsafeRawPointer) -> UInt64 {
        var found: UInt64 = 0
        for word in 0..<8 {
            let bytes = UInt64(littleEndian: block.loadUnaligned(fromByteOffset: 8 &* word, as: UInt64.self))
            // Top bit of each byte: not below `-`. Bytes over 0x7f may spoil their neighbours, and no number has them anyway.
            let low = ~(bytes &+ 0x5353_5353_5353_5353) & 0x8080_8080_8080_8080
            // Gathers the eight top bits into one byte.
            found |= (((low &>> 7) &* 0x0102_0408_1020_4080) &>> 56) &<< (8 &* UInt64(word))
        }
        return found
    }
}

/// Reads numbers of up to eight digits without a branch for what is in them; what was wrong is known after the row.
private struct Numbers {
    private(set) var next: UnsafeRawPointer
    /// Top bits: a byte that is no digit.
    private var strange: UInt64 = 0
    /// Digits less one, of all numbers and of those that begin with a zero, or'ed.
    private var lengths: UInt64 = 0
    private var zeros: UInt64 = 0
    /// Bytes between numbers, each xor space, or'ed.
    private var gaps: UInt8 = 0

    @inline(__always)
    init(at start: UnsafeRawPointer) { next = start }

    /// Whether everything taken so far is a row: right numbers, spaces between them and a line feed after the last.
    @inline(__always)
    var areRight: Bool {
        strange & 0x8080_8080_8080_8080 == 0 && lengths < 8 && zeros == 0 && gaps == 0
            && (next - 1).load(as: UInt8.self) == UInt8(ascii: "\n")
    }

    /// Takes a number that stands behind another one.
    @inline(__always)
    mutating func take(_ separators: inout Separators, into value: inout Int64) -> Bool {
        gaps |= (next - 1).load(as: UInt8.self) ^ UInt8(ascii: " ")
        return takeFirst(&separators, into: &value)
    }

    /// Takes the number at the beginning of a row.
    @inline(__always)
    mutating func takeFirst(_ separators: inout Separators, into value: inout Int64) -> Bool {
        guard let end = separators.next() else { return false }
        let negative = next.load(as: UInt8.self) == UInt8(ascii: "-")
        let first = next + (negative ? 1 : 0)
        let more = UInt64(truncatingIfNeeded: end - first &- 1)
        let text = UInt64(littleEndian: first.loadUnaligned(as: UInt64.self)) ^ 0x3030_3030_3030_3030
        lengths |= more
        zeros |= text & 0xff == 0 ? more : 0
        // The digits, moved up so that zeros stand in front, are added in pairs, fours and eights.
        var sum = text &<< (56 &- 8 &* more)
        strange |= (sum &+ 0x7676_7676_7676_7676) | sum
        sum = sum &* 10 &+ (sum &>> 8)
        sum =
            (((sum & 0x0000_00FF_0000_00FF) &* 0x000F_4240_0000_0064)
                &+ (((sum &>> 16) & 0x0000_00FF_0000_00FF) &* 0x0000_2710_0000_0001)) &>> 32
        let magnitude = Int64(truncatingIfNeeded: sum)
        value = negative ? 0 &- magnitude : magnitude
        next = end + 1
        return true
    }
}
