import Foundation
import NLOSCore
import Synchronization

@testable import TransientSensor

/// A folder of its own for one test, gone with it.
final class Folder {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("recording-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes `bytes` to a file and returns its path.
    func holding(_ bytes: [UInt8], _ name: String = "capture.pcap") throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
        return file(name)
    }
}

func contents(_ file: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: file))) }

/// Clocks that stand still until a test moves them.
final class HandClock: Sendable {
    private let state: Mutex<(monotonicNs: UInt64, unixMs: UInt64)>

    init(monotonicNs: UInt64 = 5_000_000_000) { state = Mutex((monotonicNs, 1_700_000_000_000)) }

    var clocks: Clocks {
        Clocks(
            monotonicNs: { self.state.withLock { $0.monotonicNs } }, bootNs: { 0 },
            unixMs: { self.state.withLock { $0.unixMs } })
    }

    /// Time passes, on both clocks.
    func pass(ms: UInt64) {
        state.withLock { $0 = ($0.monotonicNs + ms * 1_000_000, $0.unixMs + ms) }
    }

    /// Somebody sets the wall clock.
    func setWall(unixMs: UInt64) {
        state.withLock { $0.unixMs = unixMs }
    }
}

/// What a replay handed over.
struct Played: Equatable {
    var pieces: [[UInt8]] = []
    var arrivals: [Arrival] = []
    /// After which piece each hole was.
    var holes: [Int] = []
    var sent: [[UInt8]] = []
    var failure: SensorError?

    var bytes: [UInt8] { Array(pieces.joined()) }
}

func play(_ replay: PcapReplay) -> Played {
    var played = Played()
    do throws(SensorError) {
        while try replay.drain({ bytes, arrival in
            guard !bytes.isEmpty else { return played.holes.append(played.pieces.count) }
            played.pieces.append(Array(bytes))
            played.arrivals.append(arrival)
        }) != .finished {
            if let sent = replay.takeSent() { played.sent.append(sent) }
        }
    } catch {
        played.failure = error
    }
    return played
}

func play(file: String) throws(SensorError) -> Played { play(try replay(file)) }

/// Of the boards in these tests, the one with ST's vendor number is a sensor.
func replay(_ file: String, _ pace: ReplayPace = .fast, _ clocks: Clocks = .kernel) throws(SensorError) -> PcapReplay {
    try PcapReplay(file: file, pace: pace, clocks: clocks) { $0.vendorId == 0x0483 }
}

extension RecordedDevice {
    /// NUCLEO-F401RE's debug probe, as it describes itself.
    static let nucleo = RecordedDevice(
        bus: 1, address: 7, inEndpoint: 0x82, outEndpoint: 0x02,
        descriptor: [18, 1, 0, 2, 0xef, 2, 1, 64, 0x83, 0x04, 0x4b, 0x37, 0, 1, 1, 2, 3, 1])
}

extension PcapRecorder {
    mutating func received(_ text: String, at arrival: Arrival) {
        Array(text.utf8).withUnsafeBytes { received($0, at: arrival) }
    }
}
