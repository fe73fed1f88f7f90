/// The public TMF882x sketches as their boards run them.
///
/// Written from what the sketches do and not shared with the code that talks to them, so that each tests the other.
/// Source: hardware reference 3.3 and 3.4 (ams `tmf8828_a` 1.14, cc-hardware `tmf8828`, mini_tof `tmf8820`).
enum TMF882xFirmware: Sendable {
    case ams, ccHardware, miniTof

    /// One setting of the sensor.
    struct Setting: Equatable, Sendable {
        let periodMs: Int
        let kIterations: Int
        let spadMap: Int
        /// Zones along a side; nil for what is no setting at all.
        var side: Int? {
            switch spadMap {
            case 1, 2, 6: 3
            case 7: 4
            case 15: 8
            default: nil
            }
        }

        /// Nanoseconds that the sensor counts photons for one sub-capture: 550,000 iterations fill 33 ms, 4 million 240 ms.
        var captureNs: UInt64 { UInt64(kIterations) * 60_000 }

        init(_ periodMs: Int, _ kIterations: Int, _ spadMap: Int) {
            self.periodMs = periodMs
            self.kIterations = kIterations
            self.spadMap = spadMap
        }
    }

    /// The table of one mode. cc-hardware's has two rows and goes on after them: what it loads then is whatever lies there.
    func settings(of8828 is8828: Bool) -> [Setting] {
        switch self {
        case .ams where is8828: [Setting(132, 250, 15), Setting(264, 500, 15), Setting(528, 1_000, 15)]
        case .ams: [Setting(33, 537, 1), Setting(500, 550, 2), Setting(100, 900, 7)]
        case .ccHardware where is8828: [Setting(132, 10_000, 15), Setting(264, 2_500, 15), Self.behindTheTable]
        case .ccHardware: [Setting(16, 10_000, 6), Setting(8, 2_500, 7), Self.behindTheTable]
        case .miniTof: [Setting(230, 4_000, 1)]
        }
    }

    private static let behindTheTable = Setting(8_224, 28_270, 116)

    var baud: UInt32 {
        switch self {
        case .ams: 115_200
        case .ccHardware: 2_000_000
        case .miniTof: 1_000_000
        }
    }

    /// Columns and rows, degrees.
    func viewDegrees(_ setting: Setting) -> (x: Double, y: Double) {
        switch setting.spadMap {
        case 2: (29, 43.5)
        case 6, 7: (44, 48)
        case 15: (41, 52)
        default: (29, 29)
        }
    }
}

/// How an emulated TMF882x board differs from the usual one.
public struct TMF882xOptions: Equatable, Sendable {
    public enum Board: Sendable {
        /// An Uno: the rise of DTR resets it, and its boot loader takes what is sent for 1.5 s.
        case autoReset
        /// A board with USB of its own: it is never reset, and is not heard while DTR is down.
        case nativeUSB
    }

    /// What `E` does with the mode; public sources do not agree. `e` always leads to 8x8.
    public enum Loading: Sendable, CaseIterable {
        /// It sets the mode that it loads.
        case setsMode
        /// It leaves the mode as it is: `o` has to be sent before, as cc-hardware's own program does.
        case keepsMode
        /// It goes back to 8x8, as the table of the commands has it, and `o`, which tells no configuration, is taken after it only.
        case goesBackTo8x8
    }

    public var board = Board.autoReset
    /// mini_tof's sketch: the range is the loaded sensor's to tell, so never before it is loaded. Whether the calibration comes before the
    /// words or behind them no public source says.
    public var saysRangeFirst = false
    /// Three sensors, whose lines are mixed: addresses 67, 66, 65.
    public var hasThreeSensors = false
    /// With histograms the sensor waits until they are fetched; public recordings count one result for each that was printed. Without it,
    /// and in a stream of distances alone, it goes on, and results that nobody fetches in time are lost.
    public var sensorWaits = true
    public var loading = Loading.setsMode
    /// What a board that is found streaming streams: zones along a side, and whether with histograms.
    public var streamedSide = 3
    public var streamsHistograms = true
    /// Lines end as an Arduino's `println` ends them.
    public var endsLinesWithCR = false

    public init() {}
}
