import NLOSCore
import TrackMonitor

/// The monitor where there is no screen: a line an event, and of frames the newest once a second.
final class PlainOutput: MonitorOutput {
    private static let frameIntervalNs: UInt64 = 1_000_000_000

    private let lines: EventLines
    private let clocks: Clocks
    private var notices = NoticeBoard()
    private var flood = Flood()
    private var place = 0
    private var lastFrameNs: UInt64?
    /// A frame came since the last line about one.
    private var isBehind = false
    private var lastPaired = ""

    init(_ lines: EventLines = EventLines(), clocks: Clocks) {
        self.lines = lines
        self.clocks = clocks
    }

    var deadlineNs: UInt64? { isBehind ? nextFrameNs : nil }
    var hasBacklog: Bool { lines.hasBacklog }
    var end: OutputEnd? { lines.end }

    private var nextFrameNs: UInt64 { lastFrameNs.map { $0 + Self.frameIntervalNs } ?? 0 }

    func add(to waiting: inout Waiting) { place = lines.add(to: &waiting) }

    func take(_ news: MonitorNews, _ view: MonitorView) {
        switch news {
        case .stream(let event): take(event, view)
        case .paired(let report): take(report)
        case .retry(let seconds): line("trying again in \(duration(seconds))")
        }
    }

    func service(_ waiting: Waiting, _ view: MonitorView) {
        showFrame(view)
        lines.service(waiting, place, clocks)
    }

    func close() {
        sayHeldBack()
        lines.sayWhatIsMissing()
    }

    private func take(_ event: MonitorEvent, _ view: MonitorView) {
        switch event {
        case .connecting(let endpoint): line("connecting to \(endpoint.credentialName)")
        case .authenticated(let session):
            let left = Double(interval(from: clocks.unixMs(), to: session.expiresAtUnixMs)) / 1000
            line("connected: session \(session.sessionId), ends in \(duration(left))")
        case .frame:
            isBehind = true
            showFrame(view)
        case .rejected(let rejection):
            lines.dropHeldFrame()
            isBehind = false
            // A server may send nonsense faster than anybody reads.
            guard flood.admits(nowNs: clocks.monotonicNs()) else { return }
            sayHeldBack()
            line("rejected: \(rejection.sentence)")
        case .cleared(let reason):
            isBehind = false
            lines.cleared(Array("nothing is shown: \(reason.words)".utf8))
        case .notice(let message): notices.tell(message, clocks)
        case .disconnected(let end):
            isBehind = false
            let code = end.closeCode.map { " (\($0))" } ?? ""
            line("disconnected: \(end.reason.rawValue)\(code): \(end.detail.text); frames not shown \(end.framesDropped)")
        }
    }

    private func take(_ report: PairedReport) {
        // Rates change each second; a line tells of what they mean.
        let words = [report.sensor.state.rawValue, report.agreementWords, report.claimWords ?? "", report.sensor.problem?.text ?? ""]
            .joined()
        guard words != lastPaired else { return }
        lastPaired = words
        let problem = report.sensor.state == .streaming ? nil : report.sensor.problem?.text
        line([report.sensorWords, report.agreementWords, report.claimWords, problem].compactMap(\.self).joined(separator: "; "))
    }

    private func showFrame(_ view: MonitorView) {
        let now = clocks.monotonicNs()
        guard isBehind, now >= nextFrameNs else { return }
        isBehind = false
        let bootNs = clocks.bootNs()
        guard let frame = view.frame(atBootNs: bootNs) else { return }
        lastFrameNs = now
        lines.frame(Array(Self.text(of: frame, bootNs: bootNs, view.local).utf8), expiresAtBootNs: frame.expiresAtBootNs, bootNs: bootNs)
    }

    /// A frame in one line, its watermark in front.
    static func text(of frame: DisplayableFrame, bootNs: UInt64, _ local: PairedReport?) -> String {
        let mark = [frame.evidence.source.watermark, local?.claimWords].compactMap(\.self).map { "\($0) " }.joined()
        let left = Double(interval(from: bootNs, to: frame.expiresAtBootNs)) / 1e9
        let head = "\(mark)frame \(frame.sequence), \(frame.evidence.level.rawValue), left \(decimal(left, places: 2)) s"
        guard !frame.tracks.isEmpty else { return "\(head): no hypothesis" }
        let many = frame.tracks.count == 1 ? "1 hypothesis" : "\(frame.tracks.count) hypotheses"
        return "\(head), \(many): \(frame.tracks.map(text).joined(separator: "; "))"
    }

    private static func text(of track: Track) -> String {
        "\(track.trackId) \(track.state.rawValue) at \(numbers(track.positionM)) m, moving \(numbers(track.velocityMps)) m/s, "
            + "1 sigma \(numbers(track.covarianceDiagonalM2.squareRoot())) m, confidence \(decimal(track.confidence, places: 2))"
    }

    private static func numbers(_ vector: SIMD3<Double>) -> String {
        [vector.x, vector.y, vector.z].map { decimal($0, places: 2) }.joined(separator: " ")
    }

    private func sayHeldBack() {
        if flood.held > 0 { line("\(flood.held) further messages were rejected") }
        flood.held = 0
    }

    private func line(_ text: String) { lines.other(Array(text.utf8)) }
}
