import NLOSCore
import TrackMonitor

/// The monitor's sentences, for the screen and for plain lines. What a server says in them is a safe label or was escaped.

extension MonitorView.Emptiness {
    /// Why nothing is shown, as the end of a sentence.
    var words: String {
        switch self {
        case .waiting: "waiting for the first frame"
        case .rejected(let rejection): "the last message was rejected: \(rejection.sentence)"
        case .cleared(let reason): reason.words
        }
    }
}

extension ClearReason {
    var words: String {
        switch self {
        case .rejected: "the last message was rejected"
        case .expired: "the last frame has expired and no newer one came"
        case .clockStep: "this machine's clock was set, and no newer frame came"
        case .sessionExpired: "the session is over"
        case .closed: "the connection was closed"
        case .error: "the connection was lost"
        }
    }
}

extension FrameSource {
    /// What the watermark means; nil for what has none.
    var watermarkWords: String? {
        switch self {
        case .live: nil
        case .replay: "played back, and not what is there now"
        case .synthetic: "made up by a program; nothing was measured"
        }
    }
}

extension PairedReport {
    /// The local sensor in a line.
    var sensorWords: String {
        var parts = [sensor.state.rawValue]
        if let rate = sensor.framesPerSecond { parts.append("\(decimal(rate, places: 1)) frames a second") }
        if let coverage = sensor.coverage { parts.append("coverage \(decimal(coverage * 100, places: 0)) %") }
        if sensor.state != .absent, let kind = sensor.kind { parts.append(kind.rawValue) }
        let mark = sensor.watermark.map { "\($0) " } ?? ""
        return "\(mark)local sensor\(sensor.path.map { " \($0)" } ?? ""): \(parts.joined(separator: ", "))"
    }

    /// How it agrees with what is on display.
    var agreementWords: String {
        switch agreement {
        case .agrees: "agrees with what the stream names"
        case .differs(let fields): "differs from what the stream names: \(fields.map(\.rawValue).joined(separator: ", "))"
        case .unknown: "agreement with the stream: unknown"
        }
    }

    /// What stands beside the tracks whose claim nothing here supports; nil where there is no such claim.
    var claimWords: String? {
        guard claimIsUnsupported else { return nil }
        let why =
            switch sensor.state {
            case .absent: "is absent"
            case .stalled: "is stalled"
            case .streaming: sensor.watermark.map { "is \($0)" } ?? "is another one"
            }
        return "UNSUPPORTED: claims a live sensor on a serial line, and the local sensor \(why)"
    }
}

/// A duration as people write it: `0.4 s`, `59:12`, `1:00:00`.
func duration(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds < 1e9 else { return "-" }
    if seconds < 10 { return "\(decimal(max(0, seconds), places: 1)) s" }
    if seconds < 60 { return "\(decimal(seconds, places: 0)) s" }
    let whole = Int(seconds)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let minutes = whole / 60 % 60
    return whole < 3_600 ? "\(minutes):\(two(whole % 60))" : "\(whole / 3_600):\(two(minutes)):\(two(whole % 60))"
}
