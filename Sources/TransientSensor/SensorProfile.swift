public import NLOSCore

/// How a board talks on its serial line.
public struct LineCoding: Equatable, Sendable {
    /// Raw values are those of the CDC line coding.
    public enum Parity: UInt8, Sendable {
        case none = 0
        case odd = 1
        case even = 2
    }
    /// Bits a second.
    public let baud: UInt32
    public let parity: Parity

    public init(baud: UInt32, parity: Parity = .none) {
        self.baud = baud
        self.parity = parity
    }

    /// Whether a board that talks at this rate is understood by a port that is at `taken`: 8N1 tolerates 2 %. Dividers round, so
    /// few ports are at exactly the rate that was asked.
    func tolerates(_ taken: UInt32) -> Bool {
        let difference = max(taken, baud) - min(taken, baud)
        return UInt64(difference) * 50 <= UInt64(baud)
    }
}

/// A kind of board with a kind of firmware: everything about it that is data and not code.
///
/// Adding a board is a value here, one decoder and a page in `hardware/`.
public struct SensorProfile: Sendable {
    /// What `--profile` takes.
    public let name: String
    /// What people call the board.
    public let board: String
    public let sensorModel: SafeLabel
    public let lineCoding: LineCoding
    /// Nil for a board that reports depth only: no transient frame can come of it.
    public let histogram: MeasuredHistogram?
    public let distanceGeometry: DistanceGeometry
    public let fieldOfView: FieldOfView
    /// Width of a physical bin, picoseconds.
    public let physicalBinPs: Float

    /// NUCLEO-F401RE (or another ST-LINK board) with VL53L8CH and the public cc-hardware firmware.
    /// Field of view and bin width: ST UM3109, ST DS14161.
    ///
    /// Its rows carry neither a zone's status nor the histogram's scale: a distance is valid only in that it is within range, and
    /// counts of two firmware builds do not compare (a build that rounds before it scales is noticed, see `CoarseScaleWatch`).
    public static let nucleoVL53L8CH = SensorProfile(
        name: "st-nucleo-vl53l8ch", board: "ST NUCLEO + VL53L8CH, cc-hardware firmware",
        sensorModel: SafeLabel("VL53L8CH")!, lineCoding: LineCoding(baud: 2_250_000),
        histogram: .compactNormalized, distanceGeometry: .alongAxis,
        fieldOfView: FieldOfView(degreesX: 45, degreesY: 45), physicalBinPs: 250)

    /// Every profile this build knows.
    public static let all: [SensorProfile] = [.nucleoVL53L8CH]

    public static func named(_ name: String) -> SensorProfile? { all.first { $0.name == name } }
}
