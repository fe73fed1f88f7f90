internal import NLOSCore

/// The conversation with a board that runs one of the public TMF8820/8821/8828 sketches.
///
/// A plain value like every session. Commands are one character each and go out one at a time, each after the state line of the one
/// before.
struct TMF882xSession: FirmwareSession {
    private var decoder: TMF882xDecoder
    private var conversation: TMF882xConversation

    init(_ sketch: TMF882xSketch, _ request: StreamRequest, _ place: SessionPlace) {
        decoder = TMF882xDecoder(layout: sketch.streams.map { TMF882xLayout(side: $0, hasHistograms: true) })
        conversation = TMF882xConversation(sketch, request, place)
    }

    var counters: StreamCounters { decoder.counters }
    var timing: BinTiming? { decoder.layout?.hasHistograms == true ? conversation.timing : nil }
    var shape: FrameShape? { decoder.layout?.shape }
    var firmwareVersion: SafeLabel? { conversation.firmwareVersion }
    /// Where no line told the map: of the map that is usual for the grid. For 3x3 that is the profile's own, or sees as much.
    var fieldOfView: FieldOfView? {
        if let map = decoder.results.hint.map { return map.fieldOfView }
        switch decoder.layout?.side {
        case 8: return TMF882xSpadMap(number: 15).fieldOfView
        case 4: return TMF882xSpadMap(number: 7).fieldOfView
        default: return nil
        }
    }
    var farewell: [UInt8] { conversation.farewell }
    var deadlineNs: UInt64? { conversation.deadlineNs }

    mutating func start(nowNs: UInt64, _ emit: (SessionOutput) -> Void) { conversation.start(nowNs) }

    mutating func push(_ chunk: UnsafeRawBufferPointer, _ arrival: Arrival, _ emit: (SessionOutput) -> Void) {
        guard !chunk.isEmpty else { return }
        let rowsBefore = decoder.results.rightRows
        conversation.bytesCame(chunk.count, arrival.monotonicNs)
        Self.push(chunk, arrival, through: &decoder, to: &conversation, emit)
        if decoder.results.rightRows > rowsBefore { conversation.rowsCame(arrival.monotonicNs, emit) }
        tick(nowNs: arrival.monotonicNs, emit)
    }

    /// Apart from `self`: the decoder is at work while the conversation judges what it finds.
    private static func push(
        _ chunk: UnsafeRawBufferPointer, _ arrival: Arrival, through decoder: inout TMF882xDecoder,
        to conversation: inout TMF882xConversation, _ emit: (SessionOutput) -> Void
    ) {
        decoder.push(chunk, arrival: arrival, judge: { conversation.judge($0, arrival.monotonicNs, emit) })
    }

    mutating func lostBytes(nowNs: UInt64, _ emit: (SessionOutput) -> Void) {
        Self.lostBytes(of: &decoder, to: &conversation, nowNs, emit)
        conversation.bytesLost(nowNs, emit)
    }

    private static func lostBytes(
        of decoder: inout TMF882xDecoder, to conversation: inout TMF882xConversation, _ nowNs: UInt64, _ emit: (SessionOutput) -> Void
    ) {
        decoder.lostBytes(judge: { conversation.judge($0, nowNs, emit) })
    }

    mutating func tick(nowNs: UInt64, _ emit: (SessionOutput) -> Void) {
        conversation.tick(nowNs, emit)
        // The board could not have begun before it was told to.
        if let layout = conversation.takeBeginning() { decoder.begin(layout) }
    }

    mutating func finish(_ emit: (SessionOutput) -> Void) {
        decoder.finish()
        conversation.end()
    }
}
