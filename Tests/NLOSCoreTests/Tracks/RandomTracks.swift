@testable import NLOSCore

/// A number as a message's decoder reads it; nil when it is malformed.
func readDouble(_ text: String) -> Double? { read(text.utf8) { json throws(MalformedJSON) in try json.double() } }

/// Messages that the contract allows, as odd as it lets them be: keys in any order, escapes and white space anywhere.
enum RandomTracks {
    struct Wanted {
        var bytes: [UInt8] = []
        let nowUnixMs, capturedAtUnixMs, expiresAtUnixMs, sequence: UInt64
        let sessionId, algorithmVersion: SafeLabel
        let evidence: Evidence
        let sensor: SensorIdentity
        let tracks: [Numbers]
    }

    struct Numbers {
        let id: SafeLabel
        let state: TrackState
        let vectors: [Double]
        /// Confidence, entropy, quality, lidar, csi.
        let shares: [Double]
    }

    static func message(_ random: inout SplitMix64) throws -> Wanted {
        let captured = UInt64.random(in: 0...9_007_199_254_730_000, using: &random)
        let lifetime = UInt64.random(in: 1...5_000, using: &random)
        // From the earliest clock that takes it to the last one.
        let now = captured + lifetime - UInt64.random(in: 1...min(lifetime + 1_000, captured + lifetime), using: &random)
        let ids = Set((0..<Int.random(in: 0...16, using: &random)).map { _ in RandomFrames.label(&random) })
        var wanted = Wanted(
            nowUnixMs: now, capturedAtUnixMs: captured, expiresAtUnixMs: captured + lifetime,
            sequence: .random(in: TransientFrame.interoperable, using: &random), sessionId: RandomFrames.label(&random),
            algorithmVersion: RandomFrames.label(&random), evidence: try RandomFrames.evidence(&random),
            sensor: SensorIdentity(
                sensorId: RandomFrames.label(&random), sensorModel: RandomFrames.label(&random),
                firmwareVersion: RandomFrames.label(&random)),
            tracks: ids.sorted { $0.text < $1.text }.map { numbers($0, &random) })
        wanted.bytes = Array(text(wanted, &random).utf8)
        return wanted
    }

    private static func numbers(_ id: SafeLabel, _ random: inout SplitMix64) -> Numbers {
        let vectors = [(-100.0...100.0, 3), (-20.0...20.0, 3), (0.0...10.0, 3)].flatMap { range, count in
            (0..<count).map { _ in real(range, &random) }
        }
        let lidar = real(0...1, &random)
        let csi = lidar == 0 ? 1 : max(0, min(1, 1 - lidar + .random(in: -0.0009...0.0009, using: &random)))
        return Numbers(
            id: id, state: TrackState.allCases.randomElement(using: &random)!, vectors: vectors,
            shares: [real(0...1, &random), real(0...1, &random) * 1e300, real(0...1, &random), lidar, csi])
    }

    /// In the range, its ends and zeros included; of one digit or of seventeen.
    private static func real(_ range: ClosedRange<Double>, _ random: inout SplitMix64) -> Double {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: [range.lowerBound, range.upperBound, 0, -0.0].randomElement(using: &random)!
        case 1: (Double.random(in: range, using: &random) * 8).rounded(.towardZero) / 8
        case 2: Double(Float.random(in: Float(range.lowerBound)...Float(range.upperBound), using: &random))
        case 3: Double.random(in: 0...1, using: &random) * 1e-12
        default: Double.random(in: range, using: &random)
        }
    }

    private static func text(_ wanted: Wanted, _ random: inout SplitMix64) -> String {
        let evidence = wanted.evidence
        let tracks = wanted.tracks.map { track in
            object(
                [
                    ("trackId", string(track.id.text, &random)), ("state", string(track.state.rawValue, &random)),
                    ("positionM", vector(track.vectors[0..<3], &random)), ("velocityMps", vector(track.vectors[3..<6], &random)),
                    ("covarianceDiagonalM2", vector(track.vectors[6..<9], &random)), ("confidence", "\(track.shares[0])"),
                    ("posteriorEntropy", "\(track.shares[1])"), ("signalQuality", "\(track.shares[2])"),
                    ("modalityContributions", object([("lidar", "\(track.shares[3])"), ("csi", "\(track.shares[4])")], &random)),
                ], &random)
        }
        let provenance = object(
            [
                ("sensorId", string(wanted.sensor.sensorId.text, &random)),
                ("sensorModel", string(wanted.sensor.sensorModel.text, &random)),
                ("firmwareVersion", string(wanted.sensor.firmwareVersion.text, &random)),
                ("transientKind", string(evidence.kind.rawValue, &random)),
                ("histogramPreserved", "\(evidence.histogramPreserved)"), ("transport", string(evidence.transport.rawValue, &random)),
            ], &random)
        return object(
            [
                ("schema", string(TrackEnvelope.schema, &random)), ("sessionId", string(wanted.sessionId.text, &random)),
                ("sequence", "\(wanted.sequence)"),
                ("capturedAtUnixMs", "\(wanted.capturedAtUnixMs)"), ("expiresAtUnixMs", "\(wanted.expiresAtUnixMs)"),
                ("source", string(evidence.source.rawValue, &random)), ("evidenceLevel", string(evidence.level.rawValue, &random)),
                ("algorithmVersion", string(wanted.algorithmVersion.text, &random)),
                ("calibrationHash", string(evidence.calibrationHash.text, &random)),
                ("provenance", provenance), ("tracks", "[\(tracks.joined(separator: ",\(space(&random))"))]"),
            ], &random)
    }

    private static func vector(_ parts: ArraySlice<Double>, _ random: inout SplitMix64) -> String {
        object(zip(["x", "y", "z"], parts).map { ($0, "\($1)") }, &random)
    }

    private static func object(_ members: [(String, String)], _ random: inout SplitMix64) -> String {
        let ordered = Bool.random(using: &random) ? members : members.shuffled(using: &random)
        let spelled = ordered.map { name, value in
            "\(space(&random))\(string(name, &random))\(space(&random)):\(space(&random))\(value)\(space(&random))"
        }
        return "{" + spelled.joined(separator: ",") + "}"
    }

    private static func space(_ random: inout SplitMix64) -> String {
        guard Int.random(in: 0..<4, using: &random) == 0 else { return "" }
        return String(
            (0..<Int.random(in: 1...70, using: &random)).map { _ in [" ", " ", "\n", "\t", "\r"].randomElement(using: &random)! })
    }

    private static func string(_ text: String, _ random: inout SplitMix64) -> String {
        guard Int.random(in: 0..<5, using: &random) == 0 else { return "\"\(text)\"" }
        let characters = text.utf8.map { byte in
            Bool.random(using: &random)
                ? "\\u00" + String(byte, radix: 16, uppercase: Bool.random(using: &random)) : String(Unicode.Scalar(byte))
        }
        return "\"" + characters.joined() + "\""
    }
}
