import NLOSCore
import TrackMonitor

/// The monitor on a full screen, which is drawn when something happens and as often as its seconds tick.
final class ScreenOutput: MonitorOutput {
    /// While something is shown its age ticks, nanoseconds.
    private static let tickNs: UInt64 = 200_000_000
    /// While nothing is shown, only seconds tick.
    private static let slowTickNs: UInt64 = 1_000_000_000

    private let screen: FullScreen
    private let clocks: Clocks
    private var pace = RedrawPace()
    private var tickAtNs: UInt64?
    private var place = 0
    private var waitedToWrite = false
    private(set) var end: OutputEnd?

    init(_ screen: FullScreen, clocks: Clocks) {
        self.screen = screen
        self.clocks = clocks
    }

    var deadlineNs: UInt64? { [pace.deadlineNs, tickAtNs].compactMap(\.self).min() }
    /// A picture that nobody has seen yet is worth nothing at the end.
    var hasBacklog: Bool { false }

    func add(to waiting: inout Waiting) {
        waitedToWrite = screen.hasBacklog
        place = waiting.add(screen.descriptor, readable: true, writable: waitedToWrite)
    }

    func take(_ news: MonitorNews, _ view: MonitorView) {
        // What may not be shown any more does not wait for the next picture's turn.
        if case .stream(.cleared) = news { pace = RedrawPace() }
        pace.want()
    }

    func service(_ waiting: Waiting, _ view: MonitorView) {
        if waiting.ready(place) {
            screen.flush()
            readKeys()
        }
        let now = clocks.monotonicNs()
        if let tickAtNs, now >= tickAtNs { pace.want() }
        guard pace.isDue(nowNs: now) else { return }
        draw(view)
    }

    func screenChanged(_ changes: [SignalInbox.ScreenChange], _ view: MonitorView) {
        for change in changes {
            switch change {
            case .resized: screen.resized()
            case .stop: screen.stopAndContinue()
            }
        }
        draw(view)
    }

    func close() { screen.close() }

    private func draw(_ view: MonitorView) {
        let now = MonitorPicture.Moment.now(clocks)
        screen.show(MonitorPicture.draw(view, at: now, size: screen.size))
        let tick = view.frame(atBootNs: now.bootNs).map { min(Self.tickNs, interval(from: now.bootNs, to: $0.expiresAtBootNs) + 1) }
        tickAtNs = now.monotonicNs + (tick ?? Self.slowTickNs)
    }

    private func readKeys() {
        var count = 0
        while let key = screen.key() {
            count += 1
            if key == UInt8(ascii: "q") || key == UInt8(ascii: "Q") { end = .quit }
        }
        // Readable and nothing to read: the terminal has hung up.
        if count == 0, !waitedToWrite, end == nil { end = .closed }
    }
}
