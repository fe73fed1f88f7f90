import NLOSCore

/// Track messages to break in one place at a time, or in several: each member by its path, with the raw JSON of its value.
struct TrackFields: Sendable {
    static let nowUnixMs: UInt64 = 1_800_000_000_000
    static let zeroHash = "\"" + String(repeating: "0", count: 64) + "\""
    static let realHash = "\"" + String(repeating: "0a", count: 32) + "\""

    private static let root = [
        "schema", "sessionId", "sequence", "capturedAtUnixMs", "expiresAtUnixMs", "source", "evidenceLevel", "algorithmVersion",
        "calibrationHash", "provenance", "tracks",
    ]
    private static let provenance = ["sensorId", "sensorModel", "firmwareVersion", "transientKind", "histogramPreserved", "transport"]
    private static let track = [
        "trackId", "state", "positionM", "velocityMps", "covarianceDiagonalM2", "confidence", "posteriorEntropy", "signalQuality",
        "modalityContributions",
    ]

    /// A live message with one track that keeps every rule.
    private(set) var values = [
        "schema": #""ruview.nlos.track.v1""#, "sessionId": #""lab-run-001""#, "sequence": "7", "capturedAtUnixMs": "1799999999960",
        "expiresAtUnixMs": "1800000000210", "source": #""live""#, "evidenceLevel": #""l1_measured""#,
        "algorithmVersion": #""motion-aperture-canonical-v1""#, "calibrationHash": realHash, "sensorId": #""st-kit-001""#,
        "sensorModel": #""VL53L8CH""#, "firmwareVersion": #""15314de""#, "transientKind": #""raw_histogram""#, "histogramPreserved": "true",
        "transport": #""ruview_server""#, "trackId": #""hidden-target-0""#, "state": #""tracking""#,
        "positionM": #"{"x":1.25,"y":0.4,"z":-2.5}"#, "velocityMps": #"{"x":0.1,"y":0,"z":-0.2}"#,
        "covarianceDiagonalM2": #"{"x":0.04,"y":0.09,"z":0.04}"#, "confidence": "0.88", "posteriorEntropy": "0.32", "signalQuality": "0.74",
        "modalityContributions": #"{"lidar":0.7,"csi":0.3}"#,
    ]

    init(_ changes: [String: String] = [:]) {
        for (path, value) in changes where path != "provenance" && path != "tracks" {
            precondition(values[path] != nil, "no member '\(path)'")
            values[path] = value
        }
        values["provenance"] = changes["provenance"] ?? object(Self.provenance)
        values["tracks"] = changes["tracks"] ?? "[\(object(Self.track))]"
    }

    /// One track of the message, as it stands in the list.
    var track: String { object(Self.track) }

    var text: String { object(Self.root) }

    private func object(_ keys: [String]) -> String {
        "{" + keys.map { "\"\($0)\":\(values[$0] ?? "")" }.joined(separator: ",") + "}"
    }

    /// So many tracks, each with a name of its own.
    static func tracks(_ count: Int) -> String {
        "[" + (0..<count).map { TrackFields(["trackId": "\"t\($0)\""]).track }.joined(separator: ",") + "]"
    }
}

/// Why the message is refused at that clock; nil when it is not.
func trackVerdict(_ message: some Sequence<UInt8>, at now: UInt64 = TrackFields.nowUnixMs) -> Rejection? {
    do throws(Rejection) {
        _ = try TrackEnvelope.decode(Array(message), atUnixMs: now)
        return nil
    } catch {
        return error
    }
}

func trackVerdict(_ changes: [String: String], at now: UInt64 = TrackFields.nowUnixMs) -> Rejection? {
    trackVerdict(TrackFields(changes).text.utf8, at: now)
}

/// A message that is good at `now`, for guard and display.
func trackMessage(
    sequence: UInt64, session: String = "lab-run-001", capturedAt: UInt64 = TrackFields.nowUnixMs, lifetimeMs: UInt64 = 250,
    _ changes: [String: String] = [:]
) -> [UInt8] {
    let own = [
        "sequence": "\(sequence)", "sessionId": "\"\(session)\"", "capturedAtUnixMs": "\(capturedAt)",
        "expiresAtUnixMs": "\(capturedAt + lifetimeMs)",
    ]
    return Array(TrackFields(own.merging(changes) { $1 }).text.utf8)
}

/// A session that ends so long after `now`.
func authenticatedSession(_ id: String = "lab-run-001", endsInMs: UInt64 = 3_600_000) throws -> AuthenticatedSession {
    let expires = TrackFields.nowUnixMs + endsInMs
    let message = #"{"schema":"ruview.nlos.authenticated.v1","sessionId":"\#(id)","expiresAtUnixMs":\#(expires)}"#
    return try AuthenticatedSession.decode(Array(message.utf8), atUnixMs: TrackFields.nowUnixMs)
}
