import NLOSCore
import TrackMonitor

/// The monitor's screen: what is shown and how long it counts, or why nothing is; the connection; what was counted.
struct MonitorPicture {
    /// The time that the picture is of, on each of the clocks.
    struct Moment {
        let monotonicNs: UInt64
        let bootNs: UInt64
        let unixMs: UInt64

        static func now(_ clocks: Clocks) -> Moment {
            Moment(monotonicNs: clocks.monotonicNs(), bootNs: clocks.bootNs(), unixMs: clocks.unixMs())
        }
    }

    /// A message is news for this long, seconds; after that it is silence that counts.
    private static let silence = 2.0
    /// In a lower window the tracks need the place.
    private static let rowsForProvenance = 20

    private let view: MonitorView
    private let now: Moment
    private var picture: Picture

    static func draw(_ view: MonitorView, at now: Moment, size: Picture.Size) -> Picture {
        var drawing = MonitorPicture(view: view, now: now, picture: Picture(size: size))
        drawing.draw()
        return drawing.picture
    }

    private init(view: MonitorView, now: Moment, picture: Picture) {
        (self.view, self.now, self.picture) = (view, now, picture)
    }

    private mutating func draw() {
        // First, and in one row: what makes it smaller may take anything else away.
        if let mark = view.frame(atBootNs: now.bootNs)?.evidence.source, let watermark = mark.watermark, let words = mark.watermarkWords {
            picture.add(" \(watermark)  \(words)  \(watermark) ", .reverse)
        }
        addLink()
        picture.addWrapped("hypotheses, not observations: never act on them (s: 1 sigma)", .yellow)
        let footer = self.footer
        if let frame = view.frame(atBootNs: now.bootNs) {
            add(frame, rowsKept: footer.count)
        } else {
            picture.add()
            picture.addWrapped("nothing is shown: \(reason)", .bold)
        }
        picture.skip(leaving: footer.count)
        for row in footer { picture.add(row) }
    }

    // MARK: The connection

    private mutating func addLink() {
        switch view.link {
        case .connecting:
            addTitle("")
            picture.add("connecting", .yellow)
        case .authenticated(let session):
            addTitle(", session \(session.sessionId)")
            let age = view.lastMessageNs.map { Double(interval(from: $0, to: now.monotonicNs)) / 1e9 } ?? 0
            let isSilent = age >= Self.silence
            let left = Double(interval(from: now.unixMs, to: session.expiresAtUnixMs)) / 1000
            let news = isSilent ? "no data for \(duration(age))" : "last message \(duration(age)) ago"
            picture.addWrapped("connected, \(news); session ends in \(duration(left))", isSilent ? .yellow : .green)
        case .lost(let end): addLoss(end, "")
        case .waiting(let end, let untilNs):
            addLoss(end, "; trying again in \(duration(Double(interval(from: now.monotonicNs, to: untilNs)) / 1e9))")
        }
    }

    private mutating func addLoss(_ end: Disconnection, _ further: String) {
        addTitle("")
        picture.addWrapped("not connected: \(end.reason.rawValue)\(end.closeCode.map { " (\($0))" } ?? "")\(further)", .red)
        picture.addWrapped(harmless(end.detail.text))
    }

    private mutating func addTitle(_ session: String) {
        picture.addWrapped("monitor of \(view.endpoint.credentialName)\(session)", .bold)
    }

    private var reason: String {
        if case .connecting = view.link { return "waiting for the connection" }
        return view.emptiness(atBootNs: now.bootNs).words
    }

    // MARK: The frame

    private mutating func add(_ frame: DisplayableFrame, rowsKept: Int) {
        let evidence = frame.evidence
        let times = TrackTable.Times(
            age: Double(interval(from: frame.capturedAtUnixMs, to: now.unixMs)) / 1000,
            left: Double(interval(from: now.bootNs, to: frame.expiresAtBootNs)) / 1e9)
        if let claim = view.local?.claimWords { picture.addWrapped("! \(claim)", .red) }
        let age = decimal(times.age, places: 2)
        picture.addWrapped("frame \(frame.sequence), \(evidence.level.rawValue), age \(age) s, left \(decimal(times.left, places: 2)) s")
        if picture.size.rows >= Self.rowsForProvenance {
            let sensor = "\(frame.sensor.sensorId), \(frame.sensor.sensorModel), \(frame.sensor.firmwareVersion)"
            picture.addWrapped("of \(sensor), by \(evidence.transport.rawValue), \(frame.algorithmVersion)")
        }
        guard !frame.tracks.isEmpty else {
            picture.add()
            return picture.add("the server has no hypothesis", .bold)
        }
        addTracks(frame, times, rows: picture.rowsLeft - rowsKept)
    }

    private mutating func addTracks(_ frame: DisplayableFrame, _ times: TrackTable.Times, rows: Int) {
        let columns = picture.size.columns
        let planRows = PlanView.fewestRows + 1
        var layout = TrackTable.layout(for: frame.tracks.count, columns: columns, rows: rows - planRows)
        // All tracks come before the plan.
        if layout.lines.count * (frame.tracks.count + 1) > rows - planRows {
            layout = TrackTable.layout(for: frame.tracks.count, columns: columns, rows: rows)
        }
        let needed = layout.lines.count * (frame.tracks.count + 1)
        let isSupported = !(view.local?.claimIsUnsupported ?? false)
        let tableRows = needed <= rows ? rows : rows - 1
        let shown = TrackTable.add(frame, times, isSupported: isSupported, to: &picture, layout: layout, rows: tableRows)
        let missing = frame.tracks.count - shown
        guard missing == 0 else {
            return picture.add("\(missing) \(shown > 0 ? "more " : "")track\(missing == 1 ? " needs" : "s need") a larger window", .yellow)
        }
        let left = rows - needed
        guard left >= planRows else { return }
        let plan = PlanView(frame.tracks, columns: columns, rows: min(left - 1, 24))
        for line in plan.lines { picture.add(line) }
        picture.add(plan.caption, .dim)
    }

    // MARK: What stands at the bottom

    private var footer: [Row] {
        var rows: [Row] = []
        func add(_ text: String, _ style: TextStyle) {
            rows += wrapped(harmless(text), width: picture.size.columns).prefix(2).map { Row($0, style) }
        }
        if let local = view.local {
            add(local.sensorWords, local.sensor.state == .streaming ? .green : .yellow)
            add(local.agreementWords, local.agreement.differences.isEmpty ? .plain : .red)
            if local.sensor.state != .streaming, let problem = local.sensor.problem { add(problem.text, .plain) }
        }
        if let notice = view.notice { add(notice.text, .yellow) }
        add("\(counters); q or Ctrl-C ends", .dim)
        return rows
    }

    private var counters: String {
        let reasons = view.rejected.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }
        let rejected = reasons.isEmpty ? "rejected 0" : "rejected \(view.rejectedInAll) (\(reasons.joined(separator: ", ")))"
        return "frames \(view.frames), \(rejected), dropped \(view.framesDropped)"
    }
}
