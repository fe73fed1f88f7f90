internal import NLOSCore

extension SensorProfile {
    /// NUCLEO-F401RE (or another ST-LINK board) with VL53L8CH and the public cc-hardware firmware.
    /// Field of view and bin width: ST UM3109, ST DS14161.
    ///
    /// Its rows carry neither a zone's status nor the histogram's scale: a distance is valid only in that it is within range, and
    /// counts of two firmware builds do not compare (a build that rounds before it scales is noticed, see `CoarseScaleWatch`).
    public static let nucleoVL53L8CH = SensorProfile(
        name: "st-nucleo-vl53l8ch", board: "ST NUCLEO + VL53L8CH, cc-hardware firmware",
        sensorModel: SafeLabel("VL53L8CH")!, lineCoding: LineCoding(baud: 2_250_000),
        histogram: .compactNormalized, distanceGeometry: .alongAxis,
        fieldOfView: FieldOfView(degreesX: 45, degreesY: 45), physicalBinPs: 250,
        settings: .vl53l8ch, nominalHz: 8.5,
        firmwareFaults: [
            "delay", "silence-after", "reset-after", "misaligned", "wrong-sensor", "not-detected", "loading-failed", "refuse",
            "extract-error",
            "overflow-bin", "histogram-step", "frozen-frame", "no-distance", "distance-noise", "brighter-after",
        ],
        makeSession: { request, place in
            VL53L8CHSession(mode: mode(request), path: place.path, isRecorded: place.isRecorded)
        },
        makeWitness: { VL53L8CHWitness() },
        makeEmulator: { EmulatedVL53L8CH($0) })

    private static func mode(_ request: StreamRequest) -> VL53L8CHSession.Mode {
        switch request {
        case .vl53l8ch(let mode): mode
        case .light: .configure(.light)
        case .join, .grid: .join
        }
    }
}

/// Knows the firmware by its own words, or by a whole frame.
private struct VL53L8CHWitness: FirmwareWitness {
    private var decoder = VL53L8CHDecoder(shape: nil)

    mutating func recognizes(_ chunk: UnsafeRawBufferPointer) -> Bool {
        var isKnown = false
        let take = { (event: DecoderEvent) -> Void in
            switch event {
            case .frame: isKnown = true
            case .log(.error(_, fatal: true)): isKnown = true
            case .log(let line): isKnown = isKnown || line.isRestart || line == .applied
            case .rejected: break
            }
        }
        decoder.push(chunk, arrival: Arrival(monotonicNs: 0, unixMs: 0), take)
        return isKnown
    }
}
