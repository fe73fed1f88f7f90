/// Names of a sensor as its frames carry them. On the wire: the labels of `provenance`.
public struct SensorIdentity: Hashable, Sendable {
    public let sensorId: SafeLabel
    public let sensorModel: SafeLabel
    public let firmwareVersion: SafeLabel

    public init(sensorId: SafeLabel, sensorModel: SafeLabel, firmwareVersion: SafeLabel) {
        self.sensorId = sensorId
        self.sensorModel = sensorModel
        self.firmwareVersion = firmwareVersion
    }
}

/// The first rule of contract C that a would-be transient frame breaks; the raw value is the field's name.
public enum TransientBreach: String, Error, Sendable {
    case sequence, timestamp, binWidthPs, zones
    case wallPointM = "zones.wallPointM"
    case distanceM = "zones.distanceM"
    case histogram = "zones.histogram"
}

/// The zones of one transient frame, checked and stored column by column.
public struct TransientZones: Equatable, Sendable {
    public static let zoneCounts = 1...64
    public static let binCounts = 8...128
    /// Metres.
    public static let distancesM: ClosedRange<Float> = 0.01...10

    /// Where each zone's ray meets the wall, metres, in the sensor's frame.
    public let wallPointsM: [Vector3]
    /// The reported distance of each zone, metres.
    public let distancesM: [Float]
    /// Ambient level of each zone in the firmware's unit.
    public let ambient: [UInt32]
    /// Zone-major: `histograms[zone * bins + bin]`, in the firmware's unit.
    public let histograms: [UInt16]
    public let bins: Int
    public var count: Int { distancesM.count }

    /// Checks counts and ranges (contract C); the first breach is thrown.
    public init(wallPointsM: [Vector3], distancesM: [Float], ambient: [UInt32], histograms: [UInt16])
        throws(TransientBreach)
    {
        let zones = distancesM.count
        guard Self.zoneCounts.contains(zones), wallPointsM.count == zones, ambient.count == zones else { throw .zones }
        guard histograms.count % zones == 0, Self.binCounts.contains(histograms.count / zones) else { throw .histogram }
        guard wallPointsM.allSatisfy(\.isFinite) else { throw .wallPointM }
        guard distancesM.allSatisfy(Self.distancesM.contains) else { throw .distanceM }
        self.wallPointsM = wallPointsM
        self.distancesM = distancesM
        self.ambient = ambient
        self.histograms = histograms
        bins = histograms.count / zones
    }
}

/// One frame of photon-timing histograms that keeps every rule of the wire contract, C and D.
///
/// The only way to one is this initialiser, and it needs an `Evidence`, which exists only for what table D accepts.
/// On the wire: `ruview.nlos.transient.v1`.
public struct TransientFrame: Equatable, Sendable {
    public static let schema = "ruview.nlos.transient.v1"
    /// The longest line, in bytes, without its line feed.
    public static let longestLine = 262_144
    /// Integers that every JSON reader keeps exactly.
    public static let interoperable: ClosedRange<UInt64> = 0...9_007_199_254_740_991
    /// Picoseconds.
    public static let binWidthsPs: ClosedRange<Float> = 1...10_000

    public let sessionId: SafeLabel
    public let sequence: UInt64
    public let capturedAtUnixMs: UInt64
    public let monotonicNs: UInt64
    public private(set) var evidence: Evidence
    public let sensor: SensorIdentity
    /// Width of an emitted bin, picoseconds.
    public let binWidthPs: Float
    /// The first physical bin, as the firmware counts them.
    public let startBin: UInt16
    public let pose: SensorPose
    public let zones: TransientZones

    /// Checks the numbers that no type has checked yet; the first breach is thrown.
    public init(
        sessionId: SafeLabel, sequence: UInt64, capturedAtUnixMs: UInt64, monotonicNs: UInt64, evidence: Evidence,
        sensor: SensorIdentity, binWidthPs: Float, startBin: UInt16, pose: SensorPose, zones: TransientZones
    ) throws(TransientBreach) {
        guard Self.interoperable.contains(sequence) else { throw .sequence }
        guard Self.interoperable.contains(capturedAtUnixMs) else { throw .timestamp }
        guard Self.binWidthsPs.contains(binWidthPs) else { throw .binWidthPs }
        self.sessionId = sessionId
        self.sequence = sequence
        self.capturedAtUnixMs = capturedAtUnixMs
        self.monotonicNs = monotonicNs
        self.evidence = evidence
        self.sensor = sensor
        self.binWidthPs = binWidthPs
        self.startBin = startBin
        self.pose = pose
        self.zones = zones
    }

    /// The same frame played back: it says so, and gains nothing.
    public var replayed: TransientFrame {
        var frame = self
        frame.evidence = evidence.replayed
        return frame
    }
}
