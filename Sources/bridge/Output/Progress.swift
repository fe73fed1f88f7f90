import NLOSCore

/// One line on a terminal that says once a second how a run is going. Silent where standard error is no terminal, or one too
/// narrow for it.
struct Progress {
    private static let narrowest = 20

    private let clocks: Clocks
    private(set) var nextNs: UInt64?
    private var shown = false

    init(clocks: Clocks) {
        self.clocks = clocks
        nextNs = Terminal.messages.isTerminal ? clocks.monotonicNs() + 1_000_000_000 : nil
    }

    mutating func show(_ summary: CaptureSummary) {
        guard let due = nextNs, clocks.monotonicNs() >= due else { return }
        nextNs = due + 1_000_000_000
        let rejected = summary.framesRejected.values.reduce(0, +)
        let rate = summary.framesPerSecond.map { ", \(decimal($0, places: 1)) a second" } ?? ""
        put("frames \(summary.framesEmitted)\(rate), rejected \(rejected), gaps \(summary.gaps.count)")
        shown = true
    }

    /// Takes the line away before something else is written.
    mutating func clear() {
        guard shown else { return }
        put("")
        shown = false
    }

    /// The line in place of the one before, one cell short of the width, so that no terminal wraps it.
    private func put(_ text: String) {
        let width = Terminal.messages.width - 1
        guard width >= Self.narrowest else { return }
        try? Terminal.messages.write(Array("\r\(padded(String(text.prefix(width)), to: width))\r".utf8), .moment)
    }
}
