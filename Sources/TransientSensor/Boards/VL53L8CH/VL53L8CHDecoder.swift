internal import Glibc

/// Bytes of the cc-hardware VL53L8CH firmware in, frames out: a value without a clock that gives the same events for any split of the same bytes.
///
/// A frame is a marker line `D` and then exactly the expected rows in order, each with exactly the expected bins; anything else drops it
/// whole, with a reason. A carriage return is damage: the firmware prints single line feeds, and a link that adds others bends bytes.
/// A frame of a known shape goes out when its last line feed is seen. Without one, a frame is held until the next one is equal in shape.
public struct VL53L8CHDecoder: Sendable {
    /// Every byte received is, after `finish` at the latest, in a frame, in a line of text, or skipped.
    public internal(set) var counters = StreamCounters()
    public internal(set) var bytesInFrames: UInt64 = 0
    /// Known lines, and the empty ones around them.
    public internal(set) var bytesInText: UInt64 = 0
    /// Marker lines seen, whatever became of what followed.
    public internal(set) var markers: UInt64 = 0
    /// `markers` as it was when the last line of text came: text and then a marker is a board that runs again.
    var markersAtText: UInt64 = 0
    /// What every frame must have; nil while it is being learned.
    public internal(set) var shape: FrameShape?
    /// A shape other than `shape` that two runs of rows, one after the other, agreed on: the board has been configured anew.
    public internal(set) var otherShape: FrameShape?

    /// Gets an event and says whether its stream is wanted; the bytes of what is not count as skipped, and nothing else of it counts.
    typealias Judge = (DecoderEvent) -> Bool

    enum Place {
        /// No marker yet, or a frame is over.
        case outside
        /// After a marker, and every row so far is right.
        case open
        /// All rows are there and kept back: the frame before this one had more of them than expected.
        case full
        /// The frame went out; its rows must not go on.
        case sent
        /// Rows in good order that are not those of `shape`; only their number is followed.
        case foreign(FrameShape)
        /// Damaged: nothing until the next marker.
        case spoiled
    }

    var place = Place.outside
    /// The marker had bytes in front of it: it counts only if a row 0 follows.
    var tentative = false
    /// Keep a whole frame back until what follows shows that no row more belongs to it.
    var cautious = false
    var table: FrameTable
    /// When the last row taken into the table came.
    var rowArrival = Arrival(monotonicNs: 0, unixMs: 0)
    /// Bytes of the frame that `place` speaks of, its marker included, as far as it may still become one.
    var openBytes: UInt64 = 0
    /// Found in the frame and not told yet: words of a restart may follow and explain it.
    var fault: FrameFault?
    /// While learning: the last whole frame, waiting for one of equal shape.
    var candidate: (frame: FirmwareFrame, bytes: UInt64)?
    var lastForeign: FrameShape?

    /// The beginning of a line whose end has not come, at most `longestLine` bytes.
    private var tail: [UInt8] = []
    /// The line that has not ended is longer than any right one; its bytes are counted and forgotten.
    private var overlong = false
    /// Bytes of the line that has not ended: what an endless line costs.
    var bytesHeld: Int { tail.capacity }
    private var longestLine: Int { Self.longestLine(bins: shape?.bins ?? FrameTable.mostBins) }

    /// With a shape, every frame must have it; with nil it is learned from two equal frames in a row, and then kept.
    ///
    /// A shape that no frame can have (`FrameShape` is not checked) is clamped to one row of one bin at least and 64 rows of 255 bins at most.
    public init(shape: FrameShape?) {
        self.shape = shape.map { FrameShape(zones: min(max($0.zones, 1), FrameTable.mostZones), bins: min(max($0.bins, 1), 255)) }
        table = FrameTable(shape: self.shape)
    }

    public mutating func push(_ chunk: UnsafeRawBufferPointer, arrival: Arrival, _ emit: (DecoderEvent) -> Void) {
        push(
            chunk, arrival: arrival,
            judge: { event in
                emit(event)
                return true
            })
    }

    /// For tests and tools: the events of these bytes, in order.
    public mutating func push(_ bytes: [UInt8], arrival: Arrival) -> [DecoderEvent] {
        var events: [DecoderEvent] = []
        bytes.withUnsafeBytes { chunk in push(chunk, arrival: arrival) { events.append($0) } }
        return events
    }

    /// Bytes are missing between the last push and the next one: the frame that was open is lost.
    public mutating func lostBytes(_ emit: (DecoderEvent) -> Void) {
        lostBytes(judge: { event in
            emit(event)
            return true
        })
    }

    /// No byte will come any more: what is complete goes out, the rest is skipped.
    public mutating func finish(_ emit: (DecoderEvent) -> Void) {
        finish(judge: { event in
            emit(event)
            return true
        })
    }

    /// Room for a row in which every number has 20 characters, and for every line of words that the firmware has.
    static func longestLine(bins: Int) -> Int { max(256, (bins + VL53L8CHRow.head) * 21) }
}

// MARK: Lines

extension VL53L8CHDecoder {
    mutating func push(_ chunk: UnsafeRawBufferPointer, arrival: Arrival, judge: Judge) {
        counters.bytesReceived += UInt64(chunk.count)
        guard var cursor = chunk.baseAddress else { return }
        let end = cursor + chunk.count
        if overlong || !tail.isEmpty {
            guard let next = endTail(cursor, end, arrival, judge) else { return }
            cursor = next
        }
        while cursor < end {
            if case .open = place, table.bins > 0, table.rows < table.zones {
                let next = table.take(from: cursor, to: end)
                if next > cursor {
                    openBytes += UInt64(next - cursor)
                    cursor = next
                    rowsCame(arrival, judge)
                    continue
                }
            }
            guard let lineFeed = memchr(cursor, 0x0a, end - cursor) else {
                keepTail(UnsafeRawBufferPointer(start: cursor, count: end - cursor), judge)
                return
            }
            let count = UnsafeRawPointer(lineFeed) - cursor
            line(UnsafeRawBufferPointer(start: cursor, count: count), arrival, judge)
            cursor += count + 1
        }
    }

    /// Ends the line that an earlier chunk began and says where the next one starts; nil when it does not end in this chunk either.
    private mutating func endTail(
        _ start: UnsafeRawPointer, _ end: UnsafeRawPointer, _ arrival: Arrival, _ judge: Judge
    ) -> UnsafeRawPointer? {
        let lineFeed = memchr(start, 0x0a, end - start).map { UnsafeRawPointer($0) }
        keepTail(UnsafeRawBufferPointer(start: start, count: (lineFeed ?? end) - start), judge)
        guard let lineFeed else { return nil }
        if overlong {
            overlong = false
            counters.bytesSkipped += 1
        } else {
            // Out of `self` while it is read, and back for its storage.
            var whole: [UInt8] = []
            swap(&whole, &tail)
            whole.withUnsafeBytes { line($0, arrival, judge) }
            whole.removeAll(keepingCapacity: true)
            swap(&whole, &tail)
        }
        return lineFeed + 1
    }

    private mutating func keepTail(_ part: UnsafeRawBufferPointer, _ judge: Judge) {
        if overlong {
            counters.bytesSkipped += UInt64(part.count)
        } else if tail.count + part.count <= longestLine {
            tail.append(contentsOf: part)
        } else {
            counters.bytesSkipped += UInt64(tail.count + part.count)
            tail.removeAll(keepingCapacity: true)
            overlong = true
            overlongLine(judge)
        }
    }

    /// Gives up the line that has not ended, and says whether there was one.
    mutating func dropTail() -> Bool {
        let hadOne = overlong || !tail.isEmpty
        counters.bytesSkipped += UInt64(tail.count)
        tail.removeAll(keepingCapacity: true)
        overlong = false
        return hadOne
    }

    /// One whole line, without its line feed.
    private mutating func line(_ line: UnsafeRawBufferPointer, _ arrival: Arrival, _ judge: Judge) {
        let bytes = UInt64(line.count + 1)
        if line.count > longestLine {
            counters.bytesSkipped += bytes
            overlongLine(judge)
        } else if line.count == 1, line[0] == UInt8(ascii: "D") {
            marker(judge)
        } else if line.isEmpty {
            blankLine(judge)
        } else if let text = VL53L8CHText.parse(line) {
            textLine(text, bytes, judge)
        } else {
            settle(.asFound, judge)
            row(line, bytes, arrival, judge)
            // A line feed lost in front of a marker must not cost the next frame too.
            if line[line.count - 1] == UInt8(ascii: "D") { fusedMarker() }
        }
    }
}
