/// What a line does to the frame that is being received.
extension VL53L8CHDecoder {
    /// How a fault that waited for the next line is told.
    enum Telling {
        case asFound
        /// The next line was text: the board stopped in the middle, and the damage is the trace of it.
        case asReset
    }

    /// Tells a fault that waits, if one does.
    mutating func settle(_ telling: Telling, _ judge: Judge) {
        guard let found = fault else { return }
        fault = nil
        reject(telling == .asReset ? .damagedByReset : found, judge)
    }

    mutating func marker(_ judge: Judge) {
        markers += 1
        settle(.asFound, judge)
        endFrame(by: .marker, judge)
        open(tentative: false)
    }

    /// The last two bytes of the line before were a marker. They were counted with that line.
    mutating func fusedMarker() {
        counters.bytesSkipped -= 2
        open(tentative: true)
    }

    /// Empty lines stand around the banner. In a frame one may also be the end of a row that a reset cut.
    mutating func blankLine(_ judge: Judge) {
        switch place {
        case .outside, .sent:
            place = .outside
            bytesInText += 1
        case .full:
            endFrame(by: .text, judge)
            bytesInText += 1
        case .open where shape == nil && table.rows > 0 && table.shape == candidate?.frame.shape:
            endFrame(by: .restart, judge)
            bytesInText += 1
        case .open:
            damage(.notANumber)
            counters.bytesSkipped += 1
        case .foreign, .spoiled:
            place = .spoiled
            counters.bytesSkipped += 1
        }
    }

    mutating func textLine(_ text: FirmwareLine, _ bytes: UInt64, _ judge: Judge) {
        settle(.asReset, judge)
        endFrame(by: text.isRestart ? .restart : .text, judge)
        if text.isRestart || text == .applying {
            // What comes next may have another shape, and even begin like a frame of this one.
            dropCandidate(.damagedByReset, judge)
            lastForeign = nil
            otherShape = nil
            cautious = true
        }
        markersAtText = markers
        bytesInText += bytes
        _ = judge(.log(text))
    }

    /// The line that comes now is longer than any right one. That is told at once: its end, and so a next line, may never come, and
    /// no restart explains it.
    mutating func overlongLine(_ judge: Judge) {
        settle(.asFound, judge)
        switch place {
        case .open, .full:
            damage(.outOfRange)
            settle(.asFound, judge)
        case .foreign, .spoiled: place = .spoiled
        case .outside, .sent: place = .outside
        }
    }

    /// Rows were added to the table.
    mutating func rowsCame(_ arrival: Arrival, _ judge: Judge) {
        settle(.asFound, judge)
        tentative = false
        rowArrival = arrival
        guard shape != nil, table.rows == table.zones else { return }
        if cautious {
            place = .full
        } else {
            place = .sent
            sendTable(judge)
        }
    }

    /// A line that is neither marker nor text: a row, or damage.
    mutating func row(_ line: UnsafeRawBufferPointer, _ bytes: UInt64, _ arrival: Arrival, _ judge: Judge) {
        switch place {
        case .outside, .spoiled:
            counters.bytesSkipped += bytes
        case .open:
            openRow(table.read(line), bytes, arrival, judge)
        case .full:
            let goesOn = goesOn(table.read(line), after: table.shape)
            damage(.rowOrder)
            if let goesOn { place = .foreign(goesOn) }
            counters.bytesSkipped += bytes
        case .sent:
            let goesOn = goesOn(table.read(line), after: table.shape)
            cautious = goesOn != nil
            place = goesOn.map(Place.foreign) ?? .outside
            counters.bytesSkipped += bytes
        case .foreign(let run):
            place = goesOn(table.read(line), after: run).map(Place.foreign) ?? .spoiled
            counters.bytesSkipped += bytes
        }
    }

    private mutating func openRow(_ reading: FrameTable.Reading, _ bytes: UInt64, _ arrival: Arrival, _ judge: Judge) {
        switch reading {
        case .row(let bins, let id) where id == Int64(table.rows) && fits(bins):
            table.append(bins: bins)
            openBytes += bytes
            rowsCame(arrival, judge)
            return
        case .row(let bins, let id) where id == 0 && table.rows == 0 && shape != nil:
            damage(.rowShape)
            place = .foreign(FrameShape(zones: 1, bins: bins))
        case .row(let bins, _):
            damage(bins == table.bins ? .rowOrder : .rowShape)
        case .fault(let fault):
            damage(fault)
        }
        counters.bytesSkipped += bytes
    }

    private func fits(_ bins: Int) -> Bool {
        if table.bins > 0 { bins == table.bins && table.rows < table.zones } else { bins <= FrameTable.mostBins }
    }

    private func goesOn(_ reading: FrameTable.Reading, after run: FrameShape) -> FrameShape? {
        guard case .row(let bins, let id) = reading, bins == run.bins, id == Int64(run.zones) else { return nil }
        return FrameShape(zones: run.zones + 1, bins: run.bins)
    }
}

// MARK: Begin and end

extension VL53L8CHDecoder {
    enum FrameEnd {
        case marker, text, restart
    }

    private mutating func open(tentative: Bool) {
        table.clear()
        openBytes = 2
        place = .open
        self.tentative = tentative
    }

    /// Ends whatever is open because of the line that comes now.
    private mutating func endFrame(by end: FrameEnd, _ judge: Judge) {
        switch place {
        case .open where tentative: skipOpenBytes()
        case .open where shape == nil && table.rows > 0: learn(mayWait: end != .restart, judge)
        case .open:
            skipOpenBytes()
            reject(end == .marker ? .missingZone : .damagedByReset, judge)
            if end == .marker, table.rows > 0 { note(table.shape) }
        case .full:
            cautious = false
            sendTable(judge)
        case .foreign(let run):
            if end != .restart { note(run) }
        case .outside, .sent, .spoiled: break
        }
        place = .outside
    }

    /// The frame cannot be kept. Why is told with `settle`: as a rule with the next line.
    private mutating func damage(_ fault: FrameFault) {
        skipOpenBytes()
        // What only looked like a marker is no frame that could be damaged.
        if !tentative { self.fault = fault }
        tentative = false
        place = .spoiled
    }

    private mutating func skipOpenBytes() {
        counters.bytesSkipped += openBytes
        openBytes = 0
    }

    private mutating func reject(_ fault: FrameFault, _ judge: Judge) {
        if judge(.rejected(fault)) { counters.rejected[fault, default: 0] += 1 }
    }

    private mutating func sendTable(_ judge: Judge) {
        lastForeign = nil
        otherShape = nil
        send(table.frame(arrival: rowArrival), openBytes, judge)
        openBytes = 0
    }

    private mutating func send(_ frame: FirmwareFrame, _ bytes: UInt64, _ judge: Judge) {
        if judge(.frame(frame)) {
            counters.framesDecoded += 1
            bytesInFrames += bytes
        } else {
            counters.bytesSkipped += bytes
        }
    }

    /// Two runs of equal shape, one after the other, are no accident.
    private mutating func note(_ run: FrameShape) {
        if run == lastForeign { otherShape = run }
        lastForeign = run
    }

    /// A frame is over whose shape nobody has confirmed. `mayWait`: nothing speaks against its end being its own.
    private mutating func learn(mayWait: Bool, _ judge: Judge) {
        let frame = table.frame(arrival: rowArrival)
        let bytes = openBytes
        openBytes = 0
        if let first = candidate, first.frame.shape == frame.shape {
            candidate = nil
            shape = frame.shape
            table = FrameTable(shape: shape)
            cautious = false
            send(first.frame, first.bytes, judge)
            send(frame, bytes, judge)
        } else if mayWait {
            if let first = candidate { dropCandidate(first.frame.bins == frame.bins ? .missingZone : .rowShape, judge) }
            candidate = (frame, bytes)
        } else {
            counters.bytesSkipped += bytes
            reject(.damagedByReset, judge)
        }
    }

    private mutating func dropCandidate(_ fault: FrameFault, _ judge: Judge) {
        guard let dropped = candidate else { return }
        candidate = nil
        counters.bytesSkipped += dropped.bytes
        reject(fault, judge)
    }

    mutating func lostBytes(judge: Judge) {
        _ = dropTail()
        settle(.asFound, judge)
        switch place {
        case .open where tentative: skipOpenBytes()
        case .open, .full:
            skipOpenBytes()
            reject(.transferLost, judge)
        case .outside, .sent, .foreign, .spoiled: break
        }
        place = .outside
    }

    mutating func finish(judge: Judge) {
        let cut = dropTail()
        settle(.asFound, judge)
        switch place {
        case .full where !cut: endFrame(by: .text, judge)
        case .open where !cut && shape == nil && table.rows > 0 && table.shape == candidate?.frame.shape: learn(mayWait: false, judge)
        case .open, .full: skipOpenBytes()
        case .outside, .sent, .foreign, .spoiled: break
        }
        place = .outside
        if let waiting = candidate { counters.bytesSkipped += waiting.bytes }
        candidate = nil
    }
}

extension FirmwareFrame {
    var shape: FrameShape { FrameShape(zones: zones, bins: bins) }
}
