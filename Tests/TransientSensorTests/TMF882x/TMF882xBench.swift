import Testing

@testable import TransientSensor

/// A board on the bench: lets its own time pass and keeps what it says.
struct TMF882xBench {
    var board: EmulatedTMF882x
    private(set) var bytes: [UInt8] = []
    /// When each byte came, nanoseconds.
    private(set) var times: [UInt64] = []

    init(
        _ firmware: TMF882xFirmware = .ams, _ scene: SimulatedScene = .matteWall, joining: Joining = .atReset,
        _ change: (inout EmulationOptions) -> Void = { _ in }
    ) {
        var options = EmulationOptions()
        change(&options)
        board = EmulatedTMF882x(firmware, EmulatorPlan(scene: scene, options: options, seed: 5, joining: joining))
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }
    var lines: [String] { text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init) }
    /// What is neither a row nor a line of help.
    var words: [String] {
        lines.filter { !$0.hasPrefix("#Raw") && !$0.hasPrefix("#Cal") && !$0.hasPrefix("#Obj") && !$0.contains(" ... ") }
    }
    var objects: [[Int]] { lines.filter { $0.hasPrefix("#Obj") }.map { $0.split(separator: ",").dropFirst().map { Int($0)! } } }
    /// Of the rows, in order.
    var indexes: [Int] { lines.filter { $0.hasPrefix("#Raw") }.map { Int($0.split(separator: ",")[2])! } }

    mutating func run(seconds: Double) {
        let end = board.clockNs + UInt64(seconds * 1e9)
        while let due = board.nextEventNs, due <= end {
            board.advance(toNs: due) {
                bytes += Array($0)
                times += Array(repeating: due, count: $0.count)
            }
        }
        board.advance(toNs: end) { _ in Issue.record("said something without an event") }
    }

    /// Sends each character when the state line of the one before has come.
    mutating func type(_ commands: String, seconds: Double = 2) {
        for command in commands.utf8 {
            board.receive([command], atNs: board.clockNs)
            run(seconds: seconds)
        }
    }

    mutating func forget() {
        bytes = []
        times = []
    }
}
