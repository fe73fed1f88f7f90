internal import NLOSCore

extension SensorProfile {
    /// A VL53L8CH on a board with a mini_tof firmware, which streams binary records by itself. Source: mini_tof, mini_tof_firmware.
    /// Field of view and bin width: ST UM3109, ST DS14161.
    ///
    /// The public firmwares send no distances. Their values are half of the cc-hardware firmware's, and those below 2 have the sign
    /// turned over, so that the two do not compare, and signs of small bins cannot be trusted. The rate is what 64 x 12 values take on the
    /// sensor's bus (45 ms) and then on the line (46 ms); 30 Hz is asked of the sensor, whose own limit is 15.
    public static let miniTof = SensorProfile(
        name: "mini-tof-vl53l8ch", board: "VL53L8CH with mini_tof firmware",
        sensorModel: SafeLabel("VL53L8CH")!, lineCoding: LineCoding(baud: 921_600, parity: .odd), modemLines: .raised,
        histogram: .compactNormalized, reportsDepth: false, distanceGeometry: .alongAxis,
        fieldOfView: FieldOfView(degreesX: 45, degreesY: 45), physicalBinPs: 250,
        settings: .none, nominalHz: 11,
        firmwareFaults: [
            "delay", "silence-after", "reset-after", "wrong-sensor", "not-detected", "loading-failed", "overflow-bin", "histogram-step",
            "mini-no-ambient", "mini-metadata", "mini-bins", "mini-true-values", "mini-straddle",
        ],
        makeSession: { _, place in MiniTofSession(at: place) },
        makeWitness: { MiniTofWitness() },
        makeEmulator: { EmulatedMiniTof($0) })
}

/// Knows the firmware by its ready line, which has a blank more than the cc-hardware firmware's, or by two equal frames.
private struct MiniTofWitness: FirmwareWitness {
    private var decoder = MiniTofDecoder()

    mutating func recognizes(_ chunk: UnsafeRawBufferPointer) -> Bool {
        var isKnown = false
        decoder.push(chunk, arrival: Arrival(monotonicNs: 0, unixMs: 0)) { event in
            if case .log(.ready) = event { isKnown = true }
        }
        return isKnown || decoder.layout != nil
    }
}
