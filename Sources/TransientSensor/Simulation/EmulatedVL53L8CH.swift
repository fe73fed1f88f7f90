/// The cc-hardware VL53L8CH firmware as a value: bytes and time in, bytes out. It reads no clock and does no I/O.
///
/// The board says what it has to say, waits, and does the next thing; nothing interrupts a line. The same seed and the
/// same input give the same bytes, whatever the times at which `advance` is called.
/// Source: cc-hardware `Core/Src/app.c`, `main.c`; timings are estimates where that code does not fix them.
public struct EmulatedVL53L8CH: EmulatedFirmware {
    /// What the ULD of the public repository calls itself.
    public static let version = "VL53LMZ_2.0.10"

    /// Whole frames printed since the start.
    public internal(set) var framesPrinted: UInt64 = 0
    /// Host bytes that the board's receiver had no room for.
    public var bytesOverrun: UInt64 { receiver.overrun + inbox.overrun }
    /// The numbers of the frame that is being printed or was printed last.
    var numbers = FrameNumbers()

    let options: EmulationOptions
    let startNs: UInt64
    var clockNs: UInt64
    /// What happens when the text is out and its wait is over.
    var step = Step.nothing
    /// Between the text's last byte and `step`; `never` waits for a packet.
    var stepDelayNs: UInt64 = 0
    var stepDueNs: UInt64 = 0
    var transmitter: SerialTransmitter
    var receiver = PacketReceiver()
    /// In the pause after a failure full packets are thrown away.
    var isPausing = false
    var model: HistogramModel
    var frameStartNs: UInt64 = 0
    var framesMeasured: UInt64 = 0
    var framesSinceReset: UInt64 = 0

    private var inbox = HostInbox()
    /// Garbage, the place where a late host joins, and distances that scatter.
    var lineNoise: SeededGenerator
    private var lineIsRight = true

    static let never = UInt64.max

    public init(_ plan: EmulatorPlan) {
        options = plan.options
        startNs = plan.startNs
        clockNs = startNs
        transmitter = SerialTransmitter(bytesPerSecond: options.bytesPerSecond, burstBytes: options.burstBytes)
        model = HistogramModel(scene: plan.scene, seed: plan.seed)
        lineNoise = SeededGenerator(seed: ~plan.seed)
        // What a modem manager leaves behind.
        for byte in "AT\rAT\rAT\rAT\rAT\rAT\rAT\rAT\rA".utf8.prefix(options.faults.strayBytes) { receiver.take(byte) }
        step = plan.joining == .midStream && options.faults.sensor == .working ? .join : .boot
        stepDueNs = startNs + options.faults.firstByteDelayNs
    }

    /// The black button: the board starts again, its receiver empty, its configuration the default. `advance` to this time first.
    public mutating func reset(atNs: UInt64) {
        clockNs = max(clockNs, atNs)
        restart()
    }

    /// What the host set on its side. Anything but 2,250,000 8N1 makes garbage of both directions, byte for byte.
    public mutating func setLineCoding(_ coding: LineCoding, dataBits: UInt8, stopBits: UInt8) {
        lineIsRight = coding == SensorProfile.nucleoVL53L8CH.lineCoding && dataBits == 8 && stopBits == 0
    }

    /// Bytes from the host. They take effect when `advance` passes `atNs`.
    public mutating func receive(_ bytes: some Collection<UInt8>, atNs: UInt64) {
        inbox.put(bytes, atNs: atNs, nowNs: clockNs)
    }

    /// When `advance` has something to do next; nil when nothing will happen by itself.
    public var nextEventNs: UInt64? {
        let next = min(ownEventNs, inbox.firstNs ?? Self.never)
        return next == Self.never ? nil : next
    }

    /// Lets time pass up to and including `toNs` and hands out what the board sends meanwhile, in order.
    public mutating func advance(toNs now: UInt64, _ emit: (UnsafeRawBufferPointer) -> Void) {
        while let due = nextEventNs, due <= now {
            clockNs = max(clockNs, due)
            if let arrival = inbox.firstNs, arrival <= due {
                for byte in inbox.take() { deliver(lineIsRight ? byte : garbage()) }
            } else if transmitter.isIdle {
                perform()
            } else {
                transmit(emit)
            }
        }
        clockNs = max(clockNs, now)
    }

    private var ownEventNs: UInt64 {
        let due = transmitter.isIdle ? stepDueNs : transmitter.dueNs
        return max(due, clockNs)
    }

    private mutating func transmit(_ emit: (UnsafeRawBufferPointer) -> Void) {
        if lineIsRight {
            transmitter.sendBurst(emit)
        } else {
            transmitter.sendBurst(as: &lineNoise, emit)
        }
        if transmitter.isIdle { waitForStep() }
    }

    private mutating func garbage() -> UInt8 { UInt8(truncatingIfNeeded: lineNoise.next()) }

    /// Prints, then waits, then goes on.
    mutating func say(_ line: String = "", then next: Step, afterNs delay: UInt64) {
        transmitter.start(atNs: clockNs) { $0.append(contentsOf: line.utf8) }
        go(on: next, afterNs: delay)
    }

    /// Prints the frame, then goes on.
    mutating func sayNumbers(then next: Step) {
        transmitter.start(atNs: clockNs) { numbers.print(to: &$0) }
        go(on: next, afterNs: 0)
    }

    private mutating func go(on next: Step, afterNs delay: UInt64) {
        step = next
        stepDelayNs = delay
        if transmitter.isIdle { waitForStep() }
    }

    mutating func waitForStep() { stepDueNs = stepDelayNs == Self.never ? Self.never : clockNs + stepDelayNs }

    private mutating func deliver(_ byte: UInt8) {
        guard step != .nothing else { return }
        receiver.take(byte)
        if receiver.hasPacket { packetIsComplete() }
    }
}
