import Glibc
import NLOSCore
import TransientSensor

/// `bench depz [FOLDER]`: bytes of a DEPZ board to frames, in the chunks that USB reads deliver: depth, and depth with histograms; each
/// without a payload checksum, as recorded boards send it, and with the longest.
///
/// With a folder, the streams without checksums are also written there (`depz-cx.bin`, `depz-ch.bin`, and the speed beside them), for
/// `Tests/DepzSDK/decode.py` to work on the same bytes.
func benchmarkDepz(_ arguments: [String]) {
    for (variant, profile) in [("cx", SensorProfile.depzVL53L8CX), ("ch", .depzVL53L8CH)] {
        for isProtected in [false, true] {
            let (bytes, frames) = stream(profile, isProtected: isProtected)
            for chunk in [16_384, 512] {
                var decoder = DepzDecoder()
                let arrival = Arrival(monotonicNs: 0, unixMs: 0)
                var decoded = 0
                var sum: Int64 = 0
                let found = measure(bytes: bytes.count) {
                    decoded = 0
                    decoder = DepzDecoder()
                    bytes.withUnsafeBytes { bytes in
                        for start in stride(from: 0, to: bytes.count, by: chunk) {
                            let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + chunk, bytes.count)])
                            decoder.push(piece, arrival: arrival) { (event: DepzEvent) -> Void in
                                guard case .frame(let frame) = event else { return }
                                sum &+= frame.distanceMm[0] &+ frame.ambient[0] &+ (frame.histogram.last ?? 0)
                                decoded += 1
                            }
                        }
                    }
                }
                keep(sum)
                guard decoded == frames else { fatalError("\(decoded) of \(frames) frames") }
                if chunk == 16_384, !isProtected, let folder = arguments.first {
                    write(Array("\(found.megabytesPerSecond)".utf8), to: "\(folder)/depz-\(variant).speed")
                    write(bytes, to: "\(folder)/depz-\(variant).bin")
                }
                print(
                    "depz \(variant), \(isProtected ? "CRC-32" : "no checksum"), chunks of \(chunk): \(Int(found.megabytesPerSecond)) MB/s (target 500),"
                        + " \((found.allocationsPerRepetition / Double(frames) * 10).rounded() / 10) allocations a frame")
            }
        }
    }
}

/// What an emulated board sends in 20 s, and how many whole frames are in it.
private func stream(_ profile: SensorProfile, isProtected: Bool) -> (bytes: [UInt8], frames: Int) {
    var board = SimulatedBoard(profile, scene: .matteWall, seed: 1, startNs: 0, joining: .midStream)
    // "Set payload CRC kind": 3.
    if isProtected { board.receive([0xa5, 0xc3, 0x01, 0x00, 0x09, 0x00, 0x3d, 0x03], atNs: 0) }
    board.advance(toNs: 190_000_000) { _ in }
    let printed = board.firmware.framesPrinted
    var bytes: [UInt8] = []
    board.advance(toNs: 20_000_000_000) { bytes += $0 }
    return (bytes, Int(board.firmware.framesPrinted - printed))
}
