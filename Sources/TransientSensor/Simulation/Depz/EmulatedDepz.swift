/// A DEPZ VL53L8 board as a value: bytes and time in, bytes out. It reads no clock and does no I/O.
///
/// Its sensor has been loaded and started by somebody, and measures; whether the board passes frames on is the host's wish. Source: DEPZ
/// `protocol/`, `transport/`, the public recordings; the time of an answer is measured.
public struct EmulatedDepz: EmulatedFirmware {
    static let answerNs: UInt64 = 175_000_000
    /// The recorded sensor's, which was asked for 15 Hz.
    static let periodNs: UInt64 = 66_300_000
    /// USB full speed, shared.
    private static let bytesPerSecond: UInt64 = 1_000_000
    static let never = UInt64.max

    public internal(set) var framesPrinted: UInt64 = 0
    public var bytesOverrun: UInt64 { inbox.overrun }

    let faults: FirmwareFaults
    let hasHistograms: Bool
    let startNs: UInt64
    var clockNs: UInt64
    var transmitter: SerialTransmitter
    /// Answers, in the order of their times.
    var answers: [(dueNs: UInt64, id: UInt8, payload: [UInt8])] = []
    var sequence: UInt8 = 0
    var protection = DepzProtection.none
    /// Nil while no frame is passed on.
    var frameBytes: Int?
    var nextFrameNs: UInt64
    /// When the board's own clock was 0.
    var bootNs: UInt64
    var sensor: DepzSensor
    var framesSinceReset: UInt64 = 0
    /// The frame that is being sent is the last before a reset.
    var resetsAfterText = false
    var registers = DepzRegisters()
    var expectedHostSequence: UInt8?

    private var inbox = HostInbox()
    private var hostPackets = DepzFraming()

    /// `hasHistograms` for a VL53L8CH.
    init(_ plan: EmulatorPlan, hasHistograms: Bool) {
        faults = plan.options.faults
        self.hasHistograms = hasHistograms && faults.depz[.plainSensor] == nil
        startNs = plan.startNs
        bootNs = plan.startNs
        clockNs = plan.startNs
        nextFrameNs = Self.never
        transmitter = SerialTransmitter(bytesPerSecond: Self.bytesPerSecond, burstBytes: plan.options.burstBytes)
        sensor = DepzSensor(
            plan, hasHistograms: self.hasHistograms, followsRecording: plan.options.faults.depz[.measuredPace] != nil)
        guard plan.joining == .midStream, faults.sensor == .working else { return }
        // Somewhere inside a frame.
        frameBytes = sensor.frameBytes
        clockNs += faults.firstByteDelayNs
        sendFrame()
        transmitter.skip(transmitter.text.count / 3)
    }

    public mutating func reset(atNs: UInt64) {
        clockNs = max(clockNs, atNs)
        restart()
    }

    /// The board takes any.
    public mutating func setLineCoding(_ coding: LineCoding, dataBits: UInt8, stopBits: UInt8) {}

    public mutating func receive(_ bytes: some Collection<UInt8>, atNs: UInt64) {
        inbox.put(bytes, atNs: max(atNs, startNs + faults.firstByteDelayNs), nowNs: clockNs)
    }

    public var nextEventNs: UInt64? {
        let next = min(ownEventNs, inbox.firstNs ?? Self.never)
        return next == Self.never ? nil : next
    }

    private var ownEventNs: UInt64 {
        let due = transmitter.isIdle ? min(answers.first?.dueNs ?? Self.never, nextFrameNs) : transmitter.dueNs
        return max(due, clockNs)
    }

    public mutating func advance(toNs now: UInt64, _ emit: (UnsafeRawBufferPointer) -> Void) {
        while let due = nextEventNs, due <= now {
            clockNs = max(clockNs, due)
            if let arrival = inbox.firstNs, arrival <= due {
                hear(inbox.take())
            } else if !transmitter.isIdle {
                transmitter.sendBurst(emit)
                if transmitter.isIdle { textIsOut() }
            } else if let answer = answers.first, answer.dueNs <= clockNs {
                answers.removeFirst()
                send { $0.append(answer.id, answer.payload) }
            } else {
                sendFrame()
            }
        }
        clockNs = max(clockNs, now)
    }

    private mutating func hear(_ bytes: [UInt8]) {
        // Out of `self` while its packets are answered.
        var packets = DepzFraming()
        swap(&packets, &hostPackets)
        bytes.withUnsafeBytes { chunk in
            packets.push(chunk) { if case .packet(let packet) = $0 { answer(packet) } }
        }
        swap(&packets, &hostPackets)
    }

    private mutating func textIsOut() {
        if resetsAfterText { restart() }
    }

    /// The microcontroller starts anew; the sensor keeps its power and measures on.
    private mutating func restart() {
        transmitter.start(atNs: clockNs) { _ in }
        answers.removeAll()
        hostPackets = DepzFraming()
        expectedHostSequence = nil
        sequence = 0
        protection = .none
        frameBytes = nil
        nextFrameNs = Self.never
        bootNs = clockNs
        framesSinceReset = 0
        resetsAfterText = false
    }

    /// Sends packets one behind the other.
    mutating func send(_ write: (inout DepzOutgoing) -> Void) {
        var outgoing = DepzOutgoing(sequence: sequence, protection: protection)
        write(&outgoing)
        sequence = outgoing.sequence
        transmitter.start(atNs: clockNs) { $0.append(contentsOf: outgoing.bytes) }
    }

    /// Microseconds of the board's clock.
    var boardUs: UInt64 { (clockNs - bootNs) / 1000 }
}

/// Packets on their way out, numbered.
struct DepzOutgoing {
    var sequence: UInt8
    let protection: DepzProtection
    private(set) var bytes: [UInt8] = []

    init(sequence: UInt8, protection: DepzProtection) {
        self.sequence = sequence
        self.protection = protection
    }

    /// `change` may bend the packet's bytes.
    mutating func append(
        _ id: UInt8, _ payload: [UInt8], protection other: DepzProtection? = nil, _ change: (inout [UInt8]) -> Void = { _ in }
    ) {
        var packet = DepzPacket.bytes(id: id, sequence: sequence, protection: other ?? protection, payload: payload)
        change(&packet)
        bytes += packet
        sequence &+= 1
    }
}
