public import NLOSCore

/// The conversation with a board that runs a mini_tof VL53L8CH firmware, which is none: the board starts by itself, takes no commands, and
/// the host listens.
public struct MiniTofSession: FirmwareSession {
    private var decoder = MiniTofDecoder()
    private var listening: Listening

    public init(at place: SessionPlace, baud: UInt32 = SensorProfile.miniTof.lineCoding.baud) {
        listening = Listening(place, baud: baud)
    }

    public var counters: StreamCounters { decoder.counters }
    public var shape: FrameShape? { decoder.shape }
    public var timing: BinTiming? { decoder.timing }
    public var firmwareVersion: SafeLabel? { listening.firmwareVersion }
    public var deadlineNs: UInt64? { listening.patience.deadlineNs }

    public mutating func start(nowNs: UInt64, _ emit: (SessionOutput) -> Void) { listening.patience.start(nowNs) }

    public mutating func push(_ chunk: UnsafeRawBufferPointer, _ arrival: Arrival, _ emit: (SessionOutput) -> Void) {
        guard !chunk.isEmpty else { return }
        listening.patience.bytesCame(chunk.count, arrival.monotonicNs)
        Self.push(chunk, arrival, through: &decoder, to: &listening, emit)
        listening.chunkDone(decoder, emit)
        tick(nowNs: arrival.monotonicNs, emit)
    }

    /// Apart from `self`: the decoder is at work while the other half hears what it finds.
    private static func push(
        _ chunk: UnsafeRawBufferPointer, _ arrival: Arrival, through decoder: inout MiniTofDecoder, to listening: inout Listening,
        _ emit: (SessionOutput) -> Void
    ) {
        decoder.push(chunk, arrival: arrival) { listening.hear($0, arrival.monotonicNs, emit) }
    }

    public mutating func lostBytes(nowNs: UInt64, _ emit: (SessionOutput) -> Void) {
        Self.lostBytes(of: &decoder, to: &listening, nowNs, emit)
        if !listening.patience.isOver { emit(.gap(.bytesLost, atMonotonicNs: nowNs)) }
    }

    private static func lostBytes(
        of decoder: inout MiniTofDecoder, to listening: inout Listening, _ nowNs: UInt64, _ emit: (SessionOutput) -> Void
    ) {
        decoder.lostBytes { listening.hear($0, nowNs, emit) }
    }

    public mutating func tick(nowNs: UInt64, _ emit: (SessionOutput) -> Void) { listening.patience.tick(nowNs, emit) }

    public mutating func finish(_ emit: (SessionOutput) -> Void) {
        Self.finish(&decoder, to: &listening, emit)
        listening.patience.end()
    }

    private static func finish(_ decoder: inout MiniTofDecoder, to listening: inout Listening, _ emit: (SessionOutput) -> Void) {
        decoder.finish { listening.hear($0, listening.lastNs, emit) }
    }
}

/// What a session makes of the decoder's events.
private struct Listening: Sendable {
    var patience: StreamPatience
    private(set) var firmwareVersion: SafeLabel?
    private(set) var lastNs: UInt64 = 0
    private let path: String
    /// Where the window of bins moves, a frame takes nine readings and 1.2 s; one that is damaged is no gap.
    private static let limits: StreamPatience.Limits = {
        var limits = StreamPatience.Limits()
        limits.gap = 3_000_000_000
        return limits
    }()
    /// The board has started anew, and no frame has come since.
    private var isStarting = false
    private var timingTold = false

    init(_ place: SessionPlace, baud: UInt32) {
        path = place.path
        patience = StreamPatience(place, baud: baud, limits: Self.limits)
    }

    mutating func hear(_ event: DecoderEvent, _ nowNs: UInt64, _ emit: (SessionOutput) -> Void) {
        guard !patience.isOver else { return }
        lastNs = nowNs
        switch event {
        case .frame(let frame):
            isStarting = false
            patience.frameCame()
            emit(.frame(frame))
        case .rejected(let fault): emit(.rejected(fault))
        case .log(let line):
            emit(.log(line))
            hear(line, nowNs, emit)
        }
    }

    private mutating func hear(_ line: FirmwareLine, _ nowNs: UInt64, _ emit: (SessionOutput) -> Void) {
        if case .ready(let version) = line { firmwareVersion = SafeLabel(version) ?? firmwareVersion }
        if case .error(let text, fatal: true) = line { return patience.fail(.sensorMissing(path: path, line: text), emit) }
        patience.understood()
        guard line.isRestart, !isStarting else { return }
        isStarting = true
        if patience.streams { emit(.gap(.boardReset, atMonotonicNs: nowNs)) }
        patience.boardStarted(nowNs)
    }

    mutating func chunkDone(_ decoder: MiniTofDecoder, _ emit: (SessionOutput) -> Void) {
        guard !patience.isOver else { return }
        if decoder.layout != nil { patience.understood() }
        if let other = decoder.otherLayout {
            end("the board now streams \(other.zones) zones x \(other.bins) bins", decoder, emit)
        } else if decoder.windowsChanged {
            end("the board now moves its window of bins in another way", decoder, emit)
        } else if !timingTold, patience.streams, let timing = decoder.timing, let shape = decoder.shape {
            timingTold = true
            emit(
                .notice(
                    Message(
                        text: "\(path): \(shape): bins are assumed to be \(Int(timing.binWidthPs)) ps wide from physical bin"
                            + " \(timing.startBin), as in the public firmwares; the stream does not say how wide they are")))
        }
    }

    private mutating func end(_ what: String, _ decoder: MiniTofDecoder, _ emit: (SessionOutput) -> Void) {
        let shape = decoder.otherLayout.map { FrameShape(zones: $0.zones, bins: $0.bins) } ?? decoder.shape
        emit(.notice(Message(text: "\(path): \(what)")))
        patience.fail(.unsupportedShape(path: path, shape: shape ?? FrameShape(zones: 0, bins: 0)), emit)
    }
}

extension MiniTofDecoder {
    /// Of the frames that go out; nil until it is known.
    public var shape: FrameShape? {
        guard let layout = layout ?? expected, let windows = windowsInFrame else { return nil }
        return FrameShape(zones: layout.zones, bins: layout.bins * windows.count)
    }

    /// Nil until frames go out, and for a number of bins that no public firmware has.
    public var timing: BinTiming? {
        guard let layout = layout ?? expected, layout.zones == 64, let windows = windowsInFrame,
            let subsample = MiniTofLayout.subsample(bins: layout.bins)
        else { return nil }
        return BinTiming(
            binWidthPs: SensorProfile.miniTof.physicalBinPs * Float(subsample), startBin: UInt16(windows.startBin), basis: .assumed)
    }

    /// One window from bin 0 on where the firmware says nothing else.
    private var windowsInFrame: (count: Int, startBin: Int)? {
        guard let layout = layout ?? expected else { return nil }
        return layout.metadata?.hasWindow == true ? windows.place : (1, 0)
    }

    /// Windows come that the frames so far did not have.
    public var windowsChanged: Bool { windows.hasChanged }
}
