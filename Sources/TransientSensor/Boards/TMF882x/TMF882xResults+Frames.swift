/// Rows and `#Obj` lines, and the frames that come of them.
extension TMF882xResults {
    /// Takes a row of counts, or says why it is damage. Rows of other sensors are counted and left alone.
    mutating func rowCame(_ line: UnsafeRawBufferPointer, _ bytes: UInt64, _ judge: Judge) -> FrameFault? {
        guard let head = TMF882xRow.head(of: line), let start = line.baseAddress else { return .malformed }
        let end = start + line.count
        let isNext = sensors.isOurs(head.address) && isNext(head.index)
        guard frame.read(head.numbers, to: end, index: head.index, capture: isNext ? captures : nil) else {
            return TMF882xRow.fault(head.numbers, to: end)
        }
        rightRows += 1
        guard isNext else {
            counters.bytesSkipped += bytes
            rowIsNotNext(of: head.address, judge)
            return nil
        }
        _ = sensors.heard(head.address)
        openBytes += bytes
        rows += 1
        if rows == TMF882xLayout.rowsPerCapture {
            rows = 0
            captures += 1
        }
        return nil
    }

    private func isNext(_ index: Int) -> Bool {
        switch place {
        case .joining, .inStep: index == rows && captures < (layout?.capturesPerResult ?? 2)
        case .spoiled, .given: false
        }
    }

    private mutating func rowIsNotNext(of address: Int, _ judge: Judge) {
        if sensors.isOurs(address) {
            _ = sensors.heard(address)
            if place == .inStep || rows + captures > 0 { spoil(.missingPart) }
        } else if sensors.heard(address) {
            skipOpenBytes()
            frame.clear()
            (captures, rows) = (0, 0)
            place = .joining
        }
        tellOfOther(judge)
    }

    private mutating func tellOfOther(_ judge: Judge) {
        if let other = sensors.newOther() { _ = judge(.otherSensor(address: other)) }
    }

    // MARK: Damage

    /// The frame cannot be kept. Why is told with the end of the result; where it may have begun before anybody listened, never.
    mutating func spoil(_ fault: FrameFault) {
        skipOpenBytes()
        switch place {
        case .joining: (captures, rows) = (0, 0)
        case .inStep: place = .spoiled(fault)
        case .spoiled, .given: break
        }
    }

    /// Tells the fault that waits for the end of a result which may never come.
    mutating func tell(_ judge: Judge) {
        guard case .spoiled(let fault) = place else { return }
        place = .given
        reject(fault, judge)
    }

    private mutating func reject(_ fault: FrameFault, _ judge: Judge) {
        if judge(.rejected(fault)) { counters.rejected[fault, default: 0] += 1 }
    }

    /// All rows of a result are there.
    var isDue: Bool { place == .inStep && rows == 0 && captures == layout?.printedCaptures }

    /// A line that must have been an `#Obj` line: the result is over, and its number is not known.
    mutating func objectsWereDamaged(_ fault: FrameFault, _ judge: Judge) {
        count.resultWasUnreadable()
        spoil(fault)
        endResult(number: count.unreadableNumber, judge)
    }

    // MARK: The end of a result

    /// The last line of a result, and a right one.
    mutating func objectsCame(_ bytes: UInt64, _ judge: Judge) {
        rightRows += 1
        let isOurs = sensors.isOurs(objects.address)
        let changes = sensors.heard(objects.address)
        tellOfOther(judge)
        guard isOurs, !changes else {
            counters.bytesSkipped += bytes
            // Nobody else is there, and ours is due: a damaged address.
            if sensors.isAlone, isDue, captures > 0 { objectsWereDamaged(.malformed, judge) }
            return
        }
        openBytes += bytes
        let perFrame = layout?.resultsPerFrame ?? 1
        var number = objects.number
        switch count.take(number, tick: objects.tick, resultsPerFrame: perFrame) {
        // A new count's first result goes on with no frame of the old one.
        case .first, .perhapsAnew: break
        case .next(let missing): tellMissing(missing, judge)
        case .repeated: spoil(.repeated)
        // Where the number tells whose part a result is, it is nobody's.
        case .unlikely where perFrame > 1:
            spoil(.malformed)
            number = count.unreadableNumber
        case .unlikely: break
        case .anew(let missing):
            _ = judge(.beganAnew)
            tellMissing(missing, judge)
        }
        if layout == nil { learn(judge) }
        endResult(number: number, judge)
    }

    private mutating func tellMissing(_ missing: UInt64, _ judge: Judge) {
        if missing > 0, judge(.missing(missing)) { counters.framesMissing = (counters.framesMissing ?? 0) + missing }
    }

    /// What a whole result tells of the layout of all.
    private mutating func learn(_ judge: Judge) {
        // One that was joined has its beginning only if it has all that a result can have.
        guard rows == 0, place == .inStep || place == .joining && captures == 2 else { return }
        if let side = hint.side(captures: captures, objects) {
            let learned = TMF882xLayout(side: side, hasHistograms: captures > 0)
            layout = learned
            // In the middle of a frame: its first results are gone.
            let perFrame = UInt8(learned.resultsPerFrame)
            if objects.number % perFrame != 0 { frame.lostCycle = objects.number / perFrame }
        } else {
            _ = judge(.gridUnknown)
        }
    }

    private mutating func endResult(number: UInt8, _ judge: Judge) {
        let perFrame = UInt8(layout?.resultsPerFrame ?? 1)
        let cycle = number / perFrame
        let isWhole = rows == 0 && captures == layout?.printedCaptures
        switch place {
        case .joining where isWhole, .inStep where isWhole: takeResult(layout!, part: Int(number % perFrame), cycle, judge)
        // Of a frame that nobody has seen begin.
        case .joining: skip(cycle)
        // Of a stream that is still being learned.
        case .inStep where layout == nil && rows == 0: skip(cycle)
        case .inStep: lose(captures > layout?.printedCaptures ?? 2 ? .malformed : .missingPart, cycle: cycle, judge)
        case .spoiled(let fault): lose(fault, cycle: cycle, judge)
        case .given: skip(cycle)
        }
        (captures, rows) = (0, 0)
        place = .inStep
    }

    /// A whole result: part of the frame that has begun, or the beginning of one.
    private mutating func takeResult(_ layout: TMF882xLayout, part: Int, _ cycle: UInt8, _ judge: Judge) {
        if !frame.takes(part: part, number: objects.number) {
            guard part == 0 else { return place == .joining ? skip(cycle) : lose(.missingPart, cycle: cycle, judge) }
            giveUpFrame(.missingPart, judge)
        }
        frame.add(objects, layout, bytes: openBytes)
        openBytes = 0
        guard frame.parts == layout.resultsPerFrame else { return }
        let bytes = frame.bytes
        if judge(.frame(frame.whole(layout, deviceUs: count.deviceUs, temperature: objects.temperature, arrival: arrival))) {
            counters.framesDecoded += 1
            bytesInFrames += bytes
        } else {
            counters.bytesSkipped += bytes
        }
        frame.clear()
    }

    /// The frame that was begun is lost; the result that has just come is none of it, and keeps its rows and bytes.
    private mutating func giveUpFrame(_ fault: FrameFault, _ judge: Judge) {
        counters.bytesSkipped += frame.bytes
        reject(fault, judge)
        frame.moveToFront()
    }

    /// The frame of this cycle is lost, and nobody is told: it has been told, or there is nothing to tell.
    private mutating func skip(_ cycle: UInt8) {
        skipOpenBytes()
        frame.clear()
        frame.lostCycle = cycle
    }

    /// The frame of this cycle is lost, and so is another that was begun; each is told once.
    private mutating func lose(_ fault: FrameFault, cycle: UInt8, _ judge: Judge) {
        if !frame.isEmpty, frame.cycle != cycle { reject(fault, judge) }
        if frame.lostCycle != cycle { reject(fault, judge) }
        skip(cycle)
    }
}
