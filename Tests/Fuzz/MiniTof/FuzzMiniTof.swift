@testable import TransientSensor

/// Any bytes as a mini_tof board's, with a layout or without: never a trap, every byte accounted for, and the same events however the
/// bytes are cut. The first two bytes choose layout and cuts.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMiniTof(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    guard count >= 2 else { return 0 }
    let layouts = [
        nil, MiniTofLayout(zones: 16, values: 4), MiniTofLayout(zones: 16, values: 4, metadata: .full),
        MiniTofLayout(zones: 16, values: 5, metadata: .distances),
    ]
    let layout = layouts[Int(input[0]) % layouts.count]
    let bytes = Array(input[2...])

    let whole = read(bytes, layout: layout, piece: max(1, bytes.count))
    let pieces = read(bytes, layout: layout, piece: 1 + Int(input[1]))
    precondition(whole.events == pieces.events, "the cuts make a difference")
    precondition(whole.decoder.counters == pieces.decoder.counters, "the cuts change the counters")
    let counters = whole.decoder.counters
    precondition(
        counters.bytesReceived == whole.decoder.bytesInFrames + whole.decoder.bytesInText + counters.bytesSkipped, "a byte is missing")
    precondition(whole.decoder.bytesHeld < 8_192, "memory grows")
    for case .frame(let frame) in whole.events {
        precondition(MiniTofLayout.grids.contains(frame.zones) && (1...128).contains(frame.bins), "a frame of another shape")
        precondition(frame.histogram.count == frame.zones * frame.bins && [0, frame.zones].contains(frame.distanceMm.count))
        precondition(frame.histogram.allSatisfy { $0.magnitude < 1 << 41 }, "a value that is no number")
    }

    // The conversation about the same bytes.
    var session = MiniTofSession(at: SessionPlace(path: "fuzz"))
    session.start(nowNs: 0) { _ in }
    var now: UInt64 = 0
    inPieces(of: 1 + Int(input[1]), bytes) { piece in
        now += 40_000_000
        session.push(piece, Arrival(monotonicNs: now, unixMs: 0)) { _ in }
        session.tick(nowNs: now) { _ in }
    }
    session.finish { _ in }
    return 0
}

private func read(_ bytes: [UInt8], layout: MiniTofLayout?, piece: Int) -> (events: [DecoderEvent], decoder: MiniTofDecoder) {
    var decoder = MiniTofDecoder(layout: layout)
    var events: [DecoderEvent] = []
    inPieces(of: piece, bytes) { piece in
        decoder.push(piece, arrival: Arrival(monotonicNs: 0, unixMs: 0)) { events.append($0) }
    }
    decoder.finish { events.append($0) }
    return (events, decoder)
}

/// Each piece is a copy of exactly its size: one byte read too far is seen.
private func inPieces(of size: Int, _ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) -> Void) {
    for start in stride(from: 0, to: bytes.count, by: size) {
        let piece = Array(bytes[start..<min(start + size, bytes.count)])
        piece.withUnsafeBytes(body)
    }
}
