import NLOSCore

/// One line on a terminal that says once a second how a run is going. Silent where standard error is no terminal.
struct Progress {
    private let clocks: Clocks
    private let active = Terminal.messages.isTerminal
    private(set) var nextNs: UInt64?
    private var shown = false

    init(clocks: Clocks) {
        self.clocks = clocks
        nextNs = active ? clocks.monotonicNs() + 1_000_000_000 : nil
    }

    mutating func show(_ summary: CaptureSummary) {
        guard let due = nextNs, clocks.monotonicNs() >= due else { return }
        nextNs = due + 1_000_000_000
        let rejected = summary.framesRejected.values.reduce(0, +)
        let rate = summary.framesPerSecond.map { ", \(decimal($0, places: 1)) a second" } ?? ""
        let text = "frames \(summary.framesEmitted)\(rate), rejected \(rejected), gaps \(summary.gaps.count)"
        put("\r\(padded(String(text.prefix(Terminal.messages.width - 1)), to: Terminal.messages.width - 1))\r")
        shown = true
    }

    /// Takes the line away before something else is written.
    mutating func clear() {
        guard shown else { return }
        put("\r\(String(repeating: " ", count: Terminal.messages.width - 1))\r")
        shown = false
    }

    private func put(_ text: String) { _ = try? Terminal.messages.write(Array(text.utf8)) }
}
