/// The result that is being received, and the frame that it belongs to.
struct TMF882xResults: Sendable {
    typealias Judge = TMF882xDecoder.Judge

    var counters = StreamCounters()
    var bytesInFrames: UInt64 = 0
    var bytesInText: UInt64 = 0
    /// Rows and `#Obj` lines that were right, whosever they were.
    var rightRows: UInt64 = 0
    /// Of the chunk that is being read.
    var arrival = Arrival(monotonicNs: 0, unixMs: 0)

    /// What every frame must have; nil while it is being learned.
    var layout: TMF882xLayout?
    /// Nobody has set the layout: it is learned, and again after a restart.
    private var isLearned: Bool
    /// What the board's words have said of its grid.
    private(set) var hint = TMF882xGridHint()

    /// How much of the result that comes now can be trusted.
    enum Place: Equatable {
        /// In the middle of a stream: the result may have a beginning that nobody has seen.
        case joining
        /// The result before this one has ended.
        case inStep
        /// Damaged: nothing until its `#Obj` line.
        case spoiled(FrameFault)
        /// The same, and told already.
        case given
    }

    var place = Place.joining
    /// Whole sub-captures of this result.
    var captures = 0
    /// Rows of the sub-capture that has begun.
    var rows = 0
    /// Bytes of this result, as far as it may still become part of a frame.
    var openBytes: UInt64 = 0
    /// The line before this one was damage that stood in an `#Obj` line's place; this one may be the rest of it.
    private var wasDamagedObjects = false

    var frame = TMF882xFrame()
    var objects = TMF882xObjects()
    var count = TMF882xCount()
    var sensors = TMF882xSensors()

    init(layout: TMF882xLayout?) {
        self.layout = layout
        isLearned = layout == nil
        counters.framesMissing = 0
    }

    mutating func begin(_ layout: TMF882xLayout) {
        clear()
        self.layout = layout
        isLearned = false
        place = .inStep
        count = TMF882xCount()
    }

    // MARK: Lines

    /// One whole line, without its line feed.
    mutating func line(_ whole: UnsafeRawBufferPointer, _ bytes: UInt64, _ judge: Judge) {
        let line = whole.last == 0x0d ? UnsafeRawBufferPointer(rebasing: whole.dropLast()) : whole
        guard let fault = take(line, bytes, judge) else {
            wasDamagedObjects = false
            return
        }
        counters.bytesSkipped += bytes
        damagedLine(fault, line, judge)
        // A line feed that was lost must not cost the next line too: what stands behind the last `#` may be whole.
        guard let start = line.lastIndex(of: UInt8(ascii: "#")), start > 0 else { return }
        let rest = UnsafeRawBufferPointer(rebasing: line[start...])
        guard TMF882xRow.tag(of: rest) != nil else { return }
        let restBytes = bytes - UInt64(start)
        counters.bytesSkipped -= restBytes
        self.line(rest, restBytes, judge)
    }

    /// Nil for a line that is right, wanted or not.
    private mutating func take(_ line: UnsafeRawBufferPointer, _ bytes: UInt64, _ judge: Judge) -> FrameFault? {
        switch TMF882xRow.tag(of: line) {
        case .raw: return rowCame(line, bytes, judge)
        case .objects:
            if let fault = objects.read(UnsafeRawBufferPointer(rebasing: line.dropFirst(TMF882xRow.tagBytes + 1))) { return fault }
            objectsCame(bytes, judge)
            return nil
        case .calibration: return calibrationCame(line, bytes)
        // No firmware that prints these is public, and what they hold is in no frame.
        case .partial: break
        case nil where line.isEmpty: break
        case nil:
            guard let text = TMF882xText.parse(line) else { return .malformed }
            heard(text, judge)
        }
        bytesInText += bytes
        return nil
    }

    /// Where an `#Obj` line is due, damage as long as one was it; shorter damage may be a piece of one.
    private mutating func damagedLine(_ fault: FrameFault, _ line: UnsafeRawBufferPointer, _ judge: Judge) {
        if line.starts(with: "#Raw".utf8) {
            // Before the first row it may be what is left of an earlier one; if it was the first, the second will not be the next.
            if rows + captures > 0 { spoil(fault) }
        } else if isDue, !wasDamagedObjects, sensors.isAlone, line.count >= 40 || line.starts(with: "#Obj".utf8) {
            objectsWereDamaged(fault, judge)
            wasDamagedObjects = true
            return
        }
        wasDamagedObjects = false
    }

    mutating func overlongLine(_ judge: Judge) {
        guard isOpen else { return }
        spoil(.outOfRange)
        tell(judge)
    }

    private mutating func calibrationCame(_ line: UnsafeRawBufferPointer, _ bytes: UInt64) -> FrameFault? {
        guard let head = TMF882xRow.head(of: line), let start = line.baseAddress,
            frame.read(head.numbers, to: start + line.count, index: head.index, capture: nil)
        else { return .malformed }
        bytesInText += bytes
        return nil
    }

    // MARK: Words

    private mutating func heard(_ text: TMF882xText, _ judge: Judge) {
        hint.hear(text)
        switch text {
        case .state(_, .disabled), .range:
            // The board stopped in the middle; damage before these words is the trace of it.
            if case .spoiled = place { place = .spoiled(.damagedByReset) }
            drop(.damagedByReset, judge)
            place = .inStep
            count = TMF882xCount()
            sensors.startOver()
            if isLearned { layout = nil }
        // The command came between two rows; the rest of the result does not.
        case .state(_, .stopped), .state(_, .standby), .state(_, .error): drop(.damagedByReset, judge)
        case .error(.resultLost, _), .error(.measurementStopped, _):
            drop(.missingPart, judge)
            place = .inStep
        case .state, .configuration, .driver, .histograms, .error, .words: break
        }
        if text != .words { _ = judge(.text(text)) }
    }

    // MARK: Loss

    /// Something was begun that could have become a frame.
    private var isOpen: Bool {
        if case .spoiled = place { return true }
        return rows + captures > 0 || !frame.isEmpty
    }

    /// What is open is lost, and so is the place in the stream.
    mutating func drop(_ fault: FrameFault, _ judge: Judge) {
        if isOpen {
            spoil(fault)
            tell(judge)
        }
        clear()
        place = .joining
    }

    private mutating func clear() {
        skipOpenBytes()
        frame.clear()
        captures = 0
        rows = 0
    }

    /// The bytes of what is open will be in no frame.
    mutating func skipOpenBytes() {
        counters.bytesSkipped += openBytes + frame.bytes
        openBytes = 0
        frame.bytes = 0
    }
}
