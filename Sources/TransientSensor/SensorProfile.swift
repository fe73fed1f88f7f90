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

/// What a board wants of the modem lines of its serial port.
public enum ModemLines: Sendable {
    /// Nothing hangs on them (debug probes): they are left as they are.
    case untouched
    /// Dropped, then raised once when the port is opened, and dropped when it is closed. Boards with an auto-reset circuit start anew
    /// at the rise, so that they begin in a known state; boards with USB of their own send nothing before it.
    case raised
}

/// Which sensor settings a firmware takes from its host.
public enum AcceptedSettings: Equatable, Sendable {
    /// None: it streams what it streams.
    case none
    /// Grids of so many zones along a side.
    case grids([Int])
    /// The configuration packet of the cc-hardware VL53L8CH firmware.
    case vl53l8ch
}

/// What is wanted of a board's stream.
public enum StreamRequest: Equatable, Sendable {
    /// The stream as it is. A board that does not stream by itself is started with its own default.
    case join
    /// The lightest setting in which the board still shows depth; a board that takes no settings is joined.
    case light
    /// A grid of `side` x `side` zones, of a board that takes `AcceptedSettings.grids`.
    case grid(side: Int)
    /// The cc-hardware VL53L8CH firmware's own ways.
    case vl53l8ch(VL53L8CHSession.Mode)
}

/// Where a session's bytes come from.
public struct SessionPlace: Sendable {
    /// The device as messages name it.
    public let path: String
    /// The bytes were recorded: they may pause as long as they did, and nothing that is sent has an effect.
    public let isRecorded: Bool

    public init(path: String, isRecorded: Bool = false) {
        self.path = path
        self.isRecorded = isRecorded
    }
}

/// A kind of board with a kind of firmware: everything about it that is data and not code.
///
/// Adding a board is a value like this beside its decoder in `Boards/`, a line in `all`, and a page in `hardware/`.
public struct SensorProfile: Sendable {
    /// What `--profile` takes.
    public let name: String
    /// What people call the board.
    public let board: String
    public let sensorModel: SafeLabel
    public let lineCoding: LineCoding
    public var modemLines = ModemLines.untouched
    /// The board's own USB takes no notice of the rate: what it says of it is not looked at.
    public var takesAnyRate = false
    /// Nil for a board that reports depth only: no transient frame can come of it.
    public let histogram: MeasuredHistogram?
    /// Whether the firmware reports distances. Without them there is nothing to validate, and a histogram has no wall point.
    public var reportsDepth = true
    /// Whether the firmware reports its sensor's temperature.
    public var reportsTemperature = false
    public let distanceGeometry: DistanceGeometry
    /// Of the whole grid; a session that knows better says so.
    public let fieldOfView: FieldOfView
    /// Width of a physical bin, picoseconds; a session that knows better says so.
    public let physicalBinPs: Float
    public var settings = AcceptedSettings.none
    /// Frames a second that can be expected of a firmware whose rate nobody sets.
    public let nominalHz: Double
    /// Names of the fault switches that its emulated firmware plays beside those of the line.
    var firmwareFaults: Set<String> = []
    /// The conversation with this firmware. A request that `settings` does not cover is taken as `join`.
    let makeSession: @Sendable (StreamRequest, SessionPlace) -> any FirmwareSession
    /// Someone who knows this firmware's words from all others.
    let makeWitness: @Sendable () -> any FirmwareWitness
    /// The firmware's side of the conversation.
    let makeEmulator: @Sendable (EmulatorPlan) -> any EmulatedFirmware

    /// The fault switches that an emulated board of this kind plays, in the order of help.
    public var faults: [FaultSwitch] {
        FaultSwitch.all.filter { fault in
            FaultSwitch.ofLine.contains(fault) || firmwareFaults.contains(fault.name)
        }
    }

    public func session(_ request: StreamRequest, at place: SessionPlace) -> any FirmwareSession { makeSession(request, place) }

    /// Every profile this build knows, in the order in which an unknown port is listened to. Of firmwares that stream alike, the one that
    /// takes no commands comes first: whoever is mistaken then sends nothing.
    public static let all: [SensorProfile] = [
        .nucleoVL53L8CH,
        .tmf882xMiniTof,
        .tmf882xAms,
        .tmf882xCCHardware,
        .miniTof,
        .depzVL53L8CH,
        .depzVL53L8CX,
    ]

    public static func named(_ name: String) -> SensorProfile? { all.first { $0.name == name } }
}
