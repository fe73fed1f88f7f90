import NLOSCore
import TrackMonitor

/// The lines of `monitor --json`: one object an event.
struct EventJSON {
    private var writer = JSONWriter()

    /// The event's line without its line feed; nil for a notice, which is for people.
    mutating func line(of event: MonitorEvent, atUnixMs now: UInt64) -> [UInt8]? {
        switch event {
        case .connecting(let endpoint):
            begin("connecting", now)
            writer.member("endpoint", endpoint.credentialName)
        case .authenticated(let session):
            begin("authenticated", now)
            writer.member("sessionId", session.sessionId.text)
            writer.member("expiresAtUnixMs", session.expiresAtUnixMs)
        case .frame(let frame):
            begin("frame", now)
            write(frame)
        case .rejected(let rejection):
            begin("rejected", now)
            writer.member("verdict", rejection.name)
            writer.member("field", rejection.field)
        case .cleared(let reason):
            begin("cleared", now)
            writer.member("reason", reason.rawValue)
        case .disconnected(let end):
            begin("disconnected", now)
            writer.member("reason", end.reason.rawValue)
            writer.member("detail", end.detail.text)
            writer.key("closeCode")
            writer.value(end.closeCode)
            writer.member("framesDropped", end.framesDropped)
        case .notice: return nil
        }
        return end()
    }

    mutating func line(of report: PairedReport, atUnixMs now: UInt64) -> [UInt8] {
        begin("paired", now)
        writer.member("sensor", report.sensor.state.rawValue)
        writer.member("watermark", report.sensor.watermark)
        writer.key("framesPerSecond")
        writer.value(report.sensor.framesPerSecond)
        writer.key("coverage")
        writer.value(report.sensor.coverage)
        writer.member("histogramKind", report.sensor.kind?.rawValue)
        writer.member("agreement", report.agreement.name)
        writer.key("differences")
        writer.beginArray()
        for field in report.agreement.differences { writer.value(field.rawValue) }
        writer.endArray()
        return end()
    }

    private mutating func begin(_ event: String, _ now: UInt64) {
        writer.removeAll()
        writer.beginObject()
        writer.member("event", event)
        writer.member("atUnixMs", now)
    }

    private mutating func end() -> [UInt8] {
        writer.endObject()
        return writer.bytes
    }

    private mutating func write(_ frame: DisplayableFrame) {
        writer.member("sequence", frame.sequence)
        writer.member("source", frame.evidence.source.rawValue)
        writer.member("evidenceLevel", frame.evidence.level.rawValue)
        writer.member("watermark", frame.evidence.source.watermark)
        writer.member("algorithmVersion", frame.algorithmVersion.text)
        writer.member("capturedAtUnixMs", frame.capturedAtUnixMs)
        writer.member("expiresAtUnixMs", frame.expiresAtUnixMs)
        writer.key("provenance")
        writer.beginObject()
        writer.member("sensorId", frame.sensor.sensorId.text)
        writer.member("sensorModel", frame.sensor.sensorModel.text)
        writer.member("firmwareVersion", frame.sensor.firmwareVersion.text)
        writer.member("transientKind", frame.evidence.kind.rawValue)
        writer.member("histogramPreserved", frame.evidence.histogramPreserved)
        writer.member("transport", frame.evidence.transport.rawValue)
        writer.endObject()
        writer.key("tracks")
        writer.beginArray()
        for track in frame.tracks { write(track) }
        writer.endArray()
    }

    private mutating func write(_ track: Track) {
        writer.beginObject()
        writer.member("trackId", track.trackId.text)
        writer.member("state", track.state.rawValue)
        writer.key("positionM")
        write(track.positionM)
        writer.key("velocityMps")
        write(track.velocityMps)
        writer.key("covarianceDiagonalM2")
        write(track.covarianceDiagonalM2)
        writer.key("confidence")
        writer.value(track.confidence)
        writer.key("posteriorEntropy")
        writer.value(track.posteriorEntropy)
        writer.key("signalQuality")
        writer.value(track.signalQuality)
        writer.key("modalityContributions")
        writer.beginObject()
        writer.key("lidar")
        writer.value(track.contributions.lidar)
        writer.key("csi")
        writer.value(track.contributions.csi)
        writer.endObject()
        writer.endObject()
    }

    private mutating func write(_ vector: SIMD3<Double>) {
        writer.beginObject()
        writer.key("x")
        writer.value(vector.x)
        writer.key("y")
        writer.value(vector.y)
        writer.key("z")
        writer.value(vector.z)
        writer.endObject()
    }
}
