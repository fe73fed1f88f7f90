import Foundation
import NLOSCore
import Testing

@testable import TransientSensor

/// The fuzzer's starting points are captures that mean something: this is what.
@Suite struct CorpusTests {
    private static let corpus = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().appendingPathComponent("../../Fuzz/Pcap/Corpus").standardizedFileURL.path

    @Test(arguments: [
        ("nanoseconds-220.pcap", FrameSource.replay, 3, 2), ("microseconds-189.pcap", .replay, 3, 2),
        ("big-endian-220.pcap", .replay, 3, 2), ("nextgen.pcapng", .replay, 1, 0), ("synthetic-torn.pcap", .synthetic, 1, 0),
    ])
    func isPlayed(name: String, origin: FrameSource, pieces: Int, holes: Int) throws {
        let replay = try replay("\(Self.corpus)/\(name)")
        let played = play(replay)
        #expect(replay.origin == origin)
        #expect(played.pieces.count == pieces)
        #expect(played.holes.count == holes)
        #expect(played.failure == nil)
        #expect(replay.isTorn == name.contains("torn"))
    }

    @Test func twoDevicesAreRefused() {
        #expect(throws: SensorError.self) { _ = try replay("\(Self.corpus)/two-devices.pcap") }
    }
}
