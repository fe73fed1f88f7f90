@testable import TransientSensor

/// Any bytes as the sketches' text, with a layout or without: never a trap, every byte accounted for, and the same events however the
/// bytes are cut. The first two bytes choose layout and cuts.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTMF882x(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    guard count >= 2 else { return 0 }
    let sides = [3, 4, 8].flatMap { [($0, true), ($0, false)] }
    let choice = Int(input[0] & 0x3f) % (sides.count + 1)
    let layout = choice == 0 ? nil : TMF882xLayout(side: sides[choice - 1].0, hasHistograms: sides[choice - 1].1)
    let text = Array(input[2...])

    let whole = read(text, layout, piece: max(1, text.count))
    let pieces = read(text, layout, piece: 1 + Int(input[1]))
    precondition(whole.events == pieces.events, "the cuts make a difference")
    precondition(whole.decoder.counters == pieces.decoder.counters, "the cuts change the counters")
    let (decoder, counters) = (whole.decoder, whole.decoder.counters)
    precondition(counters.bytesReceived == decoder.bytesInFrames + decoder.bytesInText + counters.bytesSkipped, "a byte is missing")
    for case .frame(let frame) in whole.events {
        precondition(layout == nil || FrameShape(zones: frame.zones, bins: frame.bins) == layout?.shape, "a frame of another layout")
        precondition(frame.histogram.count == frame.zones * frame.bins && frame.distanceMm.count == frame.zones)
        precondition(frame.histogram.allSatisfy { (0...0xff_ffff).contains($0) })
    }

    // The conversation about the same bytes.
    let profiles = [SensorProfile.tmf882xAms, .tmf882xCCHardware, .tmf882xMiniTof]
    let requests = [StreamRequest.join, .light, .grid(side: 8)]
    var session = profiles[Int(input[0] >> 6) % 3].session(requests[Int(input[1]) % 3], at: SessionPlace(path: "fuzz"))
    var commands = 0
    let hear = { (output: SessionOutput) in
        guard case .send(let bytes) = output else { return }
        precondition(bytes.count == 1, "more than one command at a time")
        commands += 1
    }
    session.start(nowNs: 0, hear)
    var now: UInt64 = 0
    inPieces(of: 1 + Int(input[1]), text) { piece in
        now += 40_000_000
        session.push(piece, Arrival(monotonicNs: now, unixMs: 0), hear)
        session.tick(nowNs: now, hear)
    }
    session.finish { _ in }
    precondition(commands <= text.count + Int(now / 1_000_000_000) + 2, "commands without end")
    return 0
}

private func read(_ text: [UInt8], _ layout: TMF882xLayout?, piece: Int) -> (events: [TMF882xEvent], decoder: TMF882xDecoder) {
    var decoder = TMF882xDecoder(layout: layout)
    var events: [TMF882xEvent] = []
    inPieces(of: piece, text) { piece in
        decoder.push(
            piece, arrival: Arrival(monotonicNs: 0, unixMs: 0),
            judge: { event in
                events.append(event)
                return true
            })
    }
    decoder.finish()
    return (events, decoder)
}

/// Each piece is a copy of exactly its size: one byte read too far is seen.
private func inPieces(of size: Int, _ text: [UInt8], _ body: (UnsafeRawBufferPointer) -> Void) {
    for start in stride(from: 0, to: text.count, by: size) {
        let piece = Array(text[start..<min(start + size, text.count)])
        piece.withUnsafeBytes(body)
    }
}
