public import NLOSCore

/// The conversation with a board that runs the cc-hardware VL53L8CH firmware: configuration, verification by effect, frames, faults.
///
/// The firmware acknowledges nothing, so a configuration counts only when the board's words and then its frames show it. Frames from
/// before are skipped bytes, never frames of this session. Limits of time are in `VL53L8CHLimits`.
public struct VL53L8CHSession: FirmwareSession {
    public enum Mode: Equatable, Sendable {
        /// Sends nothing and learns the shape from two equal frames in a row.
        case join
        /// Sends this, which has passed `validate`, and takes only frames that come of it.
        case configure(VL53L8CHConfiguration)
        /// Sends nothing; shape and timing are what the user says the board runs.
        case declared(VL53L8CHConfiguration)
    }

    private var decoder: VL53L8CHDecoder
    private var conversation: VL53L8CHConversation

    /// `path` is the device as messages name it; `baud` is named when nothing that arrives can be read; the bytes of a recording may
    /// pause as long as they did.
    public init(
        mode: Mode, path: String, baud: UInt32 = SensorProfile.nucleoVL53L8CH.lineCoding.baud, isRecorded: Bool = false
    ) {
        let shape: FrameShape? =
            switch mode {
            case .join: nil
            case .configure(let configuration), .declared(let configuration): configuration.shape
            }
        decoder = VL53L8CHDecoder(shape: shape)
        conversation = VL53L8CHConversation(mode: mode, path: path, baud: baud, isRecorded: isRecorded)
    }

    public var counters: StreamCounters { decoder.counters }
    public var timing: BinTiming? { conversation.timing(of: decoder.shape) }
    public var shape: FrameShape? { decoder.shape }
    public var firmwareVersion: SafeLabel? { conversation.firmwareVersion }
    public var deadlineNs: UInt64? { conversation.deadlineNs }

    public mutating func start(nowNs: UInt64, _ emit: (SessionOutput) -> Void) {
        conversation.start(nowNs, emit)
    }

    public mutating func push(_ chunk: UnsafeRawBufferPointer, _ arrival: Arrival, _ emit: (SessionOutput) -> Void) {
        guard !chunk.isEmpty else { return }
        let markersBefore = decoder.markers
        conversation.bytesCame(chunk.count, arrival.monotonicNs)
        Self.push(chunk, arrival, through: &decoder, to: &conversation, emit)
        let markerCame = decoder.markers > max(markersBefore, decoder.markersAtText)
        conversation.chunkDone(markerCame: markerCame, markers: decoder.markers, other: decoder.otherShape, arrival.monotonicNs, emit)
        tick(nowNs: arrival.monotonicNs, emit)
    }

    /// Apart from `self`: the decoder is at work while the conversation judges what it finds.
    private static func push(
        _ chunk: UnsafeRawBufferPointer, _ arrival: Arrival, through decoder: inout VL53L8CHDecoder,
        to conversation: inout VL53L8CHConversation, _ emit: (SessionOutput) -> Void
    ) {
        decoder.push(chunk, arrival: arrival, judge: { conversation.judge($0, arrival.monotonicNs, emit) })
    }

    public mutating func lostBytes(nowNs: UInt64, _ emit: (SessionOutput) -> Void) {
        Self.lostBytes(of: &decoder, to: &conversation, nowNs, emit)
        conversation.bytesLost(nowNs, emit)
    }

    private static func lostBytes(
        of decoder: inout VL53L8CHDecoder, to conversation: inout VL53L8CHConversation, _ nowNs: UInt64, _ emit: (SessionOutput) -> Void
    ) {
        decoder.lostBytes(judge: { conversation.judge($0, nowNs, emit) })
    }

    public mutating func tick(nowNs: UInt64, _ emit: (SessionOutput) -> Void) {
        if conversation.losesPatience(nowNs) { Self.settle(&decoder, with: &conversation, nowNs, emit) }
        conversation.tick(nowNs, emit)
    }

    /// The session is about to end, so no next line will tell the fault that the decoder still holds.
    private static func settle(
        _ decoder: inout VL53L8CHDecoder, with conversation: inout VL53L8CHConversation, _ nowNs: UInt64, _ emit: (SessionOutput) -> Void
    ) {
        decoder.settle(.asFound, { conversation.judge($0, nowNs, emit) })
    }

    public mutating func finish(_ emit: (SessionOutput) -> Void) {
        Self.finish(&decoder, to: &conversation, emit)
    }

    private static func finish(
        _ decoder: inout VL53L8CHDecoder, to conversation: inout VL53L8CHConversation, _ emit: (SessionOutput) -> Void
    ) {
        decoder.finish(judge: { conversation.judge($0, conversation.lastByteNs, emit) })
        conversation.end()
    }
}

/// How long a session waits for what, in nanoseconds.
///
/// Source: the firmware prints `Applying` about 1.5 s after a packet and streams 1 s after that; an error restarts it after 2 s.
enum VL53L8CHLimits {
    static let second: UInt64 = 1_000_000_000
    /// Longer than anything lasts, and still no overflow when it is added to a time.
    static let ever = UInt64.max / 4
    /// Between the pieces of a packet: the board's receiver has no queue.
    static let betweenPieces: UInt64 = 4_000_000
    static let pieceBytes = 8
    /// Without any byte: nobody is starting up over there, so a packet does not fall into the middle of it.
    static let quiet = 2 * second
    /// From the last piece to `Resolution`.
    static let resolution = 5 * second
    /// From the last piece to the first frame, and from a restart to the next marker.
    static let effect = 10 * second
    /// A marker that comes this long after a byte was sent is of a frame begun after it.
    static let realignPause: UInt64 = 50_000_000
    static let realignBytes = 26
    static let silentStart = 5 * second
    static let silenceGap = second
    static let silentStream = 10 * second
    /// With bytes and without a frame, while frames are due; a gap comes first, after `silenceGap` or two periods.
    static let withoutFrames = 10 * second
    /// Bytes that make no sense: this many for this long, or fewer for longer.
    static let unreadable = 3 * second
    static let unreadableBytes: UInt64 = 1_024
    static let unreadableFew = 10 * second
}
