import Foundation
import Testing

@testable import TransientSensor

/// A board on the bench: lets its own time pass and keeps what it sent beside the numbers that it meant.
struct Bench {
    var board: EmulatedVL53L8CH
    var bytes: [UInt8] = []
    /// Frames in the order that the board measured them, a joined one not among them.
    private(set) var measured: [FirmwareFrame] = []

    init(
        _ scene: SimulatedScene = .matteWall, _ faults: FirmwareFaults = FirmwareFaults(), seed: UInt64 = 1,
        joining: Joining = .atReset, _ change: (inout EmulationOptions) -> Void = { _ in }
    ) {
        var options = EmulationOptions()
        options.faults = faults
        change(&options)
        board = EmulatedVL53L8CH(EmulatorPlan(scene: scene, options: options, seed: seed, joining: joining))
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }
    /// Without the last, which may not have ended.
    var lines: [String] { text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init) }
    /// What is neither a frame nor empty.
    var words: [String] { lines.filter { $0.contains(where: \.isLetter) && $0 != "D" } }
    var nowSeconds: Double { Double(board.clockNs) * 1e-9 }

    mutating func run(seconds: Double) {
        let end = board.clockNs + UInt64(seconds * 1e9)
        while let due = board.nextEventNs, due <= end { step(to: due) }
        board.advance(toNs: end) { bytes.append(contentsOf: $0) }
    }

    /// Runs until the board has said this once more, for at most a minute of its time.
    mutating func expect(_ line: String, _ why: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation) {
        let end = board.clockNs + 60_000_000_000
        let start = bytes.count
        while let due = board.nextEventNs, due <= end {
            let before = bytes.count
            step(to: due)
            // Only what is new, and what a line that it ends may have begun in.
            if Data(bytes[max(start, before - line.utf8.count)...]).range(of: Data(line.utf8)) != nil { return }
        }
        Issue.record(why ?? "the board never said '\(line)'", sourceLocation: sourceLocation)
    }

    mutating func send(_ bytes: [UInt8]) { board.receive(bytes, atNs: board.clockNs) }

    private mutating func step(to due: UInt64) {
        let before = board.framesMeasured
        board.advance(toNs: due) { bytes.append(contentsOf: $0) }
        if board.framesMeasured > before { measured.append(board.numbers.frame) }
    }
}

extension FrameNumbers {
    var frame: FirmwareFrame {
        FirmwareFrame(
            bins: bins, ambient: ambient, distanceMm: distanceMm, histogram: histogram, arrival: Arrival(monotonicNs: 0, unixMs: 0))
    }
}

/// The thirteen words of a packet; the fields that a test does not name are those of the Python class's 4x4 preset.
func packet(
    resolution: Int = 16, mode: Int = 1, hz: Int = 30, integrationMs: Int = 10, start: Int = 0, bins: Int = 8, subsample: Int = 16,
    from: (Int, Int) = (0, 0), merge: (Int, Int) = (1, 1), columns: Int = 4, rows: Int = 4
) -> [UInt8] {
    [resolution, mode, hz, integrationMs, start, bins, subsample, from.0, from.1, merge.0, merge.1, columns, rows]
        .flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
}
