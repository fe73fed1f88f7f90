/// The cc-hardware VL53L8CH firmware as a value: bytes and time in, bytes out. It reads no clock and does no I/O.
///
/// The board says what it has to say, waits, and does the next thing; nothing interrupts a line. The same seed and the
/// same input give the same bytes, whatever the times at which `advance` is called.
/// Source: cc-hardware `Core/Src/app.c`, `main.c`; timings are estimates where that code does not fix them.
public struct EmulatedVL53L8CH: Sendable {
    /// How the host finds the board.
    public enum Joining: Sendable {
        /// At power-up or the press of the reset button.
        case atReset
        /// Streaming its default configuration, somewhere inside a frame.
        case midStream
    }

    /// What happens when the text is out and its wait is over.
    private enum Step: Equatable {
        case boot
        case ready
        /// Reports that the sensor cannot be used.
        case fail(String)
        case apply(BoardConfiguration, fromHost: Bool)
        case startRanging(BoardConfiguration)
        case measure(BoardConfiguration)
        case printFrame(BoardConfiguration)
        case endFrame(BoardConfiguration)
        case nothing
    }

    /// What the ULD of the public repository calls itself.
    public static let version = "VL53LMZ_2.0.10"

    /// Whole frames printed since the start, error lines in their place not counted.
    public private(set) var framesPrinted: UInt64 = 0
    /// Host bytes that the board's receiver had no room for.
    public var bytesOverrun: UInt64 { receiver.overrun + inboxOverrun }
    /// The numbers of the frame that is being printed or was printed last.
    private(set) var numbers = FrameNumbers()

    private let options: EmulationOptions
    private let startNs: UInt64
    private var model: HistogramModel
    private var lineNoise: SeededGenerator
    private var lineIsRight = true

    private var clockNs: UInt64
    private var step = Step.nothing
    /// Wait between the text's last byte and `step`; `never` waits for a packet.
    private var stepDelayNs: UInt64 = 0
    private var stepDueNs: UInt64 = 0
    private var text: [UInt8] = []
    private var sent = 0
    /// The moment at which byte `textBase` of the text began to leave.
    private var textStartNs: UInt64 = 0
    private var textBase = 0

    private var receiver = PacketReceiver()
    private var inbox: [(atNs: UInt64, bytes: [UInt8])] = []
    private var inboxBytes = 0
    private var inboxOverrun: UInt64 = 0
    /// In the pause after a failure full packets are thrown away.
    private var isPausing = false
    private var frameStartNs: UInt64 = 0
    private var framesMeasured: UInt64 = 0
    private var framesSinceReset: UInt64 = 0

    private static let never = UInt64.max
    private static let ms: UInt64 = 1_000_000
    private static let inboxLimit = 4096

    public init(
        scene: SimulatedScene, options: EmulationOptions = EmulationOptions(), seed: UInt64, startNs: UInt64 = 0,
        joining: Joining = .atReset
    ) {
        self.options = options
        self.startNs = startNs
        clockNs = startNs
        model = HistogramModel(scene: scene, seed: seed)
        lineNoise = SeededGenerator(seed: ~seed)
        for index in 0..<options.faults.strayBytes { receiver.take(Array("AT\r".utf8)[index % 3]) }
        let beginNs = startNs + options.faults.firstByteDelayNs
        let sensorWorks = !options.faults.silentSensor && !options.faults.sensorMissing && !options.faults.loadingFails
        if joining == .midStream && sensorWorks {
            joinFrame(atNs: beginNs)
        } else {
            step = .boot
            stepDueNs = beginNs
        }
    }

    /// The black button: the board starts again, its receiver empty, its configuration the default.
    public mutating func reset(atNs: UInt64) {
        clockNs = max(clockNs, atNs)
        restart()
    }

    /// What the host set on its side. Anything but 2,250,000 8N1 makes garbage of both directions, byte for byte.
    public mutating func setLineCoding(_ coding: LineCoding, dataBits: UInt8 = 8, stopBits: UInt8 = 0) {
        lineIsRight = coding == SensorProfile.nucleoVL53L8CH.lineCoding && dataBits == 8 && stopBits == 0
    }

    /// Bytes from the host. They take effect when `advance` passes `atNs`.
    public mutating func receive(_ bytes: some Collection<UInt8>, atNs: UInt64) {
        let room = min(bytes.count, Self.inboxLimit - inboxBytes)
        inboxOverrun += UInt64(bytes.count - room)
        guard room > 0 else { return }
        inbox.append((max(atNs, inbox.last?.atNs ?? clockNs), Array(bytes.prefix(room))))
        inboxBytes += room
    }

    /// When `advance` has something to do next; nil when nothing will happen by itself.
    public var nextEventNs: UInt64? {
        let next = min(ownEventNs, inbox.first?.atNs ?? Self.never)
        return next == Self.never ? nil : next
    }

    /// Lets time pass up to and including `toNs` and hands out what the board sends meanwhile, in order.
    public mutating func advance(toNs now: UInt64, _ emit: (UnsafeRawBufferPointer) -> Void) {
        while let due = nextEventNs, due <= now {
            clockNs = max(clockNs, due)
            if let arrival = inbox.first, arrival.atNs <= due {
                inbox.removeFirst()
                inboxBytes -= arrival.bytes.count
                for byte in arrival.bytes { deliver(byte) }
            } else if sent < text.count {
                transmit(emit)
            } else {
                perform()
            }
        }
        clockNs = max(clockNs, now)
    }

    private var ownEventNs: UInt64 {
        guard sent < text.count else { return stepDueNs == Self.never ? Self.never : max(stepDueNs, clockNs) }
        let end = min(sent + max(1, options.burstBytes), text.count)
        return max(clockNs, textStartNs + UInt64(end - textBase) * 1_000_000_000 / options.bytesPerSecond)
    }
}

// MARK: - The line

extension EmulatedVL53L8CH {
    private mutating func transmit(_ emit: (UnsafeRawBufferPointer) -> Void) {
        let end = min(sent + max(1, options.burstBytes), text.count)
        if lineIsRight {
            text.withUnsafeBytes { emit(UnsafeRawBufferPointer(rebasing: $0[sent..<end])) }
        } else {
            let garbage = (sent..<end).map { _ in garbageByte() }
            garbage.withUnsafeBytes(emit)
        }
        sent = end
        if sent == text.count { textIsOut() }
    }

    private mutating func garbageByte() -> UInt8 { UInt8(truncatingIfNeeded: lineNoise.next()) }

    /// Prints, then waits, then goes on.
    private mutating func say(_ line: String = "", then next: Step, afterNs delay: UInt64) {
        text.removeAll(keepingCapacity: true)
        text.append(contentsOf: line.utf8)
        startText(then: next, afterNs: delay)
    }

    private mutating func startText(then next: Step, afterNs delay: UInt64) {
        sent = 0
        textBase = 0
        textStartNs = clockNs
        step = next
        stepDelayNs = delay
        if text.isEmpty { textIsOut() }
    }

    private mutating func textIsOut() {
        stepDueNs = stepDelayNs == Self.never ? Self.never : clockNs + stepDelayNs
    }

    private mutating func deliver(_ byte: UInt8) {
        guard step != .nothing else { return }
        receiver.take(lineIsRight ? byte : garbageByte())
        guard receiver.isFull else { return }
        if isPausing {
            receiver.discardFull()
        } else if sent == text.count, case .measure = step {
            // Between frames the main loop looks at once; elsewhere the packet waits for it.
            takePacket()
        } else if options.frameStop == .afterRow, case .endFrame = step, sent < text.count {
            let rowEnd = text[sent...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count - 1
            text.removeSubrange((rowEnd + 1)...)
            if sent == text.count { textIsOut() }
        }
    }

    private mutating func takePacket() {
        if let configuration = receiver.packet() { load(configuration, fromHost: true) }
    }
}

// MARK: - The firmware's main loop

extension EmulatedVL53L8CH {
    private mutating func perform() {
        switch step {
        case .boot: say("\n\nVL53LMZ CC Hardware Driver\n\n", then: .ready, afterNs: 20 * Self.ms)
        case .ready:
            isPausing = false
            text.removeAll(keepingCapacity: true)
            text.append(contentsOf: "VL53LMZ ULD ready! (Version: \(Self.version))\n".utf8)
            load(.firmwareDefault, fromHost: false, keepingText: true)
        case .fail(let line): fail(with: line)
        case .apply(let configuration, let fromHost): apply(configuration, fromHost: fromHost)
        case .startRanging(let configuration):
            say(
                "Sensor configuration applied and ranging started.\n", then: .measure(configuration),
                afterNs: periodNs(configuration))
        case .measure(let configuration): measure(configuration)
        case .printFrame(let configuration): printFrame(configuration)
        case .endFrame(let configuration): endFrame(configuration)
        case .nothing: stepDueNs = Self.never
        }
    }

    private mutating func restart() {
        receiver = PacketReceiver()
        isPausing = false
        framesSinceReset = 0
        say(then: .boot, afterNs: 0)
    }

    /// The sensor's own firmware goes over the bus first, for about 1.2 s; only then is there a word about the configuration.
    private mutating func load(_ configuration: BoardConfiguration, fromHost: Bool, keepingText: Bool = false) {
        if !keepingText { text.removeAll(keepingCapacity: true) }
        if options.faults.silentSensor {
            startText(then: .nothing, afterNs: 0)
        } else if options.faults.sensorMissing {
            startText(then: .fail("VL53LMZ not detected at requested address\n"), afterNs: 10 * Self.ms)
        } else if options.faults.loadingFails {
            startText(then: .fail("VL53LMZ ULD Loading failed\n"), afterNs: 1200 * Self.ms)
        } else {
            startText(then: .apply(configuration, fromHost: fromHost), afterNs: 1200 * Self.ms)
        }
    }

    private mutating func apply(_ configuration: BoardConfiguration, fromHost: Bool) {
        let lines = "Applying sensor configuration...\nResolution: \(configuration.resolution)\n"
        if let refusal = configuration.refusal {
            fail(with: lines + refusal)
        } else if fromHost, let status = options.faults.refusalStatus {
            fail(with: lines + BoardConfiguration.error(line: 246, "vl53lmz_cnh_send_config failed", status: status))
        } else {
            say(lines, then: .startRanging(configuration), afterNs: 1000 * Self.ms)
        }
    }

    private mutating func fail(with lines: String) {
        receiver.discardFull()
        isPausing = true
        say(lines + "Error: process_config failed\n", then: .ready, afterNs: 2000 * Self.ms)
    }

    /// From frame to frame as asked; `never` where the sensor would send none. Below 2 Hz real ones were seen to stay silent.
    private func periodNs(_ configuration: BoardConfiguration) -> UInt64 {
        let asked = configuration.frequencyHz
        if asked < 2 || asked > configuration.highestHz && options.excessRate == .stopsFrames { return Self.never }
        return 1_000_000_000 / UInt64(min(asked, configuration.highestHz))
    }

    private mutating func measure(_ configuration: BoardConfiguration) {
        if receiver.isFull { return takePacket() }
        frameStartNs = clockNs
        model.measure(configuration, atSeconds: Double(clockNs - startNs) * 1e-9, into: &numbers)
        framesMeasured += 1
        applyHistogramFaults()
        say(then: .printFrame(configuration), afterNs: configuration.busNs)
    }

    private mutating func printFrame(_ configuration: BoardConfiguration) {
        if let every = options.faults.extractionErrorEvery, framesMeasured % every == 0 {
            // 2: corrupted frame.
            say("Error: vl53lmz_results_extract_block failed: 2\n", then: .measure(configuration), afterNs: nextFrameDelayNs(configuration))
            return
        }
        text.removeAll(keepingCapacity: true)
        numbers.print(to: &text)
        if options.faults.resetAfterFrames == framesSinceReset {
            var cut = text.count / 2
            if text[cut - 1] == UInt8(ascii: "\n") { cut += 1 }
            text.removeSubrange(cut...)
            startText(then: .boot, afterNs: 0)
            receiver = PacketReceiver()
            framesSinceReset = 0
        } else {
            startText(then: .endFrame(configuration), afterNs: 0)
        }
    }

    private mutating func endFrame(_ configuration: BoardConfiguration) {
        framesPrinted += 1
        framesSinceReset += 1
        if framesPrinted == options.faults.silentAfterFrames {
            say(then: .nothing, afterNs: 0)
        } else if receiver.isFull {
            takePacket()
        } else {
            say(then: .measure(configuration), afterNs: nextFrameDelayNs(configuration))
        }
    }

    /// What is left of the period; printing and the bus may have used up more than all of it.
    private func nextFrameDelayNs(_ configuration: BoardConfiguration) -> UInt64 {
        let period = periodNs(configuration)
        let used = clockNs - frameStartNs
        return period == Self.never ? Self.never : period > used ? period - used : 0
    }

    private mutating func applyHistogramFaults() {
        let faults = options.faults
        if faults.histogramStep > 1 {
            for index in numbers.histogram.indices { numbers.histogram[index] -= numbers.histogram[index] % faults.histogramStep }
        }
        if let every = faults.overflowEvery, framesMeasured % every == 0, !numbers.histogram.isEmpty {
            numbers.histogram[numbers.histogram.count / 2] = 70_000
        }
    }

    /// Starts inside the text of a frame, at a byte that the seed chooses.
    private mutating func joinFrame(atNs: UInt64) {
        clockNs = atNs
        frameStartNs = atNs
        model.measure(.firmwareDefault, atSeconds: 0, into: &numbers)
        numbers.print(to: &text)
        startText(then: .endFrame(.firmwareDefault), afterNs: 0)
        sent = Int.random(in: 1..<text.count, using: &lineNoise)
        textBase = sent
    }
}
