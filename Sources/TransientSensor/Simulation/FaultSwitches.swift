/// Everything that an emulated board can be told to do wrong, by name.
public struct FaultSwitches: Equatable, Sendable {
    public var firmware = FirmwareFaults()
    public var line = LineFaults()

    public init() {}

    /// From texts of the form `NAME` or `NAME=VALUE`, as `--fault` takes them.
    public init(_ texts: some Sequence<String>) throws(FaultSyntaxError) {
        for text in texts { try add(text) }
    }

    /// Turns one switch on.
    public mutating func add(_ text: String) throws(FaultSyntaxError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let fault = FaultSwitch.all.first(where: { $0.name == parts[0] }) else { throw .unknown(name: parts[0]) }
        guard parts.count == 2 || fault.fallback != nil else { throw .missingValue(fault) }
        guard fault.set(&self, parts.count == 2 ? parts[1] : fault.fallback ?? "") else {
            throw .badValue(fault, value: parts.last ?? "")
        }
    }
}

/// Why a text is no fault switch.
public enum FaultSyntaxError: Error, Equatable, Sendable {
    case unknown(name: String)
    case missingValue(FaultSwitch)
    case badValue(FaultSwitch, value: String)
}

/// One switch: its name, its value and what it does.
public struct FaultSwitch: Sendable {
    public let name: String
    /// How help writes the value, e.g. `FRAMES`; nil for a switch that is only on or off.
    public let value: String?
    /// What the value means where none is given; nil where one is needed.
    public let fallback: String?
    /// One line for help.
    public let meaning: String
    /// False for a value that it cannot mean.
    fileprivate let set: @Sendable (inout FaultSwitches, String) -> Bool
}

extension FaultSwitch: Equatable {
    public static func == (a: Self, b: Self) -> Bool { a.name == b.name }

    /// How help writes the whole switch: `unplug-after=BYTES`, `byte-loss[=P]`.
    public var form: String {
        guard let value else { return name }
        return fallback == nil ? "\(name)=\(value)" : "\(name)[=\(value)]"
    }

    /// Every switch, in the order that help lists them.
    public static let all = ofLine + ofFirmware

    /// What every board's line can do.
    static let ofLine: [FaultSwitch] = [
        number("byte-loss", "P", "0.0001", "a byte vanishes with probability P", 0...1) { $0.line.byteLoss = $1 },
        number("burst-loss", "P", "0.00001", "with probability P a byte begins a run of 16 to 512 that vanish", 0...1) {
            $0.line.burstLoss = $1
        },
        number("duplicate-packet", "P", "0.001", "a packet of 16 bytes comes twice with probability P", 0...1) {
            $0.line.duplicatePacket = $1
        },
        number("nul-bytes", "P", "0.0001", "a NUL comes before a byte with probability P", 0...1) { $0.line.nulByte = $1 },
        number("ff-bytes", "P", "0.0001", "a 0xFF comes before a byte with probability P", 0...1) { $0.line.ffByte = $1 },
        FaultSwitch(name: "piece", value: "BYTES|MIN-MAX", fallback: nil, meaning: "bytes are handed over in pieces of this size") {
            guard let sizes = pieceSizes($1) else { return false }
            $0.line.pieceBytes = sizes
            return true
        },
        number("endless-line", "BYTES", "0", "after BYTES no line ends any more", 0...UInt64.max) { $0.line.endlessLineAfter = $1 },
        number("unplug-after", "BYTES", nil, "the device goes away after BYTES", 0...UInt64.max) { $0.line.unplugAfter = $1 },
        flag("wrong-rate", "every byte is garbage, as with a wrong line rate") { $0.line.garbage = true },
    ]

    /// What happens inside a board; a profile says which of them its firmware plays.
    static let ofFirmware = ofFamilies + ofDepz

    private static let ofFamilies: [FaultSwitch] = [
        number("delay", "SECONDS", nil, "the first byte comes this late, up to 3600", 0...3600.0) {
            $0.firmware.firstByteDelayNs = UInt64($1 * 1e9)
        },
        number("silence-after", "FRAMES", nil, "nothing more comes after FRAMES", 1...UInt64.max) {
            $0.firmware.silentAfterFrames = $1
        },
        number("reset-after", "FRAMES", nil, "the board restarts inside a row, each time after FRAMES", 1...UInt64.max) {
            $0.firmware.resetAfterFrames = $1
        },
        number("misaligned", "BYTES", "1", "the command receiver starts with 1 to 25 stray BYTES", 1...25) {
            $0.firmware.strayBytes = $1
        },
        flag("wrong-sensor", "the sensor has a wrong id: after the ready line nothing comes") { $0.firmware.sensor = .wrongId },
        flag("not-detected", "the sensor does not answer") { $0.firmware.sensor = .missing },
        flag("loading-failed", "the sensor does not take its firmware") { $0.firmware.sensor = .refusingFirmware },
        number("refuse", "STATUS", "66", "every configuration is refused with STATUS", 1...UInt8.max) {
            $0.firmware.refusalStatus = $1
        },
        number("extract-error", "FRAMES", "10", "each n-th frame is lost in the board, with an error line", 1...UInt64.max) {
            $0.firmware.extractionErrorEvery = $1
        },
        number("overflow-bin", "FRAMES", "1", "in each n-th frame a bin exceeds 65,535", 1...UInt64.max) {
            $0.firmware.overflowEvery = $1
        },
        number("histogram-step", "N", "1000", "every bin is a multiple of N", 1...1_000_000) { $0.firmware.histogramStep = $1 },
        number("frozen-frame", "FRAMES", "5", "each n-th frame is the one before it once more", 1...UInt64.max) {
            $0.firmware.frozenEvery = $1
        },
        flag("no-distance", "every distance is 0, as where the sensor sees nothing") { $0.firmware.measuresNoDistance = true },
        number("distance-noise", "MM", "100", "distances scatter with this deviation, up to 1000", 1...1000) {
            $0.firmware.distanceNoiseMm = $1
        },
        number("brighter-after", "FRAMES", nil, "the ambient light is sixteen times as strong after FRAMES", 1...UInt64.max) {
            $0.firmware.brighterAfterFrames = $1
        },
        flag("mini-no-ambient", "mini_tof: zones come without an ambient level") { $0.firmware.miniTof.withoutAmbient = true },
        FaultSwitch(
            name: "mini-metadata", value: "KIND", fallback: "full",
            meaning: "mini_tof: frames end with distances (KIND distances) or all metadata (full), or the window of bins moves too (cycle)"
        ) {
            guard let metadata = MiniTofFaults.Metadata(rawValue: $1), metadata != .none else { return false }
            $0.firmware.miniTof.metadata = metadata
            return true
        },
        number("mini-bins", "N", "16", "mini_tof: bins in a frame, as in the Arduino firmware (12) or the Mbed one (16)", 1...24) {
            $0.firmware.miniTof.bins = $1
        },
        flag("mini-true-values", "mini_tof: values are not halved, and small ones keep their sign") {
            $0.firmware.miniTof.trueValues = true
        },
        number("mini-straddle", "FRAMES", "10", "mini_tof: in each n-th frame a mark seems to stand across two values", 1...UInt64.max) {
            $0.firmware.miniTof.straddlingMarkEvery = $1
        },
    ]

    private static let ofDepz = DepzFault.allCases.map { fault in
        number(fault.rawValue, "FRAMES", "10", fault.meaning, 1...UInt64.max) { $0.firmware.depz[fault] = $1 }
    }

    private static func flag(_ name: String, _ meaning: String, _ set: @escaping @Sendable (inout FaultSwitches) -> Void) -> Self {
        FaultSwitch(name: name, value: nil, fallback: "", meaning: meaning) { switches, value in
            guard value.isEmpty else { return false }
            set(&switches)
            return true
        }
    }

    private static func number<Value: LosslessStringConvertible & Comparable & Sendable>(
        _ name: String, _ value: String, _ fallback: String?, _ meaning: String, _ allowed: ClosedRange<Value>,
        _ set: @escaping @Sendable (inout FaultSwitches, Value) -> Void
    ) -> Self {
        FaultSwitch(name: name, value: value, fallback: fallback, meaning: meaning) { switches, text in
            guard let number = Value(text), allowed.contains(number) else { return false }
            set(&switches, number)
            return true
        }
    }

    /// `N` or `MIN-MAX`, in 1 ... 65,536.
    private static func pieceSizes(_ text: String) -> ClosedRange<Int>? {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        guard let low = ends.first, let high = ends.last, ends.count <= 2, low >= 1, low <= high, high <= 65_536 else { return nil }
        return low...high
    }
}
