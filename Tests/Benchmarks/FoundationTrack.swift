import Foundation
import NLOSCore

/// The track message as one would write it with Foundation: `Codable`, unknown keys refused, every bound checked. It still takes
/// the last of two equal keys, which the contract forbids.
struct FoundationTrack: Decodable {
    struct Provenance: Decodable {
        enum CodingKeys: String, CodingKey, CaseIterable {
            case sensorId, sensorModel, firmwareVersion, transientKind, histogramPreserved, transport
        }

        let sensorId, sensorModel, firmwareVersion: String
        let transientKind: TransientKind
        let histogramPreserved: Bool
        let transport: Transport

        init(from decoder: any Decoder) throws {
            try refuseOthers(in: decoder, than: CodingKeys.self)
            let values = try decoder.container(keyedBy: CodingKeys.self)
            sensorId = try values.decode(String.self, forKey: .sensorId)
            sensorModel = try values.decode(String.self, forKey: .sensorModel)
            firmwareVersion = try values.decode(String.self, forKey: .firmwareVersion)
            transientKind = try values.decode(TransientKind.self, forKey: .transientKind)
            histogramPreserved = try values.decode(Bool.self, forKey: .histogramPreserved)
            transport = try values.decode(Transport.self, forKey: .transport)
        }
    }

    struct Vector: Decodable {
        enum CodingKeys: String, CodingKey, CaseIterable { case x, y, z }

        let x, y, z: Double

        init(from decoder: any Decoder) throws {
            try refuseOthers(in: decoder, than: CodingKeys.self)
            let values = try decoder.container(keyedBy: CodingKeys.self)
            x = try values.decode(Double.self, forKey: .x)
            y = try values.decode(Double.self, forKey: .y)
            z = try values.decode(Double.self, forKey: .z)
        }

        func isWithin(_ range: ClosedRange<Double>) -> Bool { range.contains(x) && range.contains(y) && range.contains(z) }
    }

    struct Contributions: Decodable {
        enum CodingKeys: String, CodingKey, CaseIterable { case lidar, csi }

        let lidar, csi: Double

        init(from decoder: any Decoder) throws {
            try refuseOthers(in: decoder, than: CodingKeys.self)
            let values = try decoder.container(keyedBy: CodingKeys.self)
            lidar = try values.decode(Double.self, forKey: .lidar)
            csi = try values.decode(Double.self, forKey: .csi)
        }
    }

    struct Hypothesis: Decodable {
        enum CodingKeys: String, CodingKey, CaseIterable {
            case trackId, state, positionM, velocityMps, covarianceDiagonalM2, confidence, posteriorEntropy, signalQuality
            case modalityContributions
        }

        let trackId: String
        let state: TrackState
        let positionM, velocityMps, covarianceDiagonalM2: Vector
        let confidence, posteriorEntropy, signalQuality: Double
        let modalityContributions: Contributions

        init(from decoder: any Decoder) throws {
            try refuseOthers(in: decoder, than: CodingKeys.self)
            let values = try decoder.container(keyedBy: CodingKeys.self)
            trackId = try values.decode(String.self, forKey: .trackId)
            state = try values.decode(TrackState.self, forKey: .state)
            positionM = try values.decode(Vector.self, forKey: .positionM)
            velocityMps = try values.decode(Vector.self, forKey: .velocityMps)
            covarianceDiagonalM2 = try values.decode(Vector.self, forKey: .covarianceDiagonalM2)
            confidence = try values.decode(Double.self, forKey: .confidence)
            posteriorEntropy = try values.decode(Double.self, forKey: .posteriorEntropy)
            signalQuality = try values.decode(Double.self, forKey: .signalQuality)
            modalityContributions = try values.decode(Contributions.self, forKey: .modalityContributions)
        }
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case schema, sessionId, sequence, capturedAtUnixMs, expiresAtUnixMs, source, evidenceLevel, algorithmVersion, calibrationHash
        case provenance, tracks
    }

    let schema, sessionId, algorithmVersion, calibrationHash: String
    let sequence, capturedAtUnixMs, expiresAtUnixMs: UInt64
    let source: FrameSource
    let evidenceLevel: EvidenceLevel
    let provenance: Provenance
    let tracks: [Hypothesis]

    init(from decoder: any Decoder) throws {
        try refuseOthers(in: decoder, than: CodingKeys.self)
        let values = try decoder.container(keyedBy: CodingKeys.self)
        schema = try values.decode(String.self, forKey: .schema)
        sessionId = try values.decode(String.self, forKey: .sessionId)
        sequence = try values.decode(UInt64.self, forKey: .sequence)
        capturedAtUnixMs = try values.decode(UInt64.self, forKey: .capturedAtUnixMs)
        expiresAtUnixMs = try values.decode(UInt64.self, forKey: .expiresAtUnixMs)
        source = try values.decode(FrameSource.self, forKey: .source)
        evidenceLevel = try values.decode(EvidenceLevel.self, forKey: .evidenceLevel)
        algorithmVersion = try values.decode(String.self, forKey: .algorithmVersion)
        calibrationHash = try values.decode(String.self, forKey: .calibrationHash)
        provenance = try values.decode(Provenance.self, forKey: .provenance)
        tracks = try values.decode([Hypothesis].self, forKey: .tracks)
    }

    /// The bounds of contract A for a live message.
    func isAcceptable(atUnixMs now: UInt64, after sequenceBefore: UInt64?) -> Bool {
        let labels = [sessionId, algorithmVersion, provenance.sensorId, provenance.sensorModel, provenance.firmwareVersion]
        let integers = [sequence, capturedAtUnixMs, expiresAtUnixMs]
        return schema == TrackEnvelope.schema && labels.allSatisfy { SafeLabel($0) != nil }
            && integers.allSatisfy { $0 <= 9_007_199_254_740_991 } && CalibrationHash(calibrationHash) != nil
            && source == .live && (evidenceLevel == .measured || evidenceLevel == .calibrated)
            && expiresAtUnixMs > capturedAtUnixMs && expiresAtUnixMs - capturedAtUnixMs <= 5_000 && expiresAtUnixMs > now
            && capturedAtUnixMs <= now + 1_000 && provenance.histogramPreserved && provenance.transport != .replay
            && tracks.count <= 16 && Set(tracks.map(\.trackId)).count == tracks.count && tracks.allSatisfy(Self.isAcceptable)
            && sequence > sequenceBefore ?? 0
    }

    private static func isAcceptable(_ track: Hypothesis) -> Bool {
        let shares = [track.confidence, track.signalQuality, track.modalityContributions.lidar, track.modalityContributions.csi]
        return SafeLabel(track.trackId) != nil && track.positionM.isWithin(-100...100) && track.velocityMps.isWithin(-20...20)
            && track.covarianceDiagonalM2.isWithin(0...10) && shares.allSatisfy((0...1).contains) && track.posteriorEntropy >= 0
            && (0.999...1.001).contains(track.modalityContributions.lidar + track.modalityContributions.csi)
    }
}

extension FrameSource: Decodable {}
extension EvidenceLevel: Decodable {}
extension TransientKind: Decodable {}
extension Transport: Decodable {}
extension TrackState: Decodable {}

private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// What `Codable` lets pass by itself: keys that nobody asked for.
private func refuseOthers<Key: CodingKey & CaseIterable>(in decoder: any Decoder, than _: Key.Type) throws {
    guard try decoder.container(keyedBy: AnyKey.self).allKeys.count == Key.allCases.count else {
        throw DecodingError.dataCorrupted(DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "unknown key"))
    }
}
