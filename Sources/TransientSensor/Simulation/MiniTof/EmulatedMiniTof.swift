/// A mini_tof VL53L8CH firmware as a value: bytes and time in, bytes out. It reads no clock and does no I/O.
///
/// It measures, sends all that it has measured, and measures again; nothing that the host says is heard.
/// Source: mini_tof `microcontroller/vl53l8ch`, mini_tof_firmware `VL53L8CH/firmware`; the metadata record is that of the public readers.
/// The words after `is_alive` and the version's number are made up.
public struct EmulatedMiniTof: EmulatedFirmware {
    public static let version = "VL53LMZ_2.0.2"

    public private(set) var framesPrinted: UInt64 = 0
    /// Nothing is read, and so nothing overruns.
    public var bytesOverrun: UInt64 { 0 }

    private enum Step {
        case boot, loaded, started, join, measure, send, sent
        case fail(String)
        case nothing
    }

    private let options: EmulationOptions
    private let startNs: UInt64
    private var clockNs: UInt64
    private var step: Step
    private var stepDelayNs: UInt64 = 0
    private var stepDueNs: UInt64
    private var transmitter: SerialTransmitter
    private var source: MiniTofRecords
    private var lineNoise: SeededGenerator
    private var lineIs = Line.right
    private var isDTRUp = false
    private var frameStartNs: UInt64 = 0
    private var framesSinceReset: UInt64 = 0

    /// What the host's side is set to.
    private enum Line {
        case right
        /// Another parity or number of bits: about half of the bytes come damaged, and none is missing.
        case wrongBits
        case wrongRate
    }

    private static let never = UInt64.max
    /// 921,600 baud, eleven bits a byte.
    private static let lineBytesPerSecond: UInt64 = 921_600 / 11

    public init(_ plan: EmulatorPlan) {
        options = plan.options
        startNs = plan.startNs
        clockNs = startNs
        transmitter = SerialTransmitter(
            bytesPerSecond: min(options.bytesPerSecond, Self.lineBytesPerSecond), burstBytes: options.burstBytes)
        source = MiniTofRecords(plan)
        lineNoise = SeededGenerator(seed: ~plan.seed)
        step = plan.joining == .midStream && options.faults.sensor == .working ? .join : .boot
        stepDueNs = startNs + options.faults.firstByteDelayNs
    }

    public mutating func reset(atNs: UInt64) {
        clockNs = max(clockNs, atNs)
        restart()
    }

    public mutating func setLineCoding(_ coding: LineCoding, dataBits: UInt8, stopBits: UInt8) {
        let own = SensorProfile.miniTof.lineCoding
        lineIs = coding.baud != own.baud ? .wrongRate : coding == own && dataBits == 8 && stopBits == 0 ? .right : .wrongBits
    }

    /// Arduino-class boards have an auto-reset circuit.
    public mutating func setDTR(_ isUp: Bool, atNs: UInt64) {
        if isUp, !isDTRUp { reset(atNs: atNs) }
        isDTRUp = isUp
    }

    public mutating func receive(_ bytes: some Collection<UInt8>, atNs: UInt64) {}

    public var nextEventNs: UInt64? {
        let due = transmitter.isIdle ? stepDueNs : transmitter.dueNs
        return due == Self.never ? nil : max(due, clockNs)
    }

    public mutating func advance(toNs now: UInt64, _ emit: (UnsafeRawBufferPointer) -> Void) {
        while let due = nextEventNs, due <= now {
            clockNs = max(clockNs, due)
            if transmitter.isIdle {
                perform()
            } else {
                transmit(emit)
            }
        }
        clockNs = max(clockNs, now)
    }

    private mutating func transmit(_ emit: (UnsafeRawBufferPointer) -> Void) {
        if lineIs == .right {
            transmitter.sendBurst(emit)
        } else {
            var bytes: [UInt8] = []
            transmitter.sendBurst { bytes = Array($0) }
            for index in bytes.indices { bytes[index] = garbled(bytes[index]) }
            bytes.withUnsafeBytes(emit)
        }
        if transmitter.isIdle { waitForStep() }
    }

    private mutating func garbled(_ byte: UInt8) -> UInt8 {
        let noise = lineNoise.next()
        switch lineIs {
        case .right: return byte
        case .wrongBits: return noise & 1 == 0 ? byte : byte ^ UInt8(truncatingIfNeeded: noise >> 8)
        case .wrongRate: return UInt8(truncatingIfNeeded: noise)
        }
    }

    // MARK: The main loop

    private mutating func perform() {
        switch step {
        case .boot: say("is_alive: 1\n", then: loading, afterNs: milliseconds(1200))
        case .loaded: say("VL53LMZ ULD ready ! (Version : \(Self.version))\n", then: .started, afterNs: milliseconds(100))
        case .started: say("Started ranging\n", then: .measure, afterNs: source.periodNs)
        case .join: join()
        case .measure: measure()
        case .send: send()
        case .sent: frameIsOut()
        case .fail(let line): say(line, then: .fail(line), afterNs: milliseconds(2000))
        case .nothing: stepDueNs = Self.never
        }
    }

    private var loading: Step {
        switch options.faults.sensor {
        case .working: .loaded
        case .wrongId: .nothing
        case .missing: .fail("VL53LMZ not detected at requested address\n")
        case .refusingFirmware: .fail("VL53LMZ ULD Loading failed\n")
        }
    }

    private mutating func restart() {
        framesSinceReset = 0
        source.restart()
        say("", then: .boot, afterNs: 0)
    }

    private mutating func join() {
        frameStartNs = clockNs
        source.measure(atSeconds: 0)
        // A frame that was cut is none that was sent.
        sendRecords(then: .measure)
        transmitter.skip(Int.random(in: 1..<transmitter.text.count, using: &lineNoise))
    }

    private mutating func measure() {
        frameStartNs = clockNs
        source.measure(atSeconds: Double(clockNs - startNs) * 1e-9)
        say("", then: .send, afterNs: source.busNs)
    }

    private mutating func send() {
        guard framesSinceReset == options.faults.resetAfterFrames else { return sendRecords(then: .sent) }
        framesSinceReset = 0
        sendRecords(then: .boot)
        source.restart()
        transmitter.tear()
    }

    private mutating func frameIsOut() {
        framesPrinted += 1
        framesSinceReset += 1
        guard framesPrinted != options.faults.silentAfterFrames else { return say("", then: .nothing, afterNs: 0) }
        let passed = clockNs - frameStartNs
        say("", then: .measure, afterNs: source.periodNs - min(source.periodNs, passed))
    }

    private mutating func say(_ line: String, then next: Step, afterNs delay: UInt64) {
        transmitter.start(atNs: clockNs) { $0.append(contentsOf: line.utf8) }
        go(on: next, afterNs: delay)
    }

    private mutating func sendRecords(then next: Step) {
        transmitter.start(atNs: clockNs) { source.print(to: &$0) }
        go(on: next, afterNs: 0)
    }

    private mutating func go(on next: Step, afterNs delay: UInt64) {
        step = next
        stepDelayNs = delay
        if transmitter.isIdle { waitForStep() }
    }

    private mutating func waitForStep() { stepDueNs = clockNs + stepDelayNs }

    private func milliseconds(_ count: UInt64) -> UInt64 { count * 1_000_000 }
}
