extension EmulatedTMF882x {
    private var capturesPerResult: Int { side == 3 ? 1 : 2 }
    private var resultsPerFrame: UInt64 { side == 8 ? 4 : 1 }
    private var printsHistograms: Bool { histogramLevel & 1 == 1 }
    /// The sensor counts on when the sketch has fetched what it has.
    private var waits: Bool { options.tmf882x.sensorWaits && histogramLevel > 0 }

    /// Of a period, what one result has.
    private var resultNs: UInt64 {
        max(UInt64(setting.periodMs) * 1_000_000 / resultsPerFrame, UInt64(capturesPerResult) * setting.captureNs)
    }

    mutating func startMeasuring(afterNs delay: UInt64) {
        side = model.recordedSide ?? setting.side ?? 0
        measuring = Measuring(startNs: clockNs + delay, resultStartNs: clockNs + delay)
    }

    /// Somewhere inside a row, or inside the one line that there is.
    mutating func join() {
        startMeasuring(afterNs: 0)
        takeFrame()
        if printsHistograms {
            let row = randomRow(of: 30)
            say(rowText(row, capture: 0, "#Raw"), then: after(row: row, capture: 0, isCalibration: false))
        } else {
            say(objectsText(), then: .printed)
        }
        skipSome()
    }

    mutating func measure() {
        guard side > 0 else {
            // What lies behind the table is no setting, and nothing is measured.
            state = .stopped
            return say("#Err,inter,0,but no data\n", then: .idle, afterNs: Self.never)
        }
        if waits {
            measuring.resultStartNs = clockNs
            return say(then: .capture(0), afterNs: setting.captureNs)
        }
        // The newest that is ready; those before it are gone.
        let ready = (clockNs - min(clockNs, measuring.startNs)) / resultNs
        guard ready > 0, ready - 1 != measuring.lastPrinted else {
            return say(then: .measure, afterNs: measuring.startNs + (ready + 1) * resultNs - clockNs)
        }
        measuring.result = ready - 1
        measuring.lastPrinted = ready - 1
        say(then: .capture(0))
    }

    mutating func captured(_ capture: Int) {
        if capture == 0 { takeFrame() }
        let calibrates = histogramLevel >= 2 && resultsSinceReset == 0
        if calibrates || printsHistograms {
            say(then: .row(0, capture: capture, isCalibration: calibrates), afterNs: Self.busNs)
        } else {
            nextCapture(after: capture)
        }
    }

    /// The scene is looked at once a frame: the four results of an 8x8 frame show one moment.
    private mutating func takeFrame() {
        guard measuring.result % resultsPerFrame == 0 || result.counts.isEmpty else { return }
        result = model.measure(
            side: side, setting, view: firmware.viewDegrees(setting), isLong: isLong, atSeconds: Double(clockNs - startNs) * 1e-9)
        if let every = options.faults.overflowEvery, framesPrinted % every == 0 {
            result.counts[TMF882xModel.bins + TMF882xModel.bins / 2] = 70_000
        }
    }

    mutating func printRow(_ row: Int, _ capture: Int, _ isCalibration: Bool) {
        let next = after(row: row, capture: capture, isCalibration: isCalibration)
        if framesSinceReset == options.faults.resetAfterFrames, row == 12, !isCalibration {
            say(rowText(row, capture: capture, "#Raw"), then: .boot)
            return tearAndRestart()
        }
        var delay: UInt64 = 0
        if case .row = next { delay = Self.busNs }
        if case .capture = next, waits { delay = setting.captureNs }
        say(rowText(row, capture: capture, isCalibration ? "#Cal" : "#Raw"), then: next, afterNs: delay)
    }

    private mutating func tearAndRestart() {
        tear()
        let said = transmitter
        restart()
        transmitter = said
    }

    private func after(row: Int, capture: Int, isCalibration: Bool) -> Step {
        if row < 29 { return .row(row + 1, capture: capture, isCalibration: isCalibration) }
        if isCalibration, printsHistograms { return .row(0, capture: capture, isCalibration: false) }
        return capture + 1 < capturesPerResult ? .capture(capture + 1) : .objects
    }

    private mutating func nextCapture(after capture: Int) {
        let isLast = capture + 1 == capturesPerResult
        say(then: isLast ? .objects : .capture(capture + 1), afterNs: isLast ? Self.busNs : waits ? setting.captureNs : 0)
    }

    mutating func printObjects() {
        resultsSinceReset += 1
        if let every = options.faults.extractionErrorEvery, resultsSinceReset % every == 0 {
            state = .stopped
            return say("#Err,inter,16,but no data\n", then: .idle, afterNs: Self.never)
        }
        if !printsHistograms, framesSinceReset == options.faults.resetAfterFrames {
            say(objectsText(), then: .boot)
            return tearAndRestart()
        }
        say(objectsText(), then: .printed)
    }

    mutating func resultIsOut() {
        if measuring.result % resultsPerFrame == resultsPerFrame - 1 {
            framesPrinted += 1
            framesSinceReset += 1
            if framesPrinted == options.faults.silentAfterFrames { return say(then: .nothing) }
        }
        guard waits else { return say(then: .measure) }
        measuring.result += 1
        let passed = clockNs - measuring.resultStartNs
        let period = UInt64(setting.periodMs) * 1_000_000 / resultsPerFrame
        say(then: .measure, afterNs: period - min(period, passed))
    }

    // MARK: Lines

    private var addresses: [Int] { options.tmf882x.hasThreeSensors ? [67, 66, 65] : [65] }

    /// A byte plane of one channel, of each sensor. The others' counts differ from the first one's.
    private func rowText(_ row: Int, capture: Int, _ tag: String) -> [UInt8] {
        var text: [UInt8] = []
        let (plane, channel) = row.quotientAndRemainder(dividingBy: TMF882xModel.channels)
        let inFrame = Int(measuring.result % resultsPerFrame) * capturesPerResult + capture
        let start = (inFrame * TMF882xModel.channels + channel) * TMF882xModel.bins
        for (index, address) in addresses.enumerated() {
            text.append(contentsOf: "\(tag),\(address),\(row)".utf8)
            for bin in 0..<TMF882xModel.bins {
                let count = tag == "#Raw" ? result.counts[start + bin] : UInt32(plane == 0 ? 20 + channel : 0)
                text.append(UInt8(ascii: ","))
                append((count + UInt32(3 * index)) >> (8 * UInt32(plane)) & 0xff, to: &text)
            }
            text.append(UInt8(ascii: "\n"))
        }
        return text
    }

    private func append(_ byte: UInt32, to text: inout [UInt8]) {
        if byte >= 100 { text.append(UInt8(ascii: "0") + UInt8(byte / 100)) }
        if byte >= 10 { text.append(UInt8(ascii: "0") + UInt8(byte / 10 % 10)) }
        text.append(UInt8(ascii: "0") + UInt8(byte % 10))
    }

    /// 36 pairs: nine zones of two sub-captures, and the second objects, of which there are none.
    private func objectsText() -> [UInt8] {
        var text: [UInt8] = []
        let first = Int(measuring.result % resultsPerFrame) * capturesPerResult * 9
        let tick = UInt32(truncatingIfNeeded: (clockNs - startNs) / 200)
        for (index, address) in addresses.enumerated() {
            let pairs = (0..<36).map { pair -> String in
                guard pair < capturesPerResult * 9, result.confidence[first + pair] > 0 else {
                    return pair < capturesPerResult * 9 ? "\(result.distanceMm[first + pair]),0" : "0,0"
                }
                return "\(result.distanceMm[first + pair] + Int64(100 * index)),\(result.confidence[first + pair])"
            }
            let seen = pairs.count { $0 != "0,0" }
            let number = UInt8(truncatingIfNeeded: measuring.result + UInt64(40 * index))
            text.append(contentsOf: "#Obj,\(address),\(number),\(result.temperature),\(seen),\(tick)".utf8)
            for pair in pairs { text.append(contentsOf: ",\(pair)".utf8) }
            text.append(UInt8(ascii: "\n"))
        }
        return text
    }
}
