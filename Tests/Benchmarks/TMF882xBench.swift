import Glibc
import NLOSCore
import TransientSensor

/// `bench tmf882x [FOLDER]`: text of the TMF882x sketches to frames, in the chunks that USB reads deliver.
///
/// With a folder, the text is also written there (`tmf882x-ZONESxBINS.txt`, and the speed beside it), for `tmf882x_reader.py` to work on
/// the same bytes.
func benchmarkTMF882x(_ arguments: [String]) {
    let streams: [(profile: SensorProfile, request: StreamRequest)] = [
        (.tmf882xMiniTof, .join), (.tmf882xCCHardware, .grid(side: 8)), (.tmf882xAms, .light),
    ]
    for (profile, request) in streams {
        let stream = TMF882xStream(profile, request, bytes: 4_000_000)
        let text = stream.text
        for chunk in [16_384, 512] {
            var decoded = 0
            var sum: Int64 = 0
            let found = measure(bytes: text.count) {
                var session = profile.session(request, at: SessionPlace(path: "bench", isRecorded: true))
                session.start(nowNs: 0) { _ in }
                decoded = 0
                text.withUnsafeBytes { bytes in
                    for start in stride(from: 0, to: bytes.count, by: chunk) {
                        let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + chunk, bytes.count)])
                        session.push(piece, Arrival(monotonicNs: 0, unixMs: 0)) { output in
                            guard case .frame(let frame) = output else { return }
                            sum &+= frame.histogram.last ?? frame.distanceMm[0]
                            decoded += 1
                        }
                    }
                }
            }
            keep(sum)
            guard decoded > 0 else { fatalError("no frame") }
            let allocations = (found.allocationsPerRepetition / Double(decoded) * 10).rounded() / 10
            if chunk == 16_384, let folder = arguments.first {
                write(text, to: "\(folder)/tmf882x-\(stream.zones)x\(stream.bins).txt")
                write(Array("\(found.megabytesPerSecond)".utf8), to: "\(folder)/tmf882x-\(stream.zones)x\(stream.bins).speed")
            }
            print(
                "\(profile.name) \(stream.shape), chunks of \(chunk): \(Int(found.megabytesPerSecond)) MB/s (target 200), "
                    + "\(allocations) allocations a frame")
        }
    }
}

/// What an emulated board says once it streams what was asked, after its own first words.
private struct TMF882xStream {
    let text: [UInt8]
    let zones: Int
    let bins: Int
    var shape: FrameShape { FrameShape(zones: zones, bins: bins) }

    init(_ profile: SensorProfile, _ request: StreamRequest, bytes wanted: Int) {
        var board = SimulatedBoard(profile, scene: .matteWall, seed: 1, startNs: 0, joining: .atReset)
        var session = profile.session(request, at: SessionPlace(path: "bench"))
        var now: UInt64 = 0
        var text: [UInt8] = []
        var commands: [UInt8] = []
        var shape = (zones: 0, bins: 0)
        session.start(nowNs: 0) { _ in }
        while text.count < wanted, let next = [board.nextEventNs, session.deadlineNs].compactMap(\.self).min() {
            now = max(now, next)
            let take = { (output: SessionOutput) in
                switch output {
                case .send(let bytes): commands += bytes
                case .frame(let frame): shape = (frame.zones, frame.bins)
                default: break
                }
            }
            board.advance(toNs: now) {
                text += Array($0)
                session.push($0, Arrival(monotonicNs: now, unixMs: 0), take)
            }
            session.tick(nowNs: now, take)
            board.receive(commands, atNs: now)
            commands = []
        }
        self.text = Array(text[...(text.lastIndex(of: UInt8(ascii: "\n")) ?? 0)])
        (zones, bins) = shape
    }
}
