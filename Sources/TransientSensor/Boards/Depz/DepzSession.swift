public import NLOSCore

/// The conversation with a DEPZ board that carries a VL53L8CX or VL53L8CH: who it is, what its sensor runs, the stream, faults.
///
/// The board only passes the sensor's registers on; what the sensor runs was loaded by somebody else. A stream that flows already is
/// joined. One that does not is started with the frame size that the sensor names, and stopped at the end. A VL53L8CH is asked how it
/// makes its histograms, for which a flowing stream pauses once: without that no bin has a known width.
public struct DepzSession: FirmwareSession {
    private var decoder = DepzDecoder()
    private var conversation: DepzConversation

    /// `asksForHistograms` for a board whose frames can hold histograms. `idleFrameBytes` is the size of its 8x8 frames without them.
    init(_ place: SessionPlace, asksForHistograms: Bool, idleFrameBytes: Int, baud: UInt32, physicalBinPs: Float) {
        conversation = DepzConversation(
            place, asksForHistograms: asksForHistograms, idleFrameBytes: idleFrameBytes, baud: baud, physicalBinPs: physicalBinPs)
    }

    public var counters: StreamCounters { decoder.counters }
    public var timing: BinTiming? { decoder.shape.flatMap(conversation.timing) }
    public var shape: FrameShape? { decoder.shape }
    public var firmwareVersion: SafeLabel? { conversation.firmwareVersion }
    public var farewell: [UInt8] { conversation.farewell }
    public var deadlineNs: UInt64? { conversation.deadlineNs }

    public mutating func start(nowNs: UInt64, _ emit: (SessionOutput) -> Void) { conversation.start(nowNs, emit) }

    public mutating func push(_ chunk: UnsafeRawBufferPointer, _ arrival: Arrival, _ emit: (SessionOutput) -> Void) {
        guard !chunk.isEmpty else { return }
        conversation.bytesCame(chunk.count, arrival.monotonicNs)
        Self.push(chunk, arrival, through: &decoder, to: &conversation, emit)
        conversation.chunkDone(decoder, arrival.monotonicNs, emit)
        tick(nowNs: arrival.monotonicNs, emit)
    }

    /// Apart from `self`: the decoder is at work while the conversation judges what it finds.
    private static func push(
        _ chunk: UnsafeRawBufferPointer, _ arrival: Arrival, through decoder: inout DepzDecoder, to conversation: inout DepzConversation,
        _ emit: (SessionOutput) -> Void
    ) {
        decoder.push(chunk, arrival: arrival, judge: { conversation.judge($0, arrival.monotonicNs, emit) })
    }

    public mutating func lostBytes(nowNs: UInt64, _ emit: (SessionOutput) -> Void) {
        Self.lostBytes(of: &decoder, to: &conversation, nowNs, emit)
        conversation.bytesLost(nowNs, emit)
    }

    private static func lostBytes(
        of decoder: inout DepzDecoder, to conversation: inout DepzConversation, _ nowNs: UInt64, _ emit: (SessionOutput) -> Void
    ) {
        decoder.lostBytes(judge: { conversation.judge($0, nowNs, emit) })
    }

    public mutating func tick(nowNs: UInt64, _ emit: (SessionOutput) -> Void) { conversation.tick(nowNs, decoder, emit) }

    public mutating func finish(_ emit: (SessionOutput) -> Void) {
        decoder.finish()
        conversation.end(emit)
    }
}
