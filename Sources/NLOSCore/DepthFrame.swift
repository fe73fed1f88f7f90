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

    /// Nil when an array does not have one value a zone.
    public init?(
        monotonicNs: UInt64, sequence: UInt64, grid: ZoneGrid, reportedMm: [Int64], ambient: [Int64]? = nil,
        confidence: [Int64]? = nil
    ) {
        guard reportedMm.count == grid.zones, ambient.map({ $0.count == grid.zones }) ?? true,
            confidence.map({ $0.count == grid.zones }) ?? true
        else { return nil }
        self.monotonicNs = monotonicNs
        self.sequence = sequence
        self.grid = grid
        self.ambient = ambient
        self.confidence = confidence
        distancesMm = reportedMm.indices.map { zone in
            let trusted = confidence.map { $0[zone] != 0 } ?? true
            return trusted && Self.validDistanceMm.contains(reportedMm[zone]) ? UInt16(reportedMm[zone]) : nil
        }
    }

    /// Zones with a distance that counts, divided by all zones.
    public var coverage: Double {
        guard !distancesMm.isEmpty else { return 0 }
        return Double(distancesMm.count { $0 != nil }) / Double(distancesMm.count)
    }
}
