internal import NLOSCore

extension SensorProfile {
    /// TMF8820, TMF8821 or TMF8828 behind an Arduino with ams's own sketch `tmf8828_a` (driver 1.14): waits for commands.
    ///
    /// Rate: its 3x3 configuration without histograms measures every 33 ms, and the line carries that.
    public static let tmf882xAms = tmf882x(
        "tmf882x-ams", "Arduino + TMF882X, ams sketch", .ams, .ams, map: 1, physicalBinPs: 260, settings: .grids([3, 4, 8]), nominalHz: 30)

    /// The same sensors with cc-hardware's sketch: the same commands, a faster line, a hundred times the iterations.
    ///
    /// Rate: 2.5 million iterations take about 150 ms (mini_tof's 4 million take 230 ms), and a 4x4 result has two sub-captures.
    public static let tmf882xCCHardware = tmf882x(
        "tmf882x-cc-hardware", "Arduino + TMF882X, cc-hardware sketch", .ccHardware, .ccHardware, map: 7, physicalBinPs: 260,
        settings: .grids([3, 4, 8]), nominalHz: 3.3)

    /// A TMF8820 with mini_tof's sketch: streams 3x3 with histograms by itself and takes no commands.
    ///
    /// Rate: 1.9 to 4 frames a second were seen, by board and bus.
    public static let tmf882xMiniTof = tmf882x(
        "tmf882x-mini-tof", "Arduino + TMF8820, mini_tof sketch", .miniTof, .miniTof, map: 1, physicalBinPs: 100, settings: .none,
        nominalHz: 1.9)

    private static let faults: Set = [
        "delay", "silence-after", "reset-after", "wrong-sensor", "not-detected", "loading-failed", "extract-error", "overflow-bin",
    ]

    /// Whether its distances are along the ray or along the axis no public source says; along the ray is assumed. Widths of bins: ams's
    /// data sheet.
    private static func tmf882x(
        _ name: String, _ board: String, _ sketch: TMF882xSketch, _ firmware: TMF882xFirmware, map: Int, physicalBinPs: Float,
        settings: AcceptedSettings, nominalHz: Double
    ) -> SensorProfile {
        SensorProfile(
            name: name, board: board, sensorModel: SafeLabel("TMF882X")!, lineCoding: LineCoding(baud: sketch.baud), modemLines: .raised,
            histogram: .raw, reportsTemperature: true, distanceGeometry: .alongRay,
            fieldOfView: TMF882xSpadMap(number: map).fieldOfView!, physicalBinPs: physicalBinPs, settings: settings, nominalHz: nominalHz,
            firmwareFaults: sketch.takesCommands ? faults.union(["refuse"]) : faults,
            makeSession: { request, place in TMF882xSession(sketch, request, place) },
            makeWitness: { TMF882xWitness(takesCommands: sketch.takesCommands) },
            makeEmulator: { EmulatedTMF882x(firmware, $0) })
    }
}

/// Knows the sketches by whole results and by their words, of which those that take commands have others than the one that takes none.
/// Which of them it is that only streams, the line's rate has to tell.
private struct TMF882xWitness: FirmwareWitness {
    let takesCommands: Bool
    private var decoder = TMF882xDecoder(layout: nil)
    private var heardWords = false

    init(takesCommands: Bool) { self.takesCommands = takesCommands }

    mutating func recognizes(_ chunk: UnsafeRawBufferPointer) -> Bool {
        var isKnown = false
        decoder.push(
            chunk, arrival: Arrival(monotonicNs: 0, unixMs: 0),
            judge: { event in
                switch event {
                case .frame, .gridUnknown: isKnown = isKnown || takesCommands || !heardWords
                // What one prints as it starts, and the others only when they are told to change it.
                case .text(.range): isKnown = isKnown || !takesCommands && !heardWords
                case .text(.state), .text(.configuration), .text(.driver):
                    heardWords = true
                    isKnown = isKnown || takesCommands
                case .rejected, .missing, .beganAnew, .otherSensor, .text: break
                }
                return true
            })
        return isKnown
    }
}
