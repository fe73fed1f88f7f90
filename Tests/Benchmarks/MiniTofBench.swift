import NLOSCore
import TransientSensor

/// `bench mini-tof [FOLDER]`: binary records of the mini_tof firmwares to frames, in the chunks that USB reads deliver.
///
/// With a folder, the bytes are also written there (`mini-tof-ZONESxBINS.bin`, and the speed beside it), for `mini_tof_reader.py` to work
/// on the same ones.
func benchmarkMiniTof(_ arguments: [String]) {
    for bins in [12, 16] {
        let (bytes, frames) = emulatedStream(bins: bins, frames: 256)
        for chunk in [16_384, 512] {
            var decoder = MiniTofDecoder(layout: MiniTofLayout(zones: 64, values: bins + 2))
            let arrival = Arrival(monotonicNs: 0, unixMs: 0)
            var decoded = 0
            var sum: Int64 = 0
            let found = measure(bytes: bytes.count) {
                decoded = 0
                bytes.withUnsafeBytes { bytes in
                    for start in stride(from: 0, to: bytes.count, by: chunk) {
                        let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + chunk, bytes.count)])
                        decoder.push(piece, arrival: arrival) { event in
                            guard case .frame(let frame) = event else { return }
                            sum &+= frame.histogram[frame.histogram.count - 1] &+ frame.ambient[0]
                            decoded += 1
                        }
                    }
                }
            }
            keep(sum)
            guard decoded == frames else { fatalError("\(decoded) of \(frames) frames") }
            if chunk == 16_384, let folder = arguments.first {
                write(bytes, to: "\(folder)/mini-tof-64x\(bins).bin")
                write(Array("\(found.megabytesPerSecond)".utf8), to: "\(folder)/mini-tof-64x\(bins).speed")
            }
            let allocations = found.allocationsPerRepetition / Double(frames)
            print(
                "mini_tof decoder 64 zones x \(bins) bins, chunks of \(chunk): \(Int(found.megabytesPerSecond)) MB/s (target 500),"
                    + " \(allocations) allocations a frame")
        }
    }
}

/// Whole frames of the emulated firmware, whose values are like a live sensor's.
private func emulatedStream(bins: Int, frames: Int) -> (bytes: [UInt8], frames: Int) {
    var options = EmulationOptions()
    options.faults.miniTof.bins = bins
    var board = EmulatedMiniTof(EmulatorPlan(scene: .matteWall, options: options, seed: 1))
    var bytes: [UInt8] = []
    while board.framesPrinted < frames, let due = board.nextEventNs { board.advance(toNs: due) { bytes.append(contentsOf: $0) } }
    // The words come first.
    let count = frames * 64 * (2 + bins + 1) * 4
    return (Array(bytes.suffix(count)), frames)
}
