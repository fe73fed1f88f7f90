extension EmulatedTMF882x {
    /// What the sketch does next.
    enum Step: Equatable {
        /// The boot loader waits for an upload.
        case boot
        case hello
        /// mini_tof's sensor has taken its firmware, and the sketch speaks for the first time.
        case range
        /// The sensor has taken its firmware.
        case loaded(is8828: Bool)
        case idle
        /// Found in the middle of a row.
        case join
        /// A result begins.
        case measure
        /// A sub-capture has been counted.
        case capture(Int)
        /// A row of a sub-capture has been fetched over the bus.
        case row(Int, capture: Int, isCalibration: Bool)
        case objects
        case printed
        /// Nothing, for ever.
        case nothing
    }

    /// The measurement that is going on.
    struct Measuring: Sendable {
        var startNs: UInt64 = 0
        var resultStartNs: UInt64 = 0
        /// Results since the command, less one.
        var result: UInt64 = 0
        /// The last that was printed, where the sensor does not wait.
        var lastPrinted: UInt64?
    }

    /// 132 bytes at 400 kHz, nine bits each.
    static let busNs: UInt64 = 3_000_000
    static let bootLoaderNs: UInt64 = 1_500_000_000
    static let loadNs: UInt64 = 700_000_000
    /// The mini_tof sketch calibrates before it begins.
    static let calibrationNs: UInt64 = 2_000_000_000

    mutating func perform() {
        switch step {
        case .boot: say(then: .hello, afterNs: Self.bootLoaderNs)
        case .hello: hello()
        case .range: sayRange()
        case .loaded(let is8828): loaded(is8828)
        case .idle, .nothing: stepDueNs = Self.never
        case .join: join()
        case .measure: measure()
        case .capture(let capture): captured(capture)
        case .row(let row, let capture, let isCalibration): printRow(row, capture, isCalibration)
        case .objects: printObjects()
        case .printed: resultIsOut()
        }
    }

    // MARK: Start

    private mutating func hello() {
        guard firmware == .miniTof else { return say(help + stateLine, then: .idle, afterNs: Self.never) }
        guard options.faults.sensor == .working else { return say(then: .nothing) }
        say(then: .range, afterNs: Self.loadNs + (options.tmf882x.saysRangeFirst ? 0 : Self.calibrationNs))
    }

    private mutating func sayRange() {
        state = .measure
        histogramLevel = 1
        let rest = options.tmf882x.saysRangeFirst ? Self.calibrationNs : 0
        startMeasuring(afterNs: rest)
        say(" DWNL\nFact Cal\nActive range: 6E\n", then: .measure, afterNs: rest)
    }

    private mutating func loaded(_ is8828: Bool) {
        guard options.faults.sensor == .working else {
            state = options.faults.sensor == .refusingFirmware ? .disabled : .error
            return say("#Err,Config\n" + stateLine, then: .idle, afterNs: Self.never)
        }
        state = .stopped
        settingIndex = 0
        histogramLevel = 0
        switch options.tmf882x.loading {
        case .setsMode: self.is8828 = is8828
        case .keepsMode: if is8828 { self.is8828 = true }
        case .goesBackTo8x8: self.is8828 = true
        }
        say(
            (is8828 ? "" : "#Err,mode switch to,1\n") + settingLine + help
                + "Driver 1.14 FW 1.2.3.4. Chip 8.28 Serial 0x12345678\n" + stateLine,
            then: .idle, afterNs: Self.never)
    }

    // MARK: Commands

    mutating func obey(_ command: UInt8) {
        switch Character(Unicode.Scalar(command)) {
        case "h": answer(help)
        case "q": resume("")
        case "e" where state == .disabled: say(" DWNL\n", then: .loaded(is8828: true), afterNs: Self.loadNs)
        case "E" where state == .disabled: say(" DWNL\n", then: .loaded(is8828: false), afterNs: Self.loadNs)
        case "d", "#": answer(command == UInt8(ascii: "#") ? "Reset TMF8828\n" : "", .disabled)
        case "w" where state == .standby: answer("", .stopped)
        case "p" where state == .stopped: answer("", .standby)
        case "m" where state == .stopped:
            startMeasuring(afterNs: 0)
            state = .measure
            say(stateLine, then: .measure)
        case "s" where state == .measure: answer("", .stopped)
        case "c" where state == .stopped: nextSetting()
        case "z" where state == .stopped:
            if options.faults.refusalStatus == nil { histogramLevel = (histogramLevel + 1) % 4 }
            answer("Histogram is \(histogramLevel)\n")
        case "o" where state == .stopped || state == .disabled && options.tmf882x.loading == .keepsMode:
            is8828.toggle()
            settingIndex = 0
            answer("")
        case "O" where firmware == .ccHardware && state == .stopped:
            isLong.toggle()
            answer("")
        case "f" where state == .stopped: answer("Fact Cal\n")
        case "x" where state == .stopped: answer("Clk corr is 0\n")
        case let other: answer("#Err,Cmd \(other)\n")
        }
    }

    private mutating func nextSetting() {
        guard options.faults.refusalStatus == nil else { return answer("#Err,Config\n") }
        settingIndex = (settingIndex + 1) % firmware.settings(of8828: is8828).count
        answer(settingLine)
    }

    private mutating func answer(_ text: String, _ next: TMF882xText.State? = nil) {
        if let next { state = next }
        resume(text + stateLine)
    }

    /// Goes on with what a command came in between, if it still can.
    private mutating func resume(_ text: String) {
        let interrupted = step
        let wait = stepDueNs == Self.never ? Self.never : stepDueNs - min(stepDueNs, clockNs)
        if state == .measure { say(text, then: interrupted, afterNs: wait) } else { say(text, then: .idle, afterNs: Self.never) }
    }

    var setting: TMF882xFirmware.Setting { firmware.settings(of8828: is8828)[settingIndex] }

    private var stateLine: String { "\(is8828 ? "TMF8828" : "TMF882x") state=\(state.rawValue)\n" }

    private var settingLine: String {
        "#Conf,Period=\(setting.periodMs)ms,KIter=\(setting.kIterations) SPAD=\(setting.spadMap) Pers=0\n"
    }

    /// About as long as the real one.
    private var help: String {
        let words = [
            ("h", "shows these lines"), ("e", "powers the sensor and loads the program for eight by eight zones"),
            ("E", "powers the sensor and loads the program for the other grids"), ("d", "takes the sensor's power away"),
            ("w", "wakes the sensor from standby"), ("p", "puts the sensor into standby"), ("m", "begins to measure"),
            ("s", "ends a measurement"), ("c", "goes on to the next configuration of the table"),
            ("f", "calibrates, with the sensor covered as its papers say"), ("l", "shows the page of the calibration"),
            ("r", "brings back the calibration that was stored"), ("z", "goes on to the next kind of histograms"),
            ("o", "changes between the two modes of the sensor"), ("t", "changes how long a target is remembered"),
            ("i", "changes the sensor's address on the bus"), ("x", "corrects the clock, or does not"), ("a", "shows all registers"),
            ("+", "says more"), ("-", "says less"), ("#", "resets the sensor"), ("q", "does nothing at all"),
        ]
        return "TMF8828 on an Arduino: commands\n" + words.map { "  \($0.0) ... \($0.1)\n" }.joined()
    }
}
