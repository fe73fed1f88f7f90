/// Where records and lines begin and end. Each function returns the bytes it has used, 0 for another look at the same ones, or nil for
/// a wait: what it does depends on the bytes alone, never on how many of them came together.
extension MiniTofDecoder {
    /// The mark's length, and a number's.
    static let mark = 4

    static func isMark(_ start: UnsafeRawPointer) -> Bool { start.loadUnaligned(as: UInt32.self) == .max }

    /// Bytes of the record that comes next, when the layout is known.
    private var nextBytes: Int? {
        layout.map { layout in
            guard place == .open, table.rows == layout.zones, let metadata = layout.metadata else {
                return layout.values * MiniTofNumber.bytes
            }
            return metadata.values(zones: layout.zones) * MiniTofNumber.bytes
        }
    }

    /// The next record begins with a zone's number, and so never with an FF.
    private var expectsNumber: Bool {
        guard place == .open else { return true }
        guard let layout else { return !MiniTofLayout.grids.contains(table.rows) }
        return table.rows < layout.zones
    }

    mutating func takeRecord(
        _ start: UnsafeRawPointer, _ available: Int, _ arrival: Arrival, _ emit: (DecoderEvent) -> Void
    ) -> Int? {
        if start.load(as: UInt8.self) == 0xff, expectsNumber {
            counters.bytesSkipped += 1
            return 1
        }
        guard let length = endOfRecord(start, available) else {
            // Words end a record that a restart has cut, and nothing may follow them.
            return MiniTofText.isIn(start, count: min(available, longestRecord)) ? getLost() : nil
        }
        guard length >= 0 else { return getLost() }
        let count = length / MiniTofNumber.bytes
        let fault = MiniTofNumber.fault(start, count: count)
        if fault != nil, MiniTofText.isIn(start, count: length) { return getLost() }
        record(start, count, fault, arrival, emit)
        isAnchored = true
        return length + Self.mark
    }

    private var longestRecord: Int { nextBytes ?? MiniTofNumber.bytes * MiniTofLayout.mostValues }

    /// Bytes before the mark; negative when it is not where it can be, nil while that is open.
    private func endOfRecord(_ start: UnsafeRawPointer, _ available: Int) -> Int? {
        if let length = nextBytes {
            guard available >= length + Self.mark else { return nil }
            return Self.isMark(start + length) ? length : -1
        }
        for offset in stride(from: 0, through: longestRecord, by: MiniTofNumber.bytes) {
            guard available >= offset + Self.mark else { return nil }
            if Self.isMark(start + offset) { return offset }
        }
        return -1
    }

    private mutating func getLost() -> Int {
        position = .lost(searched: 0, total: 0, ff: 0)
        return 0
    }

    /// Looks for a mark or for words, whichever ends first.
    mutating func search(
        _ start: UnsafeRawPointer, _ available: Int, _ searched: Int, _ total: Int, _ before: Int, _ arrival: Arrival,
        _ emit: (DecoderEvent) -> Void
    ) -> Int? {
        var (ff, total) = (before, total)
        for index in searched..<available {
            let byte = start.load(fromByteOffset: index, as: UInt8.self)
            ff = byte == 0xff ? ff + 1 : 0
            total += 1
            if ff == Self.mark {
                foundMark(start, endingAt: index + 1, total, arrival, emit)
                return index + 1
            }
            if byte == 0x0a, let (first, line) = MiniTofText.line(start, endingAt: index) {
                counters.bytesSkipped += UInt64(first)
                heard(line, bytes: index + 1 - first, emit)
                return index + 1
            }
            // No record is so long: what was open is damaged, whatever comes.
            if total == Self.keptWhileLost { damage(.malformed, emit) }
        }
        guard available > Self.keptWhileLost else {
            position = .lost(searched: available, total: total, ff: ff)
            return nil
        }
        // A line of words may have begun.
        let used = available - MiniTofText.longest - 2
        counters.bytesSkipped += UInt64(used)
        position = .lost(searched: available - used, total: total, ff: ff)
        return used
    }

    /// The first mark after bytes that were no record. `total` bytes have been searched, the mark among them.
    private mutating func foundMark(
        _ start: UnsafeRawPointer, endingAt end: Int, _ total: Int, _ arrival: Arrival, _ emit: (DecoderEvent) -> Void
    ) {
        let length = total - Self.mark
        if let zone0 = recordBehindBrokenMark(start, length) {
            spoil(.malformed, emit)
            counters.bytesSkipped += UInt64(zone0)
            record(start + zone0, (length - zone0) / MiniTofNumber.bytes, nil, arrival, emit)
        } else if length == end - Self.mark, length.isMultiple(of: MiniTofNumber.bytes),
            length <= MiniTofNumber.bytes * MiniTofLayout.mostValues
        {
            let count = length / MiniTofNumber.bytes
            record(start, count, MiniTofNumber.fault(start, count: count), arrival, emit)
        } else {
            counters.bytesSkipped += UInt64(end)
            damage(.malformed, emit)
        }
        isAnchored = true
        position = .record
    }

    /// The mark of a frame's last record was damaged, and that frame is lost; the next one, whose first record stands behind what is left
    /// of the mark, is not. Where that record begins; nil for any other damage.
    private func recordBehindBrokenMark(_ start: UnsafeRawPointer, _ length: Int) -> Int? {
        guard let layout, place == .open, let last = nextBytes, isLastRecord(of: layout) else { return nil }
        let first = length - layout.values * MiniTofNumber.bytes
        // One byte of the mark is missing, or another one, or one too many.
        guard (last + 3...last + 5).contains(first) else { return nil }
        let left = (1...4).count { start.load(fromByteOffset: first - $0, as: UInt8.self) == 0xff }
        let record = start + first
        guard left >= 3, MiniTofNumber.fault(record, count: layout.values) == nil, MiniTofNumber.bits(record, 0) == 0 else { return nil }
        return first
    }

    private func isLastRecord(of layout: MiniTofLayout) -> Bool {
        table.rows == (layout.metadata == nil ? layout.zones - 1 : layout.zones)
    }

    /// At the beginning of a line that follows a line of words, or of the first record.
    mutating func takeWords(_ start: UnsafeRawPointer, _ available: Int, _ emit: (DecoderEvent) -> Void) -> Int? {
        for index in 0..<min(available, MiniTofText.longest) {
            let byte = start.load(fromByteOffset: index, as: UInt8.self)
            if byte == 0x0a {
                heardLine(start, endingAt: index, emit)
                return index + 1
            }
            guard MiniTofText.isPrintable(byte) || byte == MiniTofText.carriageReturn else {
                position = .record
                return 0
            }
        }
        guard available >= MiniTofText.longest else { return nil }
        position = .record
        return 0
    }
}
