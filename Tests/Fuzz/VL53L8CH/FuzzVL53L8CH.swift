@testable import TransientSensor

/// Any bytes as the board's text, with a shape or without: never a trap, every byte accounted for, and the same events however the
/// bytes are cut. The first two bytes choose shape and cuts.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzVL53L8CH(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    guard count >= 2 else { return 0 }
    let shapes = [nil, FrameShape(zones: 2, bins: 3), FrameShape(zones: 16, bins: 8)]
    let shape = shapes[Int(input[0]) % shapes.count]
    let text = Array(input[2...])

    let whole = read(text, shape: shape, piece: max(1, text.count))
    let pieces = read(text, shape: shape, piece: 1 + Int(input[1]))
    precondition(whole.events == pieces.events, "the cuts make a difference")
    precondition(whole.decoder.counters == pieces.decoder.counters, "the cuts change the counters")
    let counters = whole.decoder.counters
    precondition(
        counters.bytesReceived == whole.decoder.bytesInFrames + whole.decoder.bytesInText + counters.bytesSkipped, "a byte is missing")
    for case .frame(let frame) in whole.events {
        precondition(shape == nil || frame.shape == shape, "a frame of another shape")
        precondition(frame.histogram.count == frame.zones * frame.bins && frame.distanceMm.count == frame.zones)
    }

    // The conversation about the same bytes.
    var session = VL53L8CHSession(mode: input[0] & 0x80 == 0 ? .join : .configure(.reference), path: "fuzz")
    session.start(nowNs: 0) { _ in }
    var now: UInt64 = 0
    inPieces(of: 1 + Int(input[1]), text) { piece in
        now += 40_000_000
        session.push(piece, Arrival(monotonicNs: now, unixMs: 0)) { _ in }
        session.tick(nowNs: now) { _ in }
    }
    session.finish { _ in }
    return 0
}

private func read(_ text: [UInt8], shape: FrameShape?, piece: Int) -> (events: [DecoderEvent], decoder: VL53L8CHDecoder) {
    var decoder = VL53L8CHDecoder(shape: shape)
    var events: [DecoderEvent] = []
    inPieces(of: piece, text) { piece in
        decoder.push(piece, arrival: Arrival(monotonicNs: 0, unixMs: 0)) { events.append($0) }
    }
    decoder.finish { events.append($0) }
    return (events, decoder)
}

/// Each piece is a copy of exactly its size: one byte read too far is seen.
private func inPieces(of size: Int, _ text: [UInt8], _ body: (UnsafeRawBufferPointer) -> Void) {
    for start in stride(from: 0, to: text.count, by: size) {
        let piece = Array(text[start..<min(start + size, text.count)])
        piece.withUnsafeBytes(body)
    }
}
