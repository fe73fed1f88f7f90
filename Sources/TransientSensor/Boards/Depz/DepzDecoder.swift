/// What a decoder finds in the bytes of a DEPZ board.
public enum DepzEvent: Equatable, Sendable {
    case frame(FirmwareFrame)
    /// A frame was begun and could not be kept.
    case rejected(FrameFault)
    /// So many frames of the sensor never came before the one that comes next; the rejected ones did. `onTheWay`: packets are missing
    /// too, so that they were lost after the board had sent them; 0 when they were all of a rejected frame.
    case missing(UInt64, onTheWay: Bool)
    /// The board or its sensor has started anew; what comes next is its first frame since.
    case restarted
    case reply(DepzReply)
}

/// Bytes of a DEPZ VL53L8 board in, frames and replies out: a value without a clock that gives the same events for any split of the same
/// bytes. Frames are those of the sensor's 4x4 and 8x8 grids, one target a zone.
///
/// Without a payload checksum (the recorded boards send none) a byte that is bent inside a number cannot be noticed. Bytes that are lost
/// or added are: they move what follows, and blocks, footer and sizes no longer fit.
public struct DepzDecoder: Sendable {
    private var framing = DepzFraming()
    private var reading = DepzReading()

    /// Every byte received is, after `finish` at the latest, in a frame, in a reply, or skipped.
    public var counters: StreamCounters { reading.counters }
    public var bytesInFrames: UInt64 { reading.bytesInFrames }
    public var bytesInReplies: UInt64 { reading.bytesInReplies }
    /// Aggregates and bins of the last frame's histograms, whether or not they are in the frame; nil when it had none.
    public var histograms: FrameShape? { reading.histograms }
    /// What every frame must have: that of the first one that was wanted.
    public var shape: FrameShape? { reading.shape }
    /// A shape other than `shape` that two frames, one after the other, had: somebody has configured the sensor anew.
    var otherShape: FrameShape? { reading.otherShape }
    /// Of the last result that came whole, right or wrong.
    var resultBytes: Int? { reading.resultBytes }
    /// The board cuts its frames at the wrong place: the size that it should be told instead.
    var otherSize: Int? { reading.otherSize }

    public init() {}

    /// Gets an event and says whether it is wanted; the bytes of a frame that is not count as skipped, and nothing else of it counts.
    typealias Judge = (DepzEvent) -> Bool

    public mutating func push(_ chunk: UnsafeRawBufferPointer, arrival: Arrival, _ emit: (DepzEvent) -> Void) {
        push(
            chunk, arrival: arrival,
            judge: { event in
                emit(event)
                return true
            })
    }

    mutating func push(_ chunk: UnsafeRawBufferPointer, arrival: Arrival, judge: Judge) {
        reading.counters.bytesReceived += UInt64(chunk.count)
        Self.push(chunk, through: &framing, to: &reading, arrival, judge)
    }

    /// Apart from `self`: the framing is at work while its findings are read.
    private static func push(
        _ chunk: UnsafeRawBufferPointer, through framing: inout DepzFraming, to reading: inout DepzReading, _ arrival: Arrival,
        _ judge: Judge
    ) {
        framing.push(chunk) { reading.take($0, arrival, judge) }
    }

    /// Bytes are missing between the last push and the next one: the frame that was open is lost.
    mutating func lostBytes(judge: Judge) {
        reading.skip(framing.dropTail())
        reading.lostBytes(judge)
    }

    /// No byte will come any more: what is incomplete is skipped.
    public mutating func finish() {
        reading.skip(framing.dropTail())
        reading.finish()
    }
}

/// What becomes of the packets.
private struct DepzReading: Sendable {
    var counters = StreamCounters()
    var bytesInFrames: UInt64 = 0
    var bytesInReplies: UInt64 = 0
    var histograms: FrameShape?
    var shape: FrameShape?
    var otherShape: FrameShape?
    var resultBytes: Int?
    var otherSize: Int?
    private var lastShape: FrameShape?
    private var assembly = DepzAssembly()
    private var continuity = DepzContinuity()
    /// Number of the last packet.
    private var lastPacket: UInt8?
    /// Packets are missing since the last frame.
    private var lostPackets = false
    /// The last bytes were a packet: what is wrong now is one loss, however many wrong starts it is made of.
    private var isInStep = false

    init() { counters.framesMissing = 0 }

    mutating func skip(_ bytes: Int) { counters.bytesSkipped += UInt64(bytes) }

    mutating func take(_ event: DepzFraming.Event, _ arrival: Arrival, _ judge: DepzDecoder.Judge) {
        switch event {
        case .skipped(let bytes):
            skip(bytes)
            // Between the chunks of one frame nothing can stand: bytes were added in the chunk before, and have moved its end out of it.
            let unfinished = assembly.dropOpen()
            guard unfinished > 0 else { break }
            skip(unfinished)
            rejectUnnumbered(.missingPart, judge)
        case .damagedHeader:
            skip(1)
            if isInStep { rejectChunk(0, judge) }
            isInStep = false
        case .damagedPayload(let header, let bytes):
            isInStep = true
            follow(header)
            // The header can be trusted: what is damaged behind another id is no part of a frame.
            if header.id == DepzId.chunk { rejectChunk(bytes, judge) } else { skip(bytes) }
        case .packet(let packet):
            isInStep = true
            follow(packet.header)
            take(packet, arrival, judge)
        }
    }

    private mutating func follow(_ header: DepzHeader) {
        lostPackets = lostPackets || lastPacket.map { header.sequence != $0 &+ 1 } ?? false
        lastPacket = header.sequence
    }

    private mutating func take(_ packet: DepzPacket, _ arrival: Arrival, _ judge: DepzDecoder.Judge) {
        let bytes = packet.header.packetBytes
        guard packet.header.id == DepzId.chunk else {
            bytesInReplies += UInt64(bytes)
            _ = judge(.reply(DepzReply(packet)))
            return
        }
        // Out of `self` while its findings are read, and back for its storage.
        var assembly = DepzAssembly()
        swap(&assembly, &self.assembly)
        assembly.take(packet.payload, packetBytes: bytes) { take($0, arrival, judge) }
        swap(&assembly, &self.assembly)
    }

    private mutating func take(_ outcome: DepzAssembly.Outcome, _ arrival: Arrival, _ judge: DepzDecoder.Judge) {
        switch outcome {
        case .whole(let data, let deviceUs, let bytes): read(data, deviceUs, bytes, arrival, judge)
        case .fault(let fault, let bytes):
            skip(bytes)
            rejectUnnumbered(fault, judge)
        case .skipped(let bytes): skip(bytes)
        }
    }

    private mutating func read(
        _ data: UnsafeRawBufferPointer, _ deviceUs: UInt64, _ bytes: Int, _ arrival: Arrival, _ judge: DepzDecoder.Judge
    ) {
        resultBytes = data.count
        switch DepzResult.read(data) {
        case .result(let result):
            otherSize = nil
            take(result, deviceUs, bytes, arrival, judge)
        case .fault(let fault):
            skip(bytes)
            rejectUnnumbered(fault, judge)
        case .otherSize(let size):
            otherSize = size
            skip(bytes)
            rejectUnnumbered(.malformed, judge)
        }
    }

    private mutating func take(
        _ result: DepzResult, _ deviceUs: UInt64, _ bytes: Int, _ arrival: Arrival, _ judge: DepzDecoder.Judge
    ) {
        switch continuity.step(to: result.number, deviceUs: deviceUs) {
        case .again:
            skip(bytes)
            return reject(.repeated, judge)
        // A rejection has told it all.
        case .missing(0) where !lostPackets: break
        case .missing(let count):
            if judge(.missing(count, onTheWay: lostPackets)) { counters.framesMissing? += count }
        case .restart: _ = judge(.restarted)
        case .first, .next: break
        }
        lostPackets = false
        guard let frame = result.frame(deviceUs: deviceUs, arrival: arrival) else {
            skip(bytes)
            return reject(.outOfRange, judge)
        }
        guard shape == nil || frame.shape == shape else {
            otherShape = frame.shape == lastShape ? frame.shape : nil
            lastShape = frame.shape
            skip(bytes)
            return reject(.rowShape, judge)
        }
        lastShape = frame.shape
        histograms = result.histogram.map { FrameShape(zones: $0.aggregates, bins: $0.bins) }
        if judge(.frame(frame)) {
            shape = frame.shape
            counters.framesDecoded += 1
            bytesInFrames += UInt64(bytes)
        } else {
            skip(bytes)
        }
    }

    private mutating func reject(_ fault: FrameFault, _ judge: DepzDecoder.Judge) {
        if judge(.rejected(fault)) { counters.rejected[fault, default: 0] += 1 }
    }

    /// A frame of which the sensor's number is unknown: the next good number counts it once more.
    private mutating func rejectUnnumbered(_ fault: FrameFault, _ judge: DepzDecoder.Judge) {
        continuity.frameWasRejected()
        reject(fault, judge)
    }

    /// A damaged packet, and the frame that it was a part of: one loss.
    private mutating func rejectChunk(_ bytes: Int, _ judge: DepzDecoder.Judge) {
        skip(bytes + assembly.dropOpen())
        rejectUnnumbered(.checksum, judge)
    }

    mutating func lostBytes(_ judge: DepzDecoder.Judge) {
        let dropped = assembly.dropOpen()
        isInStep = false
        lostPackets = true
        guard dropped > 0 else { return }
        skip(dropped)
        rejectUnnumbered(.transferLost, judge)
    }

    mutating func finish() { skip(assembly.dropOpen()) }
}
