import Glibc
import NLOSCore
import TransientSensor

/// `bench decoder [FOLDER]`: text of the VL53L8CH firmware to frames, in the chunks that USB reads deliver, and on to JSON lines.
///
/// With a folder, the text is also written there (`decoder-ZONESxBINS.txt`, and the speed beside it), for `decoder_reader.py` to work
/// on the same bytes.
func benchmarkDecoder(_ arguments: [String]) {
    for shape in [FrameShape(zones: 16, bins: 48), FrameShape(zones: 64, bins: 18)] {
        let frames = 256
        let text = FirmwareStream.text(shape, frames: frames)
        for chunk in [16_384, 512] {
            var decoder = VL53L8CHDecoder(shape: shape)
            let arrival = Arrival(monotonicNs: 0, unixMs: 0)
            var decoded = 0
            var sum: Int64 = 0
            let found = measure(bytes: text.count) {
                decoded = 0
                text.withUnsafeBytes { bytes in
                    for start in stride(from: 0, to: bytes.count, by: chunk) {
                        let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + chunk, bytes.count)])
                        decoder.push(piece, arrival: arrival) { event in
                            guard case .frame(let frame) = event else { return }
                            sum &+= frame.histogram[frame.histogram.count - 1] &+ frame.ambient[0] &+ frame.distanceMm[0]
                            decoded += 1
                        }
                    }
                }
            }
            keep(sum)
            guard decoded == frames else { fatalError("\(decoded) of \(frames) frames") }
            let allocations = found.allocationsPerRepetition / Double(frames)
            if chunk == 16_384, let folder = arguments.first {
                write(Array("\(found.megabytesPerSecond)".utf8), to: "\(folder)/decoder-\(shape.zones)x\(shape.bins).speed")
            }
            print(
                "decoder \(shape), chunks of \(chunk): \(Int(found.megabytesPerSecond)) MB/s (target 300), \(allocations) allocations a frame"
            )
        }
        if let folder = arguments.first { write(text, to: "\(folder)/decoder-\(shape.zones)x\(shape.bins).txt") }
        measurePipeline(text, shape)
    }
}

/// The whole way of a byte inside the program: text to firmware frame, both views, line.
private func measurePipeline(_ text: [UInt8], _ shape: FrameShape) {
    let label = SafeLabel("bench")!
    var views = FrameViews(
        profile: .nucleoVL53L8CH, origin: .synthetic, shape: shape, timing: BinTiming(binWidthPs: 250, startBin: 0, basis: .declared),
        sessionId: label, sensor: SensorIdentity(sensorId: label, sensorModel: label, firmwareVersion: label))!
    var decoder = VL53L8CHDecoder(shape: shape)
    var json = JSONWriter()
    var lines = 0
    let found = measure(bytes: text.count) {
        lines = 0
        text.withUnsafeBytes { bytes in
            decoder.push(bytes, arrival: Arrival(monotonicNs: 0, unixMs: 0)) { event in
                guard case .frame(let frame) = event, let transient = try? views.transient(of: frame, pose: .fixed) else { return }
                json.removeAll()
                transient.encode(into: &json)
                lines += 1
            }
        }
    }
    keep(json.bytes)
    let allocations = (found.allocationsPerRepetition / Double(lines) * 10).rounded() / 10
    print("text to lines \(shape): \(Int(found.megabytesPerSecond)) MB/s of text, \(allocations) allocations a frame")
}

func write(_ text: [UInt8], to path: String) {
    guard let file = fopen(path, "w") else { fatalError("cannot write \(path): \(String(cString: strerror(errno)))") }
    fwrite(text, 1, text.count, file)
    fclose(file)
}

/// The emulated firmware's text: its noise has the statistics of a live sensor's (29 % of the bins negative, 3.6 characters wide).
private enum FirmwareStream {
    static func text(_ shape: FrameShape, frames: Int) -> [UInt8] {
        var configuration = VL53L8CHConfiguration(
            grid: shape.zones == 64 ? .zones8x8 : .zones4x4, rateHz: 10, startBin: 0, bins: shape.bins)
        configuration.subsample = 128 / shape.bins
        var board = EmulatedVL53L8CH(EmulatorPlan(scene: .matteWall, seed: 1, joining: .midStream))
        board.receive(configuration.packet, atNs: 0)
        var text: [UInt8] = []
        var frame: [UInt8] = []
        var wanted = -1
        // The words of the configuration come first; then frames, each from its marker to the next one.
        while wanted <= frames, let due = board.nextEventNs {
            board.advance(toNs: due) { bytes in
                for byte in bytes {
                    if byte == UInt8(ascii: "D") {
                        if (1...frames).contains(wanted) { text += frame }
                        if wanted >= 0 { wanted += 1 }
                        frame.removeAll()
                    }
                    frame.append(byte)
                    if frame.suffix(9).elementsEqual("started.\n".utf8) { wanted = 0 }
                }
            }
        }
        return text
    }
}
