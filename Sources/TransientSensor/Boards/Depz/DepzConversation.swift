internal import NLOSCore

/// What a DEPZ session knows and waits for; the decoder stands beside it and hands over what it finds.
struct DepzConversation: Sendable {
    typealias Emit = (SessionOutput) -> Void

    let path: String
    let isRecorded: Bool
    let asksForHistograms: Bool
    private let physicalBinPs: Float
    private(set) var firmwareVersion: SafeLabel?
    var phase = Phase.streaming
    var patience: StreamPatience
    /// The next packet's number.
    var sequence: UInt8 = 0
    var startNs: UInt64 = 0
    /// What the board is told that the sensor's frames have.
    var frameBytes: Int
    private(set) var histogramSetting: DepzHistogramSetting?
    /// What the frames have of a stream that this session found.
    var joinedFrameBytes: Int?
    var owner = DepzStreamOwner()
    /// The board has answered a question about itself, of this session or of the one that made a recording.
    private(set) var answersQuestions = false
    /// The board has agreed to stream for this session.
    var hasStarted = false
    /// The size was corrected once, by what a frame itself said.
    var sizeCorrected = false
    /// When a stream that has fallen silent is started again.
    var restartAtNs: UInt64?
    private var saidWhatHistograms = false
    /// How often the board has said that it missed packets of this host.
    private(set) var missedPackets = 0

    init(_ place: SessionPlace, asksForHistograms: Bool, idleFrameBytes: Int, baud: UInt32, physicalBinPs: Float) {
        path = place.path
        isRecorded = place.isRecorded
        self.asksForHistograms = asksForHistograms
        self.physicalBinPs = physicalBinPs
        frameBytes = idleFrameBytes
        patience = StreamPatience(place, baud: baud)
    }

    // MARK: What happens

    mutating func start(_ now: UInt64, _ emit: Emit) {
        startNs = now
        patience.start(now)
        if !isRecorded {
            ask(.text(DepzId.deviceName), now, emit)
        } else if asksForHistograms {
            phase = .listening(untilNs: now + DepzLimits.flows)
        }
    }

    mutating func bytesCame(_ count: Int, _ now: UInt64) {
        patience.bytesCame(count, now)
        if phase == .streaming, patience.streams { restartAtNs = now + DepzLimits.silence }
    }

    /// Takes one event of the decoder, and says whether it belongs to this session.
    mutating func judge(_ event: DepzEvent, _ now: UInt64, _ emit: Emit) -> Bool {
        guard !patience.isOver else { return false }
        switch event {
        case .reply(let reply):
            patience.understood()
            heard(reply, now, emit)
            return true
        case .frame(let frame):
            owner.resultCame()
            guard takesFrames else { return false }
            frameCame(frame, now, emit)
            return true
        case .rejected(let fault):
            // What is damaged may be something else than a result.
            if fault != .checksum { owner.resultCame() }
            guard takesFrames else { return false }
            emit(.rejected(fault))
            return true
        case .missing(_, let onTheWay):
            guard takesFrames, patience.streams else { return false }
            emit(.gap(onTheWay ? .bytesLost : .framesMissing, atMonotonicNs: now))
            return true
        case .restarted:
            guard takesFrames, patience.streams else { return false }
            patience.boardStarted(now)
            emit(.gap(.boardReset, atMonotonicNs: now))
            return true
        }
    }

    /// Frames of a VL53L8CH count from the moment at which it has said how it makes its histograms, or has not answered.
    private var takesFrames: Bool {
        switch phase {
        case .streaming, .awaitingFrame, .restarting: true
        case .asking, .listening: !asksForHistograms
        }
    }

    private mutating func frameCame(_ frame: FirmwareFrame, _ now: UInt64, _ emit: Emit) {
        patience.frameCame()
        if case .awaitingFrame = phase { phase = .streaming }
        if phase == .streaming { restartAtNs = now + DepzLimits.silence }
        emit(.frame(frame))
    }

    mutating func chunkDone(_ decoder: DepzDecoder, _ now: UInt64, _ emit: Emit) {
        guard !patience.isOver else { return }
        if patience.streams, !saidWhatHistograms, let shape = decoder.shape {
            saidWhatHistograms = true
            if let notice = notice(of: shape, histograms: decoder.histograms) { emit(.notice(notice)) }
        }
        if let other = decoder.otherShape {
            emit(.notice(Message(text: "\(path): the board now streams \(other)")))
            patience.fail(.unsupportedShape(path: path, shape: other), emit)
        }
        if owner.isJoined, let size = decoder.resultBytes { (joinedFrameBytes, frameBytes) = (size, size) }
        if let size = decoder.otherSize { correctSize(to: size, now, emit) }
    }

    mutating func bytesLost(_ now: UInt64, _ emit: Emit) {
        if patience.streams { emit(.gap(.bytesLost, atMonotonicNs: now)) }
    }

    mutating func end(_ emit: Emit) {
        if missedPackets > 1 { emit(.log(.remark("the board missed packets of this host \(missedPackets) times"))) }
        patience.end()
    }

    // MARK: What the board says

    private mutating func heard(_ reply: DepzReply, _ now: UInt64, _ emit: Emit) {
        switch reply {
        case .text(let command, let text):
            answersQuestions = true
            // A serial number names one board of one person: no message shows it.
            if command != DepzId.serialNumber { emit(.log(.remark(text))) }
            if command == DepzId.software { heardSoftware(text, emit) }
        case .status(command: 0, let code):
            emit(.log(.error("the board reports: \(DepzStatus.words(code))", fatal: false)))
        case .status(let command, let code) where code != DepzStatus.ok:
            let words = "the board answers command \(command): \(DepzStatus.words(code))"
            emit(.log(.error(words, fatal: false)))
        case .status, .other: break
        case .registers(let answer):
            // Also in a recording, where the question is not ours.
            if let setting = DepzHistogramSetting(answer) { histogramSetting = setting }
        case .sequenceError(let expected, let received):
            missedPackets += 1
            guard missedPackets == 1 else { break }
            emit(.log(.remark("the board missed packets of this host: it waited for number \(expected), \(received) came")))
        }
        answered(reply, now, emit)
    }

    private mutating func heardSoftware(_ name: String, _ emit: Emit) {
        firmwareVersion = SafeLabel(name) ?? firmwareVersion
        guard DepzSoftware(name) != .vl53l8Application else { return }
        let what = DepzSoftware(name) == .bootLoader ? "its boot loader" : "something else than the VL53L8 application"
        emit(
            .notice(Message(text: "\(path): the board runs \(what): \(name)", next: "flash the board's application with DEPZ's own tools")))
    }

    // MARK: Histograms

    /// Where the sensor has said how it makes them.
    func timing(of shape: FrameShape) -> BinTiming? {
        guard shape.bins > 0, let histogramSetting, histogramSetting.isZoneByZone(shape) else { return nil }
        return histogramSetting.timing(of: shape, physicalBinPs: physicalBinPs)
    }

    private func notice(of shape: FrameShape, histograms: FrameShape?) -> Message? {
        guard asksForHistograms else { return nil }
        guard let histograms else {
            return Message(
                text:
                    "\(path): the frames hold no histograms: the sensor was started without them, or it is a VL53L8CX behind the id of a VL53L8CH",
                next: "configure histograms (configure_cnh) with DEPZ's own depz-sensor-sdk; see hardware/depz-vl53l8.md")
        }
        if shape.bins == 0 {
            return Message(
                text: "\(path): \(histograms.zones) histograms for \(shape.zones) zones: zones are merged, so that no distance belongs to a"
                    + " histogram; only depth is taken",
                next: "configure one aggregate a zone; see hardware/depz-vl53l8.md")
        }
        guard let histogramSetting else {
            return Message(text: "\(path): \(shape): the sensor did not say how it makes its histograms, and the stream does not")
        }
        return timing(of: shape) == nil
            ? Message(
                text: "\(path): \(shape): the sensor says that its histograms are \(histogramSetting.aggregates) of"
                    + " \(histogramSetting.bins) bins, and not one a zone in order")
            : nil
    }
}

// MARK: Time

extension DepzConversation {
    var deadlineNs: UInt64? {
        guard !patience.isOver else { return nil }
        return [patience.deadlineNs, phaseDeadlineNs, isRecorded ? nil : restartAtNs].compactMap(\.self).min()
    }

    mutating func tick(_ now: UInt64, _ decoder: DepzDecoder, _ emit: Emit) {
        patience.tick(now, emit)
        guard !patience.isOver else { return }
        if let due = phaseDeadlineNs, now >= due { phaseDue(now, emit) }
        if !isRecorded, let due = restartAtNs, now >= due { restart(decoder, now, emit) }
    }
}

/// How long a DEPZ session waits for what, in nanoseconds. Source: an answer was measured to take 175 to 190 ms.
enum DepzLimits {
    static let second: UInt64 = 1_000_000_000
    static let answer = second
    /// From the start until a stream that flows already must have shown itself: recorded ones paused for 0.6 s at most.
    static let flows = second
    /// How long a recording may take from its start to the answers, where there are any: as long as all questions of a session.
    static let recordedAnswers = 6 * second
    /// From the start of the stream to its first frame: two periods of the slowest setting and some.
    static let firstFrame = 3 * second
    /// Without a byte, until the stream is started again, and from one attempt to the next.
    static let silence = second
    /// How often the sensor is asked whether its answer is ready.
    static let polls = 5
}
