import CAllocations
import Foundation
import NLOSCore

/// `bench tracks [FOLDER]`: bytes to a frame that may be shown: decoder, every check, and the guard.
///
/// With a folder, messages and speeds are also written there (`tracks-NAME.jsonl` and `.speed.json`), so that
/// `alternatives.py tracks` can work on the same bytes.
func benchmarkTracks(_ arguments: [String]) {
    let shapes: [(tracks: Int, precision: TrackMessages.Precision, padding: Int)] = [
        (16, .mixed, 0), (16, .single, 0), (16, .double, 0), (1, .mixed, 0), (1, .mixed, TrackEnvelope.longestMessage),
    ]
    for shape in shapes {
        let messages = (1...64 as ClosedRange<UInt64>).map { sequence in
            let message = TrackMessages.message(sequence: sequence, tracks: shape.tracks, precision: shape.precision)
            return padded(message, to: shape.padding)
        }
        let name = "\(shape.tracks)-\(shape.precision)"
        let bytes = messages.reduce(0) { $0 + $1.count }
        let found = measure(bytes: bytes) {
            var guardian = StreamGuard(session: session)
            for message in messages {
                guard let frame = try? guardian.admit(message, unixMs: TrackMessages.nowUnixMs, bootNs: 1) else {
                    fatalError("our own message is refused")
                }
                keep(frame)
            }
        }
        let size = bytes / messages.count
        let speed = found.megabytesPerSecond
        let allocations = found.allocationsPerRepetition / Double(messages.count)
        print(
            "track message to frame, \(name), \(size) bytes: "
                + "\(Int(speed)) MB/s, \(microseconds(Double(size) / speed)) us, \(allocations) allocations a frame")
        if shape.padding == 0 {
            print("Foundation's JSONDecoder on the same, \(name): \(foundation(messages, bytes: bytes, ours: speed))")
        }
        guard let folder = arguments.first, shape.padding == 0 else { continue }
        write(messages, to: "\(folder)/tracks-\(name).jsonl")
        write([Array("{\"loads\":\(speed)}".utf8)], to: "\(folder)/tracks-\(name).speed.json")
    }
    measureRejected()
}

private let session: AuthenticatedSession = {
    let message = #"{"schema":"ruview.nlos.authenticated.v1","sessionId":"lab-run-001","expiresAtUnixMs":1800003600000}"#
    guard let session = try? AuthenticatedSession.decode(Array(message.utf8), atUnixMs: TrackMessages.nowUnixMs) else {
        fatalError("our own session is refused")
    }
    return session
}()

/// The message with spaces before its closing brace.
private func padded(_ message: [UInt8], to size: Int) -> [UInt8] {
    message.dropLast() + Array(repeating: UInt8(ascii: " "), count: max(0, size - message.count)) + [UInt8(ascii: "}")]
}

private func foundation(_ messages: [[UInt8]], bytes: Int, ours: Double) -> String {
    let data = messages.map { Data($0) }
    let decoder = JSONDecoder()
    let found = measure(bytes: bytes, rounds: 5) {
        var last: UInt64?
        for message in data {
            guard let frame = try? decoder.decode(FoundationTrack.self, from: message),
                frame.isAcceptable(atUnixMs: TrackMessages.nowUnixMs, after: last)
            else { fatalError("Foundation refuses the message") }
            last = frame.sequence
        }
    }
    let speed = found.megabytesPerSecond
    return "\(microseconds(speed)) MB/s, ours is \(Int(ours / speed)) times that (target 40)"
}

/// The most that the heap holds for messages that are refused at their end, or for what they claim.
private func measureRejected() {
    let whole = TrackMessages.message(sequence: 1, tracks: 16)
    let track = String(decoding: whole, as: UTF8.self).components(separatedBy: "\"tracks\":[")[1].dropLast(2)
    let head = String(decoding: whole, as: UTF8.self).components(separatedBy: "\"tracks\":[")[0] + "\"tracks\":["
    let many = head + Array(repeating: track, count: 32).joined(separator: ",") + "]}"
    let rows: [(name: String, message: [UInt8])] = [
        ("open after the last track", Array(whole.dropLast())), ("512 tracks", Array(many.utf8)),
        ("262,144 brackets", Array(repeating: UInt8(ascii: "["), count: TrackEnvelope.longestMessage)),
        ("one string of 262,144", [0x7b, 0x22] + Array(repeating: 0x61, count: TrackEnvelope.longestMessage - 2)),
    ]
    for row in rows {
        let before = nlos_allocated_bytes()
        guard (try? TrackEnvelope.decode(row.message, atUnixMs: TrackMessages.nowUnixMs)) == nil else { fatalError("accepted") }
        print("allocated for a rejected message, \(row.name), \(row.message.count) bytes: \(nlos_allocated_bytes() - before) bytes")
    }
}

private func microseconds(_ value: Double) -> Double { (value * 100).rounded() / 100 }
