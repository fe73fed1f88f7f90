/// The record that the public readers expect after a frame's last zone, and that neither public firmware sends.
public enum MiniTofMetadata: CaseIterable, Hashable, Sendable {
    /// A distance a zone.
    case distances
    /// Distances, readings since the window was moved, the window's first bin.
    case distancesAndWindow
    /// Distances, a standard deviation a zone, readings since the window was moved, the window's first bin.
    case full

    /// Numbers in the record.
    func values(zones: Int) -> Int {
        switch self {
        case .distances: zones
        case .distancesAndWindow: zones + 2
        case .full: 2 * zones + 2
        }
    }

    /// Whether it tells where the histogram's window is.
    public var hasWindow: Bool { self != .distances }
}

/// What every frame of a stream consists of.
///
/// Nothing in the bytes tells an ambient level from a first bin. Known firmwares have an even number of bins, so that an even number of
/// values is number, ambient, bins, and an odd one is number, bins.
public struct MiniTofLayout: Hashable, Sendable {
    /// Grids of the sensor; a run of records of another length is no frame.
    public static let grids = [16, 64]
    /// Number, ambient level and 128 bins.
    static let mostZoneValues = 130
    /// The longest record: a metadata record of 64 zones is no longer than that.
    static let mostValues = 130

    public let zones: Int
    /// Numbers in a zone's record: 3 or more.
    public let values: Int
    public let metadata: MiniTofMetadata?

    /// Numbers that no frame can have are clamped: 1 ... 64 zones, 3 ... 130 values.
    public init(zones: Int, values: Int, metadata: MiniTofMetadata? = nil) {
        self.zones = min(max(zones, 1), 64)
        self.values = min(max(values, 3), Self.mostZoneValues)
        self.metadata = metadata
    }

    public var hasAmbient: Bool { Self.hasAmbient(values: values) }
    public var bins: Int { Self.bins(values: values) }

    static func hasAmbient(values: Int) -> Bool { values.isMultiple(of: 2) }
    static func bins(values: Int) -> Int { values - (hasAmbient(values: values) ? 2 : 1) }

    /// Physical bins in an output bin, where the number of bins is one that a public firmware has: 12 x 8 on Arduino boards, 16 x 1 on
    /// Mbed ones. Source: mini_tof `microcontroller/vl53l8ch`, mini_tof_firmware `VL53L8CH/firmware`.
    static func subsample(bins: Int) -> Int? {
        switch bins {
        case 12: 8
        case 16: 1
        default: nil
        }
    }
}
