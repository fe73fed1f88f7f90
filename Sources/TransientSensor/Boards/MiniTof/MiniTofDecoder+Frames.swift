internal import NLOSCore

/// What records and lines make of the frame that is being received.
extension MiniTofDecoder {
    /// A frame that goes on being damaged has perhaps another layout than what is expected.
    private static let doubtAfter = 4

    /// A record of `count` numbers has come whole, its mark behind it. `fault` is what is wrong with its numbers.
    mutating func record(
        _ start: UnsafeRawPointer, _ count: Int, _ fault: FrameFault?, _ arrival: Arrival, _ emit: (DecoderEvent) -> Void
    ) {
        let bytes = UInt64(count * MiniTofNumber.bytes + Self.mark)
        let wrong = fault ?? misplaced(start, count)
        guard let wrong else {
            take(start, count, bytes, arrival, emit)
            return
        }
        if startsFrame(start, count, fault) {
            endByZone0(wrong, emit)
            begin(start, count, bytes, arrival)
            return
        }
        counters.bytesSkipped += bytes
        if place == .outside, fault == nil, goesOn(start, count) { doubtLayout() }
        damage(wrong, emit)
    }

    /// The frame goes on behind what was thought to be its end.
    private func goesOn(_ start: UnsafeRawPointer, _ count: Int) -> Bool {
        guard let layout else { return false }
        if count == layout.values { return isNumber(start, layout.zones) }
        return layout.metadata == nil && MiniTofMetadata.allCases.contains { $0.values(zones: layout.zones) == count }
    }

    /// Bytes came that do not belong into the frame that is open or due.
    mutating func damage(_ fault: FrameFault, _ emit: (DecoderEvent) -> Void) {
        switch place {
        case .open, .closed: spoil(fault, emit)
        case .outside:
            place = .spoiled
            reject(fault, emit)
        case .spoiled:
            // One frame's damage is over by now.
            recordsSpoiled += 1
            if let layout, recordsSpoiled > 2 * layout.zones { doubtLayout() }
        }
    }

    /// Why a record of good numbers is not the next one; nil when it is.
    private func misplaced(_ start: UnsafeRawPointer, _ count: Int) -> FrameFault? {
        switch place {
        case .outside, .spoiled:
            if let wrong = wrongLength(count, layout?.values) { return wrong }
            return isNumber(start, 0) ? nil : .rowOrder
        case .open:
            let zones = layout?.zones ?? 64
            if metadataForm(count) != nil { return nil }
            if let wrong = wrongLength(count, table.values) { return table.rows == layout?.zones ? .missingPart : wrong }
            if table.rows < zones, isNumber(start, table.rows) { return nil }
            guard isNumber(start, 0) else { return .rowOrder }
            return table.rows == layout?.zones ? .missingPart : .missingZone
        case .closed:
            if let wrong = wrongLength(count, table.values) { return wrong }
            return isNumber(start, 0) ? .missingZone : .rowOrder
        }
    }

    private func wrongLength(_ count: Int, _ values: Int?) -> FrameFault? {
        if let values { return count == values ? nil : .rowShape }
        return (3...MiniTofLayout.mostZoneValues).contains(count) ? nil : .rowShape
    }

    private func isNumber(_ start: UnsafeRawPointer, _ zone: Int) -> Bool { MiniTofNumber.bits(start, 0) == Float(zone).bitPattern }

    /// The form of metadata that a record of so many numbers is, when one may come.
    private func metadataForm(_ count: Int) -> MiniTofMetadata? {
        guard place == .open, count != table.values else { return nil }
        if let layout {
            guard table.rows == layout.zones, let form = layout.metadata, form.values(zones: layout.zones) == count else { return nil }
            return form
        }
        guard MiniTofLayout.grids.contains(table.rows) else { return nil }
        return MiniTofMetadata.allCases.first { $0.values(zones: table.rows) == count }
    }

    private func startsFrame(_ start: UnsafeRawPointer, _ count: Int, _ fault: FrameFault?) -> Bool {
        guard fault == nil, isNumber(start, 0), place == .closed || place == .open && table.rows > 0 else { return false }
        return wrongLength(count, layout?.values ?? table.values) == nil
    }

    // MARK: The frame grows

    /// The record is the next one.
    private mutating func take(
        _ start: UnsafeRawPointer, _ count: Int, _ bytes: UInt64, _ arrival: Arrival, _ emit: (DecoderEvent) -> Void
    ) {
        switch place {
        case .outside, .spoiled: begin(start, count, bytes, arrival)
        case .closed: break
        case .open:
            openBytes += bytes
            recordArrival = arrival
            isTentative = false
            if let form = metadataForm(count) {
                guard table.take(form, start) else { return spoil(.malformed, emit) }
                if layout == nil { place = .closed }
            } else {
                table.append(start)
            }
        }
        if let layout, table.layout == layout {
            place = .outside
            send(table.reading(arrival: recordArrival, bytes: openBytes), emit)
            openBytes = 0
        }
    }

    /// The record is a frame's first.
    private mutating func begin(_ start: UnsafeRawPointer, _ count: Int, _ bytes: UInt64, _ arrival: Arrival) {
        table.clear(values: count)
        table.append(start)
        openBytes = bytes
        recordArrival = arrival
        isTentative = !isAnchored
        recordsSpoiled = 0
        place = .open
    }

    /// A zone 0 ends whatever is open: while learning that is how a frame ends.
    private mutating func endByZone0(_ wrong: FrameFault, _ emit: (DecoderEvent) -> Void) {
        if layout == nil, MiniTofLayout.grids.contains(table.rows) {
            endLearnedFrame(emit)
        } else {
            spoil(wrong, emit)
        }
    }

    mutating func spoil(_ fault: FrameFault, _ emit: (DecoderEvent) -> Void) {
        counters.bytesSkipped += openBytes
        openBytes = 0
        place = .spoiled
        // What only looked like a frame is none that could be damaged.
        if !isTentative { reject(fault, emit) }
        isTentative = false
    }

    private mutating func reject(_ fault: FrameFault, _ emit: (DecoderEvent) -> Void) {
        emit(.rejected(fault))
        counters.rejected[fault, default: 0] += 1
        rejectedInARow += 1
        if rejectedInARow >= Self.doubtAfter { doubtLayout() }
    }

    private mutating func doubtLayout() {
        layout = nil
        rejectedInARow = 0
        recordsSpoiled = 0
    }

    // MARK: The layout is learned

    /// The frame in the table has ended by itself, and its layout is not known yet, or in doubt.
    mutating func endLearnedFrame(_ emit: (DecoderEvent) -> Void) {
        let reading = table.reading(arrival: recordArrival, bytes: openBytes)
        let found = table.layout
        openBytes = 0
        if found == expected {
            dropCandidate(.rowShape, emit)
            confirm(found)
            send(reading, emit)
        } else if let first = candidate, first.layout == found {
            candidate = nil
            guard expected == nil else {
                otherLayout = found
                counters.bytesSkipped += first.reading.bytes + reading.bytes
                return
            }
            confirm(found)
            send(first.reading, emit)
            send(reading, emit)
        } else {
            dropCandidate(.rowShape, emit)
            candidate = (reading, found)
        }
    }

    private mutating func confirm(_ found: MiniTofLayout) {
        layout = found
        expected = found
    }

    private mutating func dropCandidate(_ fault: FrameFault, _ emit: (DecoderEvent) -> Void) {
        guard let dropped = candidate else { return }
        candidate = nil
        counters.bytesSkipped += dropped.reading.bytes
        reject(fault, emit)
    }

    // MARK: Frames go out

    private mutating func send(_ reading: MiniTofReading, _ emit: (DecoderEvent) -> Void) {
        rejectedInARow = 0
        guard reading.window != nil else { return count(reading.frame, reading.bytes, emit) }
        var outcomes: [MiniTofWindows.Outcome] = []
        windows.take(reading) { outcomes.append($0) }
        for outcome in outcomes {
            switch outcome {
            case .frame(let frame, let bytes): count(frame, bytes, emit)
            case .refused(let fault, let bytes): refuse(bytes, fault, emit)
            }
        }
    }

    private mutating func count(_ frame: FirmwareFrame, _ bytes: UInt64, _ emit: (DecoderEvent) -> Void) {
        counters.framesDecoded += 1
        bytesInFrames += bytes
        emit(.frame(frame))
    }

    /// What waits for more readings will not get them.
    mutating func giveUpWindows(_ fault: FrameFault, _ emit: (DecoderEvent) -> Void) {
        for bytes in windows.lose() { refuse(bytes, fault, emit) }
    }

    /// Readings that were whole and made no frame.
    private mutating func refuse(_ bytes: UInt64, _ fault: FrameFault, _ emit: (DecoderEvent) -> Void) {
        counters.bytesSkipped += bytes
        emit(.rejected(fault))
        counters.rejected[fault, default: 0] += 1
    }

    // MARK: Words

    /// A line of its own, behind another line.
    mutating func heardLine(_ start: UnsafeRawPointer, endingAt end: Int, _ emit: (DecoderEvent) -> Void) {
        if let (first, line) = MiniTofText.line(start, endingAt: end) {
            counters.bytesSkipped += UInt64(first)
            heard(line, bytes: end + 1 - first, emit)
            return
        }
        bytesInText += UInt64(end + 1)
        let text = UnsafeRawBufferPointer(start: start, count: end)
        let words = text.last == MiniTofText.carriageReturn ? text.dropLast() : text[...]
        if !words.isEmpty { emit(.log(.remark(escaped(words)))) }
    }

    /// A line of the firmware, in whatever it came.
    mutating func heard(_ line: FirmwareLine, bytes: Int, _ emit: (DecoderEvent) -> Void) {
        if place == .open || place == .closed { spoil(.damagedByReset, emit) }
        if line.isRestart {
            // What comes next may have another layout, and begin like a frame of this one.
            dropCandidate(.damagedByReset, emit)
            doubtLayout()
            giveUpWindows(.damagedByReset, emit)
        }
        bytesInText += UInt64(bytes)
        emit(.log(line))
        place = .outside
        isAnchored = true
        position = .words
    }
}
