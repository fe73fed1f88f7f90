import NLOSCore
import TrackMonitor

/// `monitor --json`: a line an event on standard output. Notices are for people and go to standard error.
final class JSONOutput: MonitorOutput {
    private let lines: EventLines
    private let clocks: Clocks
    private var json = EventJSON()
    private var notices = NoticeBoard()
    private var place = 0

    init(_ lines: EventLines = EventLines(), clocks: Clocks) {
        self.lines = lines
        self.clocks = clocks
    }

    var deadlineNs: UInt64? { nil }
    var hasBacklog: Bool { lines.hasBacklog }
    var end: OutputEnd? { lines.end }

    func add(to waiting: inout Waiting) { place = lines.add(to: &waiting) }

    func take(_ news: MonitorNews, _ view: MonitorView) {
        switch news {
        case .stream(let event): take(event)
        case .paired(let report):
            lines.other(json.line(of: report, atUnixMs: clocks.unixMs()))
            if let problem = report.sensor.problem { notices.tell(problem, clocks) }
        case .retry: break
        }
    }

    func service(_ waiting: Waiting, _ view: MonitorView) { lines.service(waiting, place, clocks) }

    func close() { lines.sayWhatIsMissing() }

    private func take(_ event: MonitorEvent) {
        let now = clocks.unixMs()
        switch event {
        case .notice(let message): notices.tell(message, clocks)
        case .frame(let frame):
            if let line = json.line(of: event, atUnixMs: now) {
                lines.frame(line, expiresAtBootNs: frame.expiresAtBootNs, bootNs: clocks.bootNs())
            }
        case .cleared: if let line = json.line(of: event, atUnixMs: now) { lines.cleared(line) }
        case .disconnected(let end):
            let all = Disconnection(
                reason: end.reason, detail: end.detail, closeCode: end.closeCode,
                framesDropped: end.framesDropped + lines.takeFramesDropped(), mayPass: end.mayPass)
            if let line = json.line(of: .disconnected(all), atUnixMs: now) { lines.other(line) }
        case .connecting, .authenticated, .rejected:
            if case .rejected = event { lines.dropHeldFrame() }
            if let line = json.line(of: event, atUnixMs: now) { lines.other(line) }
        }
    }
}

/// Says notices on standard error, each only when it is another one than the last, and never a flood of them.
struct NoticeBoard {
    private var last: Message?
    private var flood = Flood()

    mutating func tell(_ message: Message, _ clocks: Clocks) {
        guard message != last, flood.admits(nowNs: clocks.monotonicNs()) else { return }
        last = message
        say(message)
    }
}

extension EventLines {
    /// Adds the reader to what is waited for, and returns its place. With no backlog only its going away wakes.
    func add(to waiting: inout Waiting) -> Int { waiting.add(sink.descriptor, writable: sink.hasBacklog) }

    func service(_ waiting: Waiting, _ place: Int, _ clocks: Clocks) {
        if waiting.broken(place), !sink.hasBacklog { sink.noticeBrokenPipe() }
        flush(bootNs: clocks.bootNs())
    }

    var end: OutputEnd? {
        switch sink.state {
        case .open: nil
        case .closed: .closed
        case .failed(let failure): .failed(failure)
        }
    }

    /// Says how many lines found no reader.
    func sayWhatIsMissing() {
        guard linesLost > 0, sink.state == .open else { return }
        say(Message(text: "standard output: the reader did not keep up, and \(linesLost) lines were left out"))
    }
}
