internal import NLOSCore

extension SensorProfile {
    /// DEPZ USB board with a VL53L8CH: depth and compact normalized histograms. Field of view and bin width: ST UM3109, ST DS14161.
    ///
    /// A board that was asked for 15 frames a second was recorded to pass 5.4 different ones on.
    public static let depzVL53L8CH = depz(
        "depz-vl53l8ch", "DEPZ VL53L8CH", SafeLabel("VL53L8CH")!, histogram: .compactNormalized, idleFrameBytes: 1_444)

    /// DEPZ USB board with a VL53L8CX: depth only, whatever it is asked for.
    public static let depzVL53L8CX = depz(
        "depz-vl53l8cx", "DEPZ VL53L8CX", SafeLabel("VL53L8CX")!, histogram: nil, idleFrameBytes: 1_452)

    private static let faults = Set([
        "delay", "silence-after", "reset-after", "wrong-sensor", "not-detected", "loading-failed", "refuse", "extract-error",
        "frozen-frame",
        "no-distance", "distance-noise", "brighter-after",
    ]).union(DepzFault.allCases.filter { $0 != .plainSensor }.map(\.rawValue))

    private static func depz(
        _ name: String, _ board: String, _ model: SafeLabel, histogram: MeasuredHistogram?, idleFrameBytes: Int
    ) -> SensorProfile {
        let coding = LineCoding(baud: 115_200)  // The board takes any.
        let physicalBinPs: Float = 250
        return SensorProfile(
            name: name, board: board, sensorModel: model, lineCoding: coding, modemLines: .raised, takesAnyRate: true, histogram: histogram,
            reportsTemperature: true, distanceGeometry: .alongAxis, fieldOfView: FieldOfView(degreesX: 45, degreesY: 45),
            physicalBinPs: physicalBinPs, nominalHz: 5,
            firmwareFaults: faults.union(histogram == nil ? [] : ["overflow-bin", "histogram-step", DepzFault.plainSensor.rawValue]),
            makeSession: { _, place in
                DepzSession(
                    place, asksForHistograms: histogram != nil, idleFrameBytes: idleFrameBytes, baud: coding.baud,
                    physicalBinPs: physicalBinPs)
            },
            makeWitness: { DepzWitness(expectsHistograms: histogram != nil) },
            makeEmulator: { EmulatedDepz($0, hasHistograms: histogram != nil) })
    }
}

/// Knows a DEPZ board by a whole frame. The words of both boards are the same; only a histogram tells them apart.
private struct DepzWitness: FirmwareWitness {
    let expectsHistograms: Bool
    private var decoder = DepzDecoder()

    init(expectsHistograms: Bool) { self.expectsHistograms = expectsHistograms }

    mutating func recognizes(_ chunk: UnsafeRawBufferPointer) -> Bool {
        var isKnown = false
        let take = { (event: DepzEvent) -> Void in if case .frame = event { isKnown = true } }
        decoder.push(chunk, arrival: Arrival(monotonicNs: 0, unixMs: 0), take)
        return isKnown && (decoder.histograms != nil) == expectsHistograms
    }
}
