/// A board with a TMF8820/8821/8828 and one of the public sketches, as a value: bytes and time in, bytes out.
///
/// The sketch does one thing after the other: a command is taken between two lines, and nothing interrupts a line. The same seed and
/// input give the same bytes, whatever the times at which `advance` is called.
/// Source: hardware reference 3.2 to 3.7 and 8.4; the words of its help are our own.
struct EmulatedTMF882x: EmulatedFirmware {
    var framesPrinted: UInt64 = 0
    var bytesOverrun: UInt64 { inbox.overrun + commandsOverrun }

    let firmware: TMF882xFirmware
    let options: EmulationOptions
    let startNs: UInt64
    var clockNs: UInt64
    var transmitter: SerialTransmitter
    /// What happens when the text is out and its wait is over.
    var step = Step.nothing
    var stepDueNs: UInt64 = 0
    private var stepDelayNs: UInt64 = 0

    var state = TMF882xText.State.disabled
    var is8828 = true
    var settingIndex = 0
    var histogramLevel = 0
    var isLong = true
    var model: TMF882xModel
    var result = TMF882xModel.Result()
    /// Of the frame that `result` holds.
    var side = 3
    var measuring = Measuring()
    var framesSinceReset: UInt64 = 0
    var resultsSinceReset: UInt64 = 0

    /// The sketch's receive buffer; what does not fit is lost.
    private static let receiveBytes = 64
    private var commands: [UInt8] = []
    private var commandsOverrun: UInt64 = 0
    private var inbox = HostInbox()
    private var lineNoise: SeededGenerator
    private var lineIsRight = true
    private var dtrIsUp: Bool

    static let never = UInt64.max

    init(_ firmware: TMF882xFirmware, _ plan: EmulatorPlan) {
        self.firmware = firmware
        options = plan.options
        startNs = plan.startNs
        clockNs = startNs
        // Ten bits a byte.
        transmitter = SerialTransmitter(bytesPerSecond: UInt64(firmware.baud) / 10, burstBytes: options.burstBytes)
        model = TMF882xModel(scene: plan.scene, seed: plan.seed)
        lineNoise = SeededGenerator(seed: ~plan.seed)
        isLong = firmware != .miniTof
        dtrIsUp = options.tmf882x.board == .autoReset
        stepDueNs = startNs + options.faults.firstByteDelayNs
        if plan.joining == .midStream, options.faults.sensor == .working {
            is8828 = options.tmf882x.streamedSide == 8
            settingIndex = firmware.settings(of8828: is8828).firstIndex { $0.side == options.tmf882x.streamedSide } ?? 0
            histogramLevel = options.tmf882x.streamsHistograms || firmware == .miniTof ? 1 : 0
            state = .measure
            step = .join
        } else {
            step = .boot
        }
    }

    // MARK: The host's side

    mutating func reset(atNs: UInt64) {
        clockNs = max(clockNs, atNs)
        restart()
    }

    /// Garbage both ways where the rates differ. A board with USB of its own has no line that could be at a wrong rate.
    mutating func setLineCoding(_ coding: LineCoding, dataBits: UInt8, stopBits: UInt8) {
        lineIsRight =
            options.tmf882x.board == .nativeUSB || coding == LineCoding(baud: firmware.baud) && dataBits == 8 && stopBits == 0
    }

    mutating func setDTR(_ isUp: Bool, atNs: UInt64) {
        let rises = isUp && !dtrIsUp
        dtrIsUp = isUp
        clockNs = max(clockNs, atNs)
        if rises, options.tmf882x.board == .autoReset { restart() }
    }

    mutating func receive(_ bytes: some Collection<UInt8>, atNs: UInt64) { inbox.put(bytes, atNs: atNs, nowNs: clockNs) }

    // MARK: Time

    var nextEventNs: UInt64? {
        let next = min(ownEventNs, inbox.firstNs ?? Self.never)
        return next == Self.never ? nil : next
    }

    mutating func advance(toNs now: UInt64, _ emit: (UnsafeRawBufferPointer) -> Void) {
        while let due = nextEventNs, due <= now {
            clockNs = max(clockNs, due)
            if let arrival = inbox.firstNs, arrival <= due {
                for byte in inbox.take() { deliver(lineIsRight ? byte : garbage()) }
            } else if !transmitter.isIdle {
                transmit(emit)
            } else if takesCommands, !commands.isEmpty {
                obey(commands.removeFirst())
            } else {
                perform()
            }
        }
        clockNs = max(clockNs, now)
    }

    private var ownEventNs: UInt64 {
        if !transmitter.isIdle { return max(transmitter.dueNs, clockNs) }
        return takesCommands && !commands.isEmpty ? clockNs : max(stepDueNs, clockNs)
    }

    private var takesCommands: Bool {
        switch step {
        case .boot, .hello, .range, .loaded, .nothing, .join: false
        case .idle, .measure, .capture, .row, .objects, .printed: true
        }
    }

    private mutating func deliver(_ byte: UInt8) {
        // The boot loader takes it, or the sketch has no ear for it.
        guard firmware != .miniTof, step != .nothing, step != .hello, step != .boot else { return }
        guard commands.count < Self.receiveBytes else {
            commandsOverrun += 1
            return
        }
        // Less than `!`, more than `}`: no command.
        if (33..<126).contains(byte) { commands.append(byte) }
    }

    private mutating func transmit(_ emit: (UnsafeRawBufferPointer) -> Void) {
        if !dtrIsUp, options.tmf882x.board == .nativeUSB {
            transmitter.sendBurst { _ in }
        } else if lineIsRight {
            transmitter.sendBurst(emit)
        } else {
            transmitter.sendBurst(as: &lineNoise, emit)
        }
        if transmitter.isIdle { waitForStep() }
    }

    private mutating func garbage() -> UInt8 { UInt8(truncatingIfNeeded: lineNoise.next()) }

    /// Prints, then waits, then goes on. Lines end as the board's do.
    mutating func say(_ text: String = "", then next: Step, afterNs delay: UInt64 = 0) { say(Array(text.utf8), then: next, afterNs: delay) }

    mutating func say(_ text: [UInt8], then next: Step, afterNs delay: UInt64 = 0) {
        let endsWithCR = options.tmf882x.endsLinesWithCR
        transmitter.start(atNs: clockNs) {
            if endsWithCR { $0 += text.flatMap { $0 == 0x0a ? [0x0d, 0x0a] : [$0] } } else { $0 += text }
        }
        step = next
        stepDelayNs = delay
        if transmitter.isIdle { waitForStep() }
    }

    private mutating func waitForStep() { stepDueNs = stepDelayNs == Self.never ? Self.never : clockNs + stepDelayNs }

    /// The text that is being said is cut in its middle, as a reset cuts it.
    mutating func tear() { transmitter.tear() }

    /// A host that joins late has missed the beginning of the text.
    mutating func skipSome() { transmitter.skip(Int.random(in: 1..<transmitter.text.count, using: &lineNoise)) }

    mutating func randomRow(of rows: Int) -> Int { Int.random(in: 0..<rows, using: &lineNoise) }

    mutating func restart() {
        commands = []
        state = .disabled
        is8828 = true
        settingIndex = 0
        histogramLevel = 0
        isLong = firmware != .miniTof
        framesSinceReset = 0
        resultsSinceReset = 0
        say(then: .boot)
    }
}
