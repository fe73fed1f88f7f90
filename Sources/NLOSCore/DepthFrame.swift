/// The visible-depth view of one frame: distances, and nothing a histogram could be made of.
///
/// No function turns a `DepthFrame` into a `TransientFrame` or a track; its evidence is `direct_depth` and stays that.
public struct DepthFrame: Equatable, Sendable {
    /// Distances that count, in millimetres.
    public static let validDistanceMm: ClosedRange<Int64> = 10...10_000

    /// Monotonic time of the frame's last byte, nanoseconds.
    public let monotonicNs: UInt64
    /// Position in the run, from 0, also counting frames that no transient could be made of.
    public let sequence: UInt64
    public let grid: ZoneGrid
    /// One a zone, row-major, millimetres; nil where the sensor saw nothing that counts.
    ///
    /// Of a stream that carries no status of its zones (the cc-hardware VL53L8CH firmware prints none, and `confidence` is nil) a
    /// distance here is only within range: whether there was a target the sensor has not said. Presence, stability and plausibility
    /// over many frames must tell.
    public let distancesMm: [UInt16?]
    /// One a zone in the firmware's own unit; nil where the sensor reports none.
    public let ambient: [Int64]?
    /// One a zone in the firmware's own unit; nil where the sensor reports none. Zero marks a zone as invalid.
    public let confidence: [Int64]?
    /// What the stream says about which zones saw a target.
    public let validity: ZoneValidity
    /// The sensor's whole frame, histograms and all, was the one before once more, byte for byte: nothing new was measured.
    ///
    /// Only who sees the whole frame can tell. Equal distances alone are no repeat: a still wall gives them too.
    public let repeatsPrevious: Bool

    /// Nil when an array does not have one value a zone.
    ///
    /// `targetStatus` are the codes of the VL53L5 and VL53L8 result list: 5 and 9 are a measurement, anything else is none (ST UM3109).
    public init?(
        monotonicNs: UInt64, sequence: UInt64, grid: ZoneGrid, reportedMm: [Int64], ambient: [Int64]? = nil,
        confidence: [Int64]? = nil, targetStatus: [UInt8]? = nil, repeatsPrevious: Bool = false
    ) {
        guard reportedMm.count == grid.zones, ambient.map({ $0.count == grid.zones }) ?? true,
            confidence.map({ $0.count == grid.zones }) ?? true, targetStatus.map({ $0.count == grid.zones }) ?? true
        else { return nil }
        self.monotonicNs = monotonicNs
        self.sequence = sequence
        self.grid = grid
        self.ambient = ambient
        self.confidence = confidence
        self.repeatsPrevious = repeatsPrevious
        validity =
            if let targetStatus { targetStatus.allSatisfy { $0 == 0 } ? .notFilledIn : .reported } else {
                confidence == nil ? .unknown : .reported
            }
        distancesMm = reportedMm.indices.map { zone in
            let trusted = (confidence.map { $0[zone] != 0 } ?? true) && (targetStatus.map { Self.isMeasurement($0[zone]) } ?? true)
            return trusted && Self.validDistanceMm.contains(reportedMm[zone]) ? UInt16(reportedMm[zone]) : nil
        }
    }

    /// Whether a target status of the VL53L5 and VL53L8 result list stands for a measurement (ST UM3109).
    public static func isMeasurement(_ targetStatus: UInt8) -> Bool { targetStatus == 5 || targetStatus == 9 }

    /// Zones with a distance that counts, divided by all zones.
    public var coverage: Double {
        guard !distancesMm.isEmpty else { return 0 }
        return Double(distancesMm.count { $0 != nil }) / Double(distancesMm.count)
    }
}

/// What a stream says about which of its zones saw a target.
public enum ZoneValidity: Sendable {
    /// The stream carries neither status nor confidence: a distance is only within range.
    case unknown
    /// Each zone was reported as measured or not.
    case reported
    /// There is a status field and every zone of the frame has 0 in it, which no measurement gives.
    case notFilledIn
}
