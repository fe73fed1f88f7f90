internal import NLOSCore

/// What a session with a TMF882x sketch knows and waits for; the decoder stands beside it and hands over what it finds.
struct TMF882xConversation: Sendable {
    typealias Emit = (SessionOutput) -> Void

    enum Phase: Equatable {
        /// Until the board speaks: one that was reset loses what is sent to its boot loader.
        case waking(untilNs: UInt64)
        /// A command is out and its state line is not here.
        case asking(TMF882xHandshake.Command, untilNs: UInt64)
        /// Frames are of this session.
        case streaming
    }

    private static let second: UInt64 = 1_000_000_000
    /// Longer than a boot loader waits for uploads, and the words after it.
    private static let wakes = 4 * second
    private static let answers = 2 * second
    /// Loading the sensor's own firmware.
    private static let loads = 8 * second
    /// Without a byte where frames are due, until the board is asked what it does.
    private static let asksAfter = 3 * second
    /// A histogram of more iterations than these does not fit 16 bits in a usual room.
    private static let fittingKIterations = 500

    let sketch: TMF882xSketch
    private let place: SessionPlace
    /// Whatever the board streams is wanted.
    private let joins: Bool
    private var phase = Phase.streaming
    private var handshake: TMF882xHandshake
    private(set) var patience: StreamPatience
    /// The layout that the decoder is to begin with, once.
    private var beginning: TMF882xLayout?
    private(set) var firmwareVersion: SafeLabel?
    private(set) var farewell: [UInt8] = []
    /// The board's words at its start were heard.
    private var sawStart = false
    private var range: TMF882xText.Range?
    /// Thousands of them, of the setting that the board told last.
    private var kIterations: Int?
    private var judgedKIterations: Int?
    private var lastErrorLine: String?
    private var lastByteNs: UInt64 = 0
    private var askedNs: UInt64?
    private var gridWasAsked = false

    init(_ sketch: TMF882xSketch, _ request: StreamRequest, _ place: SessionPlace) {
        self.sketch = sketch
        self.place = place
        kIterations = sketch.untoldKIterations
        var isLight = false
        switch request {
        case .light:
            isLight = true
            joins = !sketch.takesCommands || place.isRecorded
            handshake = TMF882xHandshake(sketch, TMF882xLayout(side: sketch.lightSide, hasHistograms: false))
        case .grid(let side) where sketch.presses[side] != nil:
            joins = place.isRecorded
            handshake = TMF882xHandshake(sketch, TMF882xLayout(side: side, hasHistograms: true))
        case .join, .grid, .vl53l8ch:
            joins = true
            handshake = TMF882xHandshake(sketch, TMF882xLayout(side: 3, hasHistograms: true))
        }
        patience = StreamPatience(place, baud: sketch.baud, limits: isLight ? sketch.patience.light : sketch.patience.slow)
    }

    private var mayAsk: Bool { sketch.takesCommands && !place.isRecorded }

    // MARK: What happens

    mutating func start(_ now: UInt64) {
        patience.start(now)
        lastByteNs = now
        if mayAsk { phase = .waking(untilNs: now + Self.wakes) }
    }

    mutating func bytesCame(_ count: Int, _ now: UInt64) {
        patience.bytesCame(count, now)
        lastByteNs = now
        askedNs = nil
    }

    /// Takes one event of the decoder, and says whether it belongs to this session.
    mutating func judge(_ event: TMF882xEvent, _ now: UInt64, _ emit: Emit) -> Bool {
        guard !patience.isOver else { return false }
        switch event {
        case .text(let text): heard(text, now, emit)
        case .frame(let frame):
            patience.understood()
            guard wantsFrames else { return false }
            phase = .streaming
            handshake.adopt(TMF882xLayout(of: frame))
            patience.frameCame()
            if frame.bins > 0 { judgeIterations(emit) }
            emit(.frame(frame))
        case .rejected(let fault):
            guard wantsFrames else { return false }
            emit(.rejected(fault))
        case .missing:
            guard wantsFrames else { return false }
            emit(.gap(.framesMissing, atMonotonicNs: now))
        case .beganAnew:
            guard wantsFrames else { return false }
            boardStarted(now, emit)
        case .gridUnknown:
            guard wantsFrames else { return false }
            askForGrid(emit)
        case .otherSensor(let address):
            emit(
                .notice(
                    Message(text: "\(place.path): lines of another sensor, address \(address), are among these; they are left out")))
        }
        return true
    }

    private var wantsFrames: Bool {
        switch phase {
        case .streaming: true
        case .waking: joins
        case .asking: false
        }
    }

    /// Rows came that are right.
    mutating func rowsCame(_ now: UInt64, _ emit: Emit) {
        patience.understood()
        guard case .waking = phase else { return }
        if joins {
            phase = .streaming
        } else {
            send(TMF882xHandshake.stop, now, emit)
        }
    }

    mutating func takeBeginning() -> TMF882xLayout? {
        defer { beginning = nil }
        return beginning
    }

    mutating func bytesLost(_ now: UInt64, _ emit: Emit) {
        if wantsFrames, !patience.isOver { emit(.gap(.bytesLost, atMonotonicNs: now)) }
    }

    mutating func end() { patience.end() }

    // MARK: Words

    private mutating func heard(_ text: TMF882xText, _ now: UInt64, _ emit: Emit) {
        patience.understood()
        handshake.hear(text)
        switch text {
        case .state(let mode, let state): stateCame(mode, state, now, emit)
        case .configuration(let configuration):
            emit(.log(.remark(configuration.line)))
            kIterations = configuration.kIterations
        case .driver(let version):
            firmwareVersion = version
            emit(.log(.ready(version: version.text)))
        case .histograms(let level): emit(.log(.remark("Histogram is \(level)")))
        case .range(let range, let line):
            self.range = range == .unnamed ? nil : range
            emit(.log(.banner(line)))
            boardStarted(now, emit)
        case .error(let complaint, let line):
            // Not every sketch takes this command of a sensor that has no power; it is sent in case it does.
            if case .asking(TMF882xHandshake.toggleMode, _) = phase { break }
            lastErrorLine = line
            emit(.log(.error(line, fatal: false)))
            if complaint == .measurementStopped { measurementStopped(now, emit) }
        case .words: break
        }
    }

    private mutating func stateCame(_ mode: TMF882xMode, _ state: TMF882xText.State, _ now: UInt64, _ emit: Emit) {
        switch phase {
        case .streaming:
            guard state != .measure else { return }
            if state == .disabled {
                emit(.log(.banner("\(mode == .tmf8828 ? "TMF8828" : "TMF882x") state=disabled")))
                boardStarted(now, emit)
            }
            if mayAsk { goOn(now, emit) }
        case .waking:
            sawStart = state == .disabled
            if state == .measure, joins { phase = .streaming } else { goOn(now, emit) }
        case .asking(let command, _):
            // Of a board that measures while it is asked for the first time.
            if command == TMF882xHandshake.help, state == .measure, joins, farewell.isEmpty { phase = .streaming } else { goOn(now, emit) }
        }
    }

    private mutating func boardStarted(_ now: UInt64, _ emit: Emit) {
        if patience.streams { emit(.gap(.boardReset, atMonotonicNs: now)) }
        patience.boardStarted(now)
    }

    /// The sensor has nothing more to say until it is told to measure again.
    private mutating func measurementStopped(_ now: UInt64, _ emit: Emit) {
        guard phase == .streaming else { return }
        emit(.gap(.firmwareLost, atMonotonicNs: now))
        if mayAsk { goOn(now, emit) }
    }

    /// Nothing in the stream tells of which grid it is; the answer to a question does.
    private mutating func askForGrid(_ emit: Emit) {
        guard !gridWasAsked else { return }
        gridWasAsked = true
        emit(
            .notice(
                Message(
                    text: "\(place.path): nothing tells whether these results are of a 4x4 or an 8x8 grid"
                        + (mayAsk ? "; asking the board" : ", so no frame is made of them"))))
        if mayAsk { emit(.send([TMF882xHandshake.help.asciiValue!])) }
    }

    /// Of the histograms that come now: on the way to them other settings were passed.
    private mutating func judgeIterations(_ emit: Emit) {
        guard let kIterations, kIterations != judgedKIterations else { return }
        judgedKIterations = kIterations
        guard kIterations > Self.fittingKIterations else { return }
        emit(
            .notice(
                Message(
                    text: "\(place.path): \(kIterations) thousand iterations a histogram: near or bright surfaces pass 65,535 counts a bin,"
                        + " and such a frame serves depth only",
                    next: "capture with --count-shift, or step back, where histogram_overflow is told")))
    }

    // MARK: Commands

    private mutating func goOn(_ now: UInt64, _ emit: Emit) {
        switch handshake.next() {
        case .send(let command): send(command, now, emit)
        case .measures: phase = .streaming
        case .sensorDoesNotStart:
            patience.fail(.sensorMissing(path: place.path, line: lastErrorLine ?? "it does not begin to measure"), emit)
        case .refused:
            patience.fail(.configurationRefused(path: place.path, line: lastErrorLine ?? "another grid came of it"), emit)
        }
    }

    private mutating func send(_ command: TMF882xHandshake.Command, _ now: UInt64, _ emit: Emit) {
        let isLoading = command == TMF882xHandshake.load8x8 || command == TMF882xHandshake.loadOthers
        phase = .asking(command, untilNs: now + (isLoading ? Self.loads : Self.answers))
        if command == TMF882xHandshake.measure {
            beginning = handshake.layout
            farewell = [TMF882xHandshake.stop.asciiValue!]
            patience.boardStarted(now)
        }
        emit(.send([command.asciiValue!]))
    }

    // MARK: Time

    var deadlineNs: UInt64? {
        guard let limit = patience.deadlineNs else { return nil }
        switch phase {
        case .waking(let untilNs), .asking(_, let untilNs): return min(limit, untilNs)
        case .streaming: return min(limit, askNs ?? limit)
        }
    }

    /// When a silent board is asked what it does.
    private var askNs: UInt64? { mayAsk ? (askedNs ?? lastByteNs) + Self.asksAfter : nil }

    mutating func tick(_ now: UInt64, _ emit: Emit) {
        patience.tick(now, emit)
        guard !patience.isOver else { return }
        switch phase {
        case .waking(let untilNs) where now >= untilNs: goOn(now, emit)
        case .asking(let command, let untilNs) where now >= untilNs:
            handshake.isUnanswered(command)
            goOn(now, emit)
        case .streaming:
            guard let askNs, now >= askNs else { return }
            askedNs = now
            emit(.send([TMF882xHandshake.help.asciiValue!]))
        case .waking, .asking: break
        }
    }

    // MARK: Timing of the bins

    /// Nominal widths of the data sheet: 260 ps in the long range, 100 ps in the short one.
    var timing: BinTiming {
        let known = range ?? sketch.range
        let isTold = sketch.takesCommands ? !farewell.isEmpty && (sawStart || !sketch.switchesRange) : range != nil
        return BinTiming(binWidthPs: known == .long ? 260 : 100, startBin: 0, basis: isTold ? .nominal : .assumed)
    }
}

extension TMF882xLayout {
    fileprivate init(of frame: FirmwareFrame) {
        side = frame.zones == 64 ? 8 : frame.zones == 16 ? 4 : 3
        hasHistograms = frame.bins > 0
    }
}
