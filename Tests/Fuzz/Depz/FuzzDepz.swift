@testable import TransientSensor

/// Any bytes as a DEPZ board's: never a trap, every byte accounted for, bounded memory, and the same events however the bytes are cut. The
/// first byte chooses the cuts, the second one who reads: with checksums as they are, or with checksums made right, so that damage gets
/// past them.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDepz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    guard count >= 2 else { return 0 }
    let bytes = input[1] & 1 == 0 ? Array(input[2...]) : mended(Array(input[2...]))

    let whole = read(bytes, piece: max(1, bytes.count))
    let pieces = read(bytes, piece: 1 + Int(input[0]))
    precondition(whole.events == pieces.events, "the cuts make a difference")
    precondition(whole.decoder.counters == pieces.decoder.counters, "the cuts change the counters")
    let counters = whole.decoder.counters
    precondition(
        counters.bytesReceived == whole.decoder.bytesInFrames + whole.decoder.bytesInReplies + counters.bytesSkipped, "a byte is missing")
    for case .frame(let frame) in whole.events {
        precondition(frame.shape == whole.decoder.shape, "a frame of another shape")
        precondition(frame.histogram.count == frame.zones * frame.bins && frame.distanceMm.count == frame.zones)
        precondition([16, 64].contains(frame.zones) && frame.targetStatus?.count == frame.zones && frame.ambient.count == frame.zones)
    }

    // The conversation about the same bytes.
    for profile in [SensorProfile.depzVL53L8CH, .depzVL53L8CX] {
        var session = profile.session(.join, at: SessionPlace(path: "fuzz", isRecorded: input[1] & 2 != 0))
        session.start(nowNs: 0) { _ in }
        var now: UInt64 = 0
        inPieces(of: 1 + Int(input[0]), bytes) { piece in
            now += 40_000_000
            session.push(piece, Arrival(monotonicNs: now, unixMs: 0)) { _ in }
            if input[1] & 4 != 0 { session.lostBytes(nowNs: now) { _ in } }
            session.tick(nowNs: now) { _ in }
        }
        session.finish { _ in }
        _ = session.timing
    }

    // And as the host's commands to the emulated board.
    var board = SimulatedBoard(.depzVL53L8CX, scene: scene, seed: 1, startNs: 0, joining: .atReset)
    board.receive(bytes, atNs: 0)
    board.advance(toNs: 300_000_000) { _ in }
    return 0
}

/// Costs nothing to measure.
private let scene = SimulatedScene.recorded([
    FirmwareFrame(
        bins: 0, ambient: Array(repeating: 1, count: 16), distanceMm: Array(repeating: 500, count: 16), histogram: [],
        arrival: Arrival(monotonicNs: 0, unixMs: 0))
])

/// The same bytes with every header's checksum made to fit, where a magic stands.
private func mended(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    var place = 0
    while place + DepzHeader.bytes <= bytes.count {
        if bytes[place] == DepzHeader.magic[0], bytes[place + 1] == DepzHeader.magic[1] {
            bytes[place + 6] = UInt8(bytes[place + 2..<place + 6].withUnsafeBytes { DepzChecksum.crc8.sum(of: $0) })
            place += DepzHeader.bytes
        } else {
            place += 1
        }
    }
    return bytes
}

private func read(_ bytes: [UInt8], piece: Int) -> (events: [DepzEvent], decoder: DepzDecoder) {
    var decoder = DepzDecoder()
    var events: [DepzEvent] = []
    inPieces(of: piece, bytes) { piece in
        decoder.push(piece, arrival: Arrival(monotonicNs: 0, unixMs: 0)) { (event: DepzEvent) -> Void in events.append(event) }
    }
    decoder.finish()
    return (events, decoder)
}

/// Each piece is a copy of exactly its size: one byte read too far is seen.
private func inPieces(of size: Int, _ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) -> Void) {
    for start in stride(from: 0, to: bytes.count, by: size) {
        let piece = Array(bytes[start..<min(start + size, bytes.count)])
        piece.withUnsafeBytes(body)
    }
}
