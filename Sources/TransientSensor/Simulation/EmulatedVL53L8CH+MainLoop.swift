extension EmulatedVL53L8CH {
    /// What the firmware's main loop does next.
    enum Step: Equatable {
        case boot
        case ready
        /// Begins inside a frame of the default configuration, for a host that joins late.
        case join
        /// The sensor cannot be used, and this line says so.
        case fail(String)
        case apply(BoardConfiguration, fromHost: Bool)
        case startRanging(BoardConfiguration)
        case measure(BoardConfiguration)
        case printFrame(BoardConfiguration)
        case endFrame(BoardConfiguration)
        case nextFrame(BoardConfiguration)
        case takePacket
        /// Nothing, for ever.
        case nothing
    }

    mutating func perform() {
        switch step {
        case .boot: say("\n\nVL53LMZ CC Hardware Driver\n\n", then: .ready, afterNs: .milliseconds(20))
        case .ready: sayReady()
        case .join: join()
        case .fail(let line): fail(line)
        case .apply(let configuration, let fromHost): apply(configuration, fromHost: fromHost)
        case .startRanging(let configuration): startRanging(configuration)
        case .measure(let configuration): measure(configuration)
        case .printFrame(let configuration): printFrame(configuration)
        case .endFrame(let configuration): endFrame(configuration)
        case .nextFrame(let configuration): awaitFrame(configuration)
        case .takePacket: takePacket()
        case .nothing: stepDueNs = Self.never
        }
    }

    mutating func restart() {
        receiver = PacketReceiver()
        isPausing = false
        framesSinceReset = 0
        say(then: .boot, afterNs: 0)
    }

    /// The receiver has its 26 bytes. Between frames the main loop looks at once; elsewhere the packet waits for it.
    mutating func packetIsComplete() {
        if isPausing {
            _ = receiver.packet()
        } else if transmitter.isIdle, case .measure = step {
            takePacket()
        } else if options.frameStop == .afterRow, isPrintingRows, transmitter.stopAfterRow() {
            step = .takePacket
            if transmitter.isIdle { waitForStep() }
        }
    }

    private var isPrintingRows: Bool {
        switch step {
        case .endFrame, .nextFrame: !transmitter.isIdle
        default: false
        }
    }

    private mutating func takePacket() {
        guard let configuration = receiver.packet() else { return }
        let (next, delay) = loading(configuration, fromHost: true)
        say(then: next, afterNs: delay)
    }

    private mutating func sayReady() {
        isPausing = false
        let (next, delay) = loading(.firmwareDefault, fromHost: false)
        say("VL53LMZ ULD ready! (Version: \(Self.version))\n", then: next, afterNs: delay)
    }

    /// The sensor's own firmware goes over the bus first, for about 1.2 s; only then is there a word about the configuration.
    private func loading(_ configuration: BoardConfiguration, fromHost: Bool) -> (Step, delayNs: UInt64) {
        switch options.faults.sensor {
        case .working: (.apply(configuration, fromHost: fromHost), .milliseconds(1200))
        case .missing: (.fail("VL53LMZ not detected at requested address\n"), .milliseconds(10))
        case .refusingFirmware: (.fail("VL53LMZ ULD Loading failed\n"), .milliseconds(1200))
        case .wrongId: (.nothing, 0)
        }
    }

    private mutating func apply(_ configuration: BoardConfiguration, fromHost: Bool) {
        let lines = "Applying sensor configuration...\nResolution: \(configuration.resolution)\n"
        if let refusal = configuration.refusal {
            fail(lines + refusal)
        } else if fromHost, let status = options.faults.refusalStatus {
            fail(lines + BoardConfiguration.error(line: 246, "vl53lmz_cnh_send_config failed", status: status))
        } else {
            say(lines, then: .startRanging(configuration), afterNs: .milliseconds(1000))
        }
    }

    /// After a failure the board pauses and starts over with its default, not with what it was asked.
    private mutating func fail(_ lines: String) {
        _ = receiver.packet()
        isPausing = true
        say(lines + "Error: process_config failed\n", then: .ready, afterNs: .milliseconds(2000))
    }
}

// MARK: - Frames

extension EmulatedVL53L8CH {
    private mutating func join() {
        frameStartNs = clockNs
        model.measure(.firmwareDefault, atSeconds: 0, into: &numbers)
        sayNumbers(then: .nextFrame(.firmwareDefault))
        transmitter.skip(Int.random(in: 1..<transmitter.text.count, using: &lineNoise))
    }

    private mutating func startRanging(_ configuration: BoardConfiguration) {
        say(
            "Sensor configuration applied and ranging started.\n",
            then: receiver.hasPacket ? .takePacket : .measure(configuration),
            afterNs: receiver.hasPacket ? 0 : periodNs(configuration))
    }

    /// From frame to frame as asked; `never` where the sensor would send none. Below 2 Hz real ones were seen to stay silent.
    private func periodNs(_ configuration: BoardConfiguration) -> UInt64 {
        let asked = configuration.frequencyHz
        if asked < 2 || asked > configuration.highestHz && options.excessRate == .stopsFrames { return Self.never }
        return 1_000_000_000 / UInt64(min(asked, configuration.highestHz))
    }

    private mutating func measure(_ configuration: BoardConfiguration) {
        frameStartNs = clockNs
        framesMeasured += 1
        if !isFrozen(configuration) {
            model.measure(configuration, atSeconds: Double(clockNs - startNs) * 1e-9, into: &numbers)
            numbers.spoil(options.faults, measured: framesMeasured, &lineNoise)
        }
        say(then: .printFrame(configuration), afterNs: configuration.busNs)
    }

    private mutating func printFrame(_ configuration: BoardConfiguration) {
        if let every = options.faults.extractionErrorEvery, framesMeasured % every == 0 {
            // 2 is the ULD's "corrupted frame".
            say("Error: vl53lmz_results_extract_block failed: 2\n", then: .nextFrame(configuration), afterNs: 0)
        } else if framesSinceReset == options.faults.resetAfterFrames {
            receiver = PacketReceiver()
            framesSinceReset = 0
            sayNumbers(then: .boot)
            transmitter.tear()
        } else {
            sayNumbers(then: .endFrame(configuration))
        }
    }

    private mutating func endFrame(_ configuration: BoardConfiguration) {
        framesPrinted += 1
        framesSinceReset += 1
        if framesPrinted == options.faults.silentAfterFrames {
            say(then: .nothing, afterNs: 0)
        } else {
            awaitFrame(configuration)
        }
    }

    private mutating func awaitFrame(_ configuration: BoardConfiguration) {
        if receiver.hasPacket { return takePacket() }
        // Printing and the bus may have used up more than the whole period.
        let period = periodNs(configuration)
        say(then: .measure(configuration), afterNs: period == Self.never ? period : period - min(period, clockNs - frameStartNs))
    }

    /// The frame before is told once more, if there is one of this shape.
    private func isFrozen(_ configuration: BoardConfiguration) -> Bool {
        guard let every = options.faults.frozenEvery, framesMeasured > 1, framesMeasured % every == 0 else { return false }
        return numbers.ambient.count == configuration.aggregates && numbers.bins == configuration.bins
    }
}

extension UInt64 {
    /// Nanoseconds.
    fileprivate static func milliseconds(_ count: UInt64) -> UInt64 { count * 1_000_000 }
}
