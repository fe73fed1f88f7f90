internal import Glibc

/// Bytes of the mini_tof VL53L8CH firmwares in, frames out: a value without a clock, and the same events for any split of the same bytes.
///
/// A record is little-endian floats up to the mark `FF FF FF FF`. The mark is taken only where a float would begin, its record has the
/// length that the stream has, and its first value is the next zone's number; a damaged record costs its frame, whole, with a reason.
/// After a lost byte nothing is where a float would begin: then the first mark anywhere is where records begin again.
/// Source: mini_tof `mini_tof/readers/vl53l8ch_reader.py`, `microcontroller/vl53l8ch`.
public struct MiniTofDecoder: Sendable {
    /// Every byte received is, after `finish` at the latest, in a frame, in a line of text, or skipped.
    public internal(set) var counters = StreamCounters()
    /// Readings from which a frame was put together, and those between them that only show that the window has moved, are in it.
    public internal(set) var bytesInFrames: UInt64 = 0
    /// Known lines, and others right after them.
    public internal(set) var bytesInText: UInt64 = 0
    /// What every frame has; nil while it is being learned from two equal frames.
    public internal(set) var layout: MiniTofLayout?
    /// What two equal frames had after `layout` was known: another firmware is there now.
    public internal(set) var otherLayout: MiniTofLayout?

    enum Position {
        /// At the first byte of a record.
        case record
        /// At the first byte of a line, or of the first record.
        case words
        /// Somewhere; of the bytes since the last record's end so many have been searched for a mark, those in the buffer as given.
        case lost(searched: Int, total: Int, ff: Int)
    }

    enum Place {
        /// A frame has ended, or none was begun: zone 0 is next.
        case outside
        /// Zones 0 ..< `table.rows` are there.
        case open
        /// While learning: the metadata record is there, too.
        case closed
        /// Damaged: nothing until a zone 0.
        case spoiled
    }

    var position = Position.record
    var place = Place.spoiled
    /// A mark or a line came before; the first bytes of all may be anything.
    var isAnchored = false
    /// The frame was begun at the first byte of all: it counts only if a zone 1 follows.
    var isTentative = false
    var table = MiniTofTable()
    /// Bytes of the frame that `place` speaks of, as far as it may still become one.
    var openBytes: UInt64 = 0
    /// When the last record taken into the table came.
    var recordArrival = Arrival(monotonicNs: 0, unixMs: 0)
    /// While learning: the last whole frame, waiting for an equal one.
    var candidate: (reading: MiniTofReading, layout: MiniTofLayout)?
    /// The layout before it was put in doubt; a single frame confirms it.
    var expected: MiniTofLayout?
    var rejectedInARow = 0
    /// Records since the frame before them was given up.
    var recordsSpoiled = 0
    var windows = MiniTofWindows()

    private var held: [UInt8] = []
    /// Bytes of the record that has not ended.
    var bytesHeld: Int { held.capacity }

    /// What a place that is lost keeps of what it has searched: two of the longest records, for `recordBehindBrokenMark`.
    static let keptWhileLost = 2 * MiniTofNumber.bytes * MiniTofLayout.mostValues + 64
    /// Bytes that are put behind what is held in one go.
    private static let piece = 512

    /// With a layout, every frame must have it; with nil it is learned from two equal frames in a row, and then kept.
    public init(layout: MiniTofLayout? = nil) {
        self.layout = layout
        expected = layout
        held.reserveCapacity(2 * Self.keptWhileLost)
    }

    public mutating func push(_ chunk: UnsafeRawBufferPointer, arrival: Arrival, _ emit: (DecoderEvent) -> Void) {
        counters.bytesReceived += UInt64(chunk.count)
        guard let base = chunk.baseAddress else { return }
        var at = 0
        while !held.isEmpty, at < chunk.count {
            let before = held.count
            let count = min(Self.piece, chunk.count - at)
            held.append(contentsOf: UnsafeRawBufferPointer(start: base + at, count: count))
            let used = workOnHeld(arrival, emit)
            if used >= before {
                at += used - before
                held.removeAll(keepingCapacity: true)
            } else {
                at += count
                held.removeSubrange(..<used)
            }
        }
        guard at < chunk.count else { return }
        let used = work(base + at, chunk.count - at, arrival, emit)
        held.append(contentsOf: UnsafeRawBufferPointer(start: base + at + used, count: chunk.count - at - used))
    }

    /// For tests and tools: the events of these bytes, in order.
    public mutating func push(_ bytes: [UInt8], arrival: Arrival) -> [DecoderEvent] {
        var events: [DecoderEvent] = []
        bytes.withUnsafeBytes { chunk in push(chunk, arrival: arrival) { events.append($0) } }
        return events
    }

    /// Bytes are missing between the last push and the next one: the frame that was open is lost.
    public mutating func lostBytes(_ emit: (DecoderEvent) -> Void) {
        skipHeld()
        if place == .open || place == .closed { spoil(.transferLost, emit) }
        place = .spoiled
        position = .lost(searched: 0, total: 0, ff: 0)
        giveUpWindows(.transferLost, emit)
    }

    /// No byte will come any more: what is complete goes out, the rest is skipped.
    public mutating func finish(_ emit: (DecoderEvent) -> Void) {
        let cut = !held.isEmpty
        skipHeld()
        switch place {
        case .open, .closed:
            if !cut, layout == nil, let known = expected ?? candidate?.layout, table.layout == known { endLearnedFrame(emit) }
            counters.bytesSkipped += openBytes
            openBytes = 0
        case .outside, .spoiled: break
        }
        place = .spoiled
        if let candidate { counters.bytesSkipped += candidate.reading.bytes }
        candidate = nil
        for bytes in windows.lose() { counters.bytesSkipped += bytes }
    }

    private mutating func skipHeld() {
        counters.bytesSkipped += UInt64(held.count)
        held.removeAll(keepingCapacity: true)
    }

    /// Out of `self` while it is read, and back for its storage.
    private mutating func workOnHeld(_ arrival: Arrival, _ emit: (DecoderEvent) -> Void) -> Int {
        var bytes: [UInt8] = []
        swap(&bytes, &held)
        let used = bytes.withUnsafeBytes { work($0.baseAddress!, $0.count, arrival, emit) }
        swap(&bytes, &held)
        return used
    }

    /// Takes what can be taken, and says how many bytes that were.
    private mutating func work(_ start: UnsafeRawPointer, _ count: Int, _ arrival: Arrival, _ emit: (DecoderEvent) -> Void) -> Int {
        var at = 0
        while at < count {
            let used =
                switch position {
                case .record: takeRecord(start + at, count - at, arrival, emit)
                case .words: takeWords(start + at, count - at, emit)
                case .lost(let searched, let total, let ff): search(start + at, count - at, searched, total, ff, arrival, emit)
                }
            guard let used else { break }
            at += used
        }
        return at
    }
}
