import Glibc
import NLOSCore

/// `bench codec [FOLDER]`: frame to line and line to frame, for the two largest shapes of the VL53L8CH.
///
/// With a folder, the lines and the speeds are also written there (`codec-ZONESxBINS.jsonl` and `.speed.json`), so that
/// `alternatives.py codec` can work on the same lines and print how many times faster we are.
func benchmarkCodec(_ arguments: [String]) {
    for (zones, bins) in [(64, 18), (16, 48)] {
        let frames = (0..<16).map { sampleFrame(sequence: $0, zones: zones, bins: bins) }
        var writer = JSONWriter()
        let lines = frames.map { frame in
            writer.removeAll()
            frame.encode(into: &writer)
            return writer.bytes
        }
        let bytes = lines.reduce(0) { $0 + $1.count }

        let encoding = measure(bytes: bytes) {
            for frame in frames {
                writer.removeAll()
                frame.encode(into: &writer)
            }
        }
        keep(writer.bytes)
        let decoding = measure(bytes: bytes) {
            for line in lines {
                guard let frame = try? TransientFrame.decode(line) else { fatalError("our own line is refused") }
                keep(frame)
            }
        }
        let shape = "\(zones)x\(bins), \(bytes / frames.count) bytes a line"
        report("encode", shape, encoding, frames: frames.count, atLeast: 500)
        report("decode", shape, decoding, frames: frames.count, atLeast: 400)
        guard let folder = arguments.first else { continue }
        write(lines, to: "\(folder)/codec-\(zones)x\(bins).jsonl")
        write([speeds(encoding, decoding)], to: "\(folder)/codec-\(zones)x\(bins).speed.json")
    }
}

private func report(_ what: String, _ shape: String, _ found: Measurement, frames: Int, atLeast target: Double) {
    let speed = Int(found.megabytesPerSecond)
    let allocations = found.allocationsPerRepetition / Double(frames)
    print("\(what) \(shape): \(speed) MB/s (target \(Int(target))), \(allocations) allocations a frame")
}

/// Megabytes a second, by the names of orjson's own functions for the same work.
private func speeds(_ encoding: Measurement, _ decoding: Measurement) -> [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    json.key("dumps")
    json.value(encoding.megabytesPerSecond)
    json.key("loads")
    json.value(decoding.megabytesPerSecond)
    json.endObject()
    return json.bytes
}

func write(_ lines: [[UInt8]], to path: String) {
    guard let file = fopen(path, "w") else { fatalError("cannot write \(path): \(String(cString: strerror(errno)))") }
    for line in lines {
        fwrite(line, 1, line.count, file)
        fputc(0x0a, file)
    }
    fclose(file)
}

/// A wall at about 1.2 m, seen at a slant: a peak in each zone, a tail behind it, and a noise floor of one to three digits.
private func sampleFrame(sequence: Int, zones: Int, bins: Int) -> TransientFrame {
    var state = UInt64(sequence * 1000 + zones)
    func random(_ limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % limit
    }
    let width = zones == 64 ? 8 : 4
    let distancesMm = (0..<zones).map { zone in 1_100 + 25 * (zone % width) + random(12) }
    let points = distancesMm.enumerated().map { zone, distance in
        let angle = Float.pi / 4
        let d = Float(distance) / 1000
        return Vector3(
            x: d * tanf(((Float(zone % width) + 0.5) / Float(width) - 0.5) * angle),
            y: d * tanf(((Float(zone / width) + 0.5) / Float(width) - 0.5) * angle), z: d)
    }
    let histograms = (0..<zones * bins).map { index -> UInt16 in
        let behind = index % bins - bins / 3
        let peak =
            switch behind {
            case -1: 4_000 + random(3_000)
            case 0: 21_000 + random(9_000)
            case 1: 9_000 + random(5_000)
            case 2...: 3_000 / (behind * behind) + random(200)
            default: random(random(2) == 0 ? 10 : 300)
            }
        return UInt16(peak)
    }
    let label = { (text: String) in SafeLabel(text)! }
    do {
        return try TransientFrame(
            sessionId: label("bench-2027-01-15"), sequence: UInt64(sequence), capturedAtUnixMs: 1_800_000_000_000 + UInt64(sequence) * 66,
            monotonicNs: 81_234_567_890 + UInt64(sequence) * 66_666_667, evidence: .measured(.compactNormalized),
            sensor: SensorIdentity(
                sensorId: label("066DFF485550755187121723"), sensorModel: label("VL53L8CH"), firmwareVersion: label("unreported")),
            binWidthPs: 250, startBin: 2, pose: .fixed,
            zones: TransientZones(
                wallPointsM: points, distancesM: distancesMm.map { Float($0) / 1000 },
                ambient: (0..<zones).map { _ in UInt32(random(5_000)) }, histograms: histograms))
    } catch {
        fatalError("the sample keeps the contract: \(error)")
    }
}
