internal import NLOSCore

/// What a session knows and waits for; the decoder stands beside it and hands over what it finds.
struct VL53L8CHConversation: Sendable {
    typealias Emit = (SessionOutput) -> Void

    let mode: VL53L8CHSession.Mode
    let path: String
    let baud: UInt32
    private let isRecorded: Bool
    var phase = Phase.inForce
    private(set) var firmwareVersion: SafeLabel?
    private(set) var startNs: UInt64 = 0
    private(set) var lastByteNs: UInt64 = 0
    private var firstByteNs: UInt64?
    private var bytes: UInt64 = 0
    /// A line, a frame or a second marker has been understood.
    private var understood = false
    private var frames: UInt64 = 0
    private var silenceTold = false
    /// The banner came and the ready line that belongs to it has not.
    private var bannerSeen = false
    /// Configurations that began to be applied since the ready line; nil before one is seen. At one the board runs its default.
    private var applyingSinceReady: Int?
    /// The last error line since a packet was sent or a frame came.
    var lastErrorLine: String?
    /// The receiver was found out of step since a configuration was last in force; a second time ends the session.
    var realigned = false
    /// The board restarted since a configuration was last in force; a second time ends the session.
    var restarted = false
    var everInForce = false
    private var scale = CoarseScaleWatch()
    /// Of use while a configuration is in force.
    var watch = FrameWatch()

    init(mode: VL53L8CHSession.Mode, path: String, baud: UInt32, isRecorded: Bool) {
        self.mode = mode
        self.isRecorded = isRecorded
        self.path = path
        self.baud = baud
    }

    var asked: VL53L8CHConfiguration? { if case .configure(let configuration) = mode { configuration } else { nil } }

    // MARK: What happens

    mutating func start(_ now: UInt64, _ emit: Emit) {
        startNs = now
        lastByteNs = now
        if asked != nil { phase = .listening(then: .configure, untilNs: now + VL53L8CHLimits.effect) }
    }

    mutating func bytesCame(_ count: Int, _ now: UInt64) {
        firstByteNs = firstByteNs ?? now
        bytes += UInt64(count)
        lastByteNs = now
        silenceTold = false
        if phase == .inForce { watch.bytesCame(count, now, pauseNs: gapLimit) }
    }

    /// Takes one event of the decoder, and says whether it belongs to this session.
    mutating func judge(_ event: DecoderEvent, _ now: UInt64, _ emit: Emit) -> Bool {
        switch event {
        case .log(let line):
            understood = true
            guard phase != .over else { return false }
            emit(.log(line))
            heard(line, now, emit)
            return true
        case .frame(let frame):
            understood = true
            guard phase == .inForce, !contradicted(by: frame, emit) else { return false }
            frames += 1
            watch.frameCame()
            lastErrorLine = nil
            if frames == 1 { sayIfAssumed(frame.shape, emit) }
            if let notice = scale.see(frame) { emit(.notice(notice)) }
            emit(.frame(frame))
            return true
        case .rejected(let fault):
            guard phase == .inForce else { return false }
            emit(.rejected(fault))
            return true
        }
    }

    mutating func chunkDone(markerCame: Bool, markers: UInt64, other: FrameShape?, _ now: UInt64, _ emit: Emit) {
        if markers > 1 { understood = true }
        if markerCame { boardRuns(now, emit) }
        if let other, phase == .inForce { streamChanged(to: other, now, emit) }
    }

    mutating func bytesLost(_ now: UInt64, _ emit: Emit) {
        if phase == .inForce { emit(.gap(.bytesLost, atMonotonicNs: now)) }
    }

    mutating func fail(_ error: SensorError, _ emit: Emit) {
        guard phase != .over else { return }
        phase = .over
        emit(.failed(error))
    }

    mutating func end() { phase = .over }

    private mutating func heard(_ line: FirmwareLine, _ now: UInt64, _ emit: Emit) {
        switch line {
        case .banner(let text):
            bannerSeen = true
            heardRestart(text, isBanner: true, now, emit)
        case .ready(let version):
            firmwareVersion = SafeLabel(version) ?? firmwareVersion
            applyingSinceReady = 0
            if !bannerSeen { heardRestart("VL53LMZ ULD ready! (Version: \(version))", isBanner: false, now, emit) }
            bannerSeen = false
        case .applying:
            applyingSinceReady = applyingSinceReady.map { $0 + 1 }
            heardApplying(now, emit)
        case .resolution(let zones): heardResolution(zones, now, emit)
        case .applied: heardApplied()
        case .error(let text, fatal: true): fail(.sensorMissing(path: path, line: text), emit)
        case .error(let text, fatal: false) where text.hasPrefix("Error: vl53lmz_results_extract_block"):
            guard phase == .inForce else { break }
            lastErrorLine = text
            emit(.gap(.firmwareLost, atMonotonicNs: now))
        case .error(let text, fatal: false): heardError(text, now, emit)
        case .remark: break
        }
    }

    /// The stream has settled on rows that are not of this session's shape, without a word.
    private mutating func streamChanged(to other: FrameShape, _ now: UInt64, _ emit: Emit) {
        if asked != nil, streams {
            lostConfiguration(now, emit)
        } else {
            emit(.notice(Message(text: "\(path): the board now streams \(other)")))
            fail(.unsupportedShape(path: path, shape: other), emit)
        }
    }

    // MARK: Timing of the bins

    func timing(of shape: FrameShape?) -> BinTiming? {
        switch mode {
        case .configure(let configuration): return everInForce ? configuration.timing(.configured) : nil
        case .declared(let configuration): return configuration.timing(.declared)
        case .join:
            guard let shape, let known = Self.wellKnown.first(where: { $0.shape == shape }) else { return nil }
            return known.timing(known == .firmwareDefault && runsDefault ? .firmwareDefault : .assumed)
        }
    }

    /// Settings that boards are met with, and that their shape tells apart.
    private static let wellKnown: [VL53L8CHConfiguration] = [.firmwareDefault, .reference]

    var runsDefault: Bool { applyingSinceReady.map { $0 <= 1 } ?? false }

    private func sayIfAssumed(_ shape: FrameShape, _ emit: Emit) {
        guard let timing = timing(of: shape), timing.basis == .assumed else { return }
        emit(
            .notice(
                Message(
                    text:
                        "\(path): \(shape): bins are assumed to be \(Int(timing.binWidthPs)) ps wide from physical bin \(timing.startBin);"
                        + " the stream does not say",
                    next: "give sensor settings, and the board is configured and bins are certain")))
    }

    /// The user states one width of the bins, and the board was seen to start with another one and the same shape.
    private mutating func contradicted(by frame: FirmwareFrame, _ emit: Emit) -> Bool {
        guard case .declared(let stated) = mode, applyingSinceReady == 1, frame.shape == VL53L8CHConfiguration.firmwareDefault.shape,
            stated.timing(.declared) != VL53L8CHConfiguration.firmwareDefault.timing(.declared)
        else { return false }
        emit(.notice(Message(text: "\(path): the board restarted and runs its default, with other bins than stated")))
        fail(.unsupportedShape(path: path, shape: frame.shape), emit)
        return true
    }
}

// MARK: Time

extension VL53L8CHConversation {
    var deadlineNs: UInt64? {
        guard phase != .over else { return nil }
        return [phaseDeadlineNs, silenceDeadlineNs, unreadableDeadlineNs].compactMap(\.self).min()
    }

    /// Whether the session ends now because nothing, or nothing of use, has come for too long.
    func losesPatience(_ now: UInt64) -> Bool {
        guard phase != .over else { return false }
        let unreadable = unreadableDeadlineNs.map { now >= $0 } ?? false
        return unreadable || now >= lastByteNs + silenceLimit || phase == .inForce && watch.isOver(VL53L8CHLimits.withoutFrames)
    }

    mutating func tick(_ now: UInt64, _ emit: Emit) {
        if phase == .inForce { missFrames(emit) }
        if let due = unreadableDeadlineNs, now >= due {
            fail(.unreadable(path: path, bytes: bytes, baud: baud), emit)
        }
        if phase != .over, now >= lastByteNs + silenceLimit {
            fail(.silent(path: path, seconds: Double(silenceLimit / VL53L8CHLimits.second)), emit)
        } else if phase != .over, !silenceTold, tellsSilence, now >= lastByteNs + gapLimit {
            silenceTold = true
            emit(.gap(.silence, atMonotonicNs: lastByteNs))
        }
        if let due = phaseDeadlineNs, now >= due { phaseDue(now, emit) }
    }

    /// The line is not silent, and no frame comes of it.
    private mutating func missFrames(_ emit: Emit) {
        if streams, let since = watch.gap(afterNs: gapLimit) { emit(.gap(.noFrames, atMonotonicNs: since)) }
        guard watch.isOver(VL53L8CHLimits.withoutFrames) else { return }
        if let lastErrorLine {
            fail(.sensorMissing(path: path, line: lastErrorLine), emit)
        } else {
            let seconds = Double(VL53L8CHLimits.withoutFrames / VL53L8CHLimits.second)
            fail(.noFrames(path: path, bytes: watch.bytes, seconds: seconds), emit)
        }
    }

    /// Frames have come: silence and restarts are gaps in something.
    var streams: Bool { frames > 0 }
    private var tellsSilence: Bool { streams && phase == .inForce }
    /// A recording may be silent as long as it was; it is a gap and no reason to stop playing.
    private var silenceLimit: UInt64 {
        guard !isRecorded else { return VL53L8CHLimits.ever }
        return streams ? VL53L8CHLimits.silentStream : VL53L8CHLimits.silentStart
    }
    /// At 1 Hz a second without bytes is no gap.
    private var gapLimit: UInt64 {
        switch mode {
        case .join: VL53L8CHLimits.silenceGap
        case .configure(let configuration), .declared(let configuration):
            max(VL53L8CHLimits.silenceGap, 2 * VL53L8CHLimits.second / UInt64(max(1, configuration.rateHz)))
        }
    }

    /// No byte has come since the start.
    var isQuiet: Bool { firstByteNs == nil }

    private var silenceDeadlineNs: UInt64? {
        lastByteNs + (tellsSilence && !silenceTold ? min(gapLimit, silenceLimit) : silenceLimit)
    }

    private var unreadableDeadlineNs: UInt64? {
        guard !understood, let firstByteNs, phase != .over else { return nil }
        return firstByteNs + (bytes >= VL53L8CHLimits.unreadableBytes ? VL53L8CHLimits.unreadable : VL53L8CHLimits.unreadableFew)
    }
}
