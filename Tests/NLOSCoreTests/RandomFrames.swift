import NLOSCore

/// Frames that keep the contract and are as odd as it lets them be.
enum RandomFrames {
    static func frame(_ random: inout SplitMix64) throws -> TransientFrame {
        let zones = Int.random(in: TransientZones.zoneCounts, using: &random)
        let bins = Int.random(in: TransientZones.binCounts, using: &random)
        return try TransientFrame(
            sessionId: label(&random), sequence: .random(in: TransientFrame.interoperable, using: &random),
            capturedAtUnixMs: .random(in: TransientFrame.interoperable, using: &random), monotonicNs: random.next(),
            evidence: evidence(&random),
            sensor: SensorIdentity(sensorId: label(&random), sensorModel: label(&random), firmwareVersion: label(&random)),
            binWidthPs: .random(in: TransientFrame.binWidthsPs, using: &random), startBin: .random(in: 0...(.max), using: &random),
            pose: pose(&random),
            zones: TransientZones(
                wallPointsM: (0..<zones).map { _ in Vector3(x: real(&random), y: real(&random), z: real(&random)) },
                distancesM: (0..<zones).map { _ in .random(in: TransientZones.distancesM, using: &random) },
                ambient: (0..<zones).map { _ in UInt32.random(in: 0...(.max), using: &random) >> UInt32.random(in: 0...31, using: &random)
                },
                histograms: (0..<zones * bins).map { _ in
                    UInt16.random(in: 0...(.max), using: &random) >> UInt16.random(in: 0...15, using: &random)
                }))
    }

    static func label(_ random: inout SplitMix64) -> SafeLabel {
        let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-")
        let text = (0..<Int.random(in: 1...64, using: &random)).map { _ in characters.randomElement(using: &random)! }
        return SafeLabel(String(text))!
    }

    /// Every row of table D, with and without a calibration where it may have one.
    static func evidence(_ random: inout SplitMix64) throws -> Evidence {
        let hash = CalibrationHash(String((0..<64).map { _ in Array("0123456789abcdef").randomElement(using: &random)! }))!
        let calibrated = try Evidence(
            source: .live, level: .calibrated, kind: .rawHistogram, histogramPreserved: true, transport: .ruviewServer,
            calibrationHash: hash)
        let choices = [
            .measured(.raw), .measured(.compactNormalized), .synthetic, calibrated, calibrated.replayed, Evidence.measured(.raw).replayed,
        ]
        return choices.randomElement(using: &random)!
    }

    private static func pose(_ random: inout SplitMix64) -> SensorPose {
        let part = Float.random(in: -1...1, using: &random)
        let place = Vector3(x: real(&random), y: real(&random), z: real(&random))
        return SensorPose(translationM: place, quaternionXyzw: [part, 0, -0.0, (1 - part * part).squareRoot()])!
    }

    /// Any finite number, subnormal ones and minus zero included.
    private static func real(_ random: inout SplitMix64) -> Float {
        let number = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
        return number.isFinite ? number : -0.0
    }
}
