/// One frame exactly as a firmware printed it: nothing clipped, nothing scaled.
public struct FirmwareFrame: Equatable, Sendable {
    /// Rows (zones or aggregates) in order, from 0.
    public let zones: Int
    /// Histogram bins in every row; 0 from a firmware that sends depth only.
    public let bins: Int
    /// One a row, firmware's unit, signed; zeros from a firmware that reports none.
    public let ambient: [Int64]
    /// One a row, millimetres; zero and negative values are what the firmware says when it has no distance. Empty from a firmware
    /// that reports none at all.
    public let distanceMm: [Int64]
    /// Zone-major: `histogram[zone * bins + bin]`; negative values are normal where the chip subtracts ambient.
    public let histogram: [Int64]
    /// When the frame's last byte reached this machine.
    public let arrival: Arrival
    /// How sure each distance is, firmware's unit, 0 for not at all; nil from a firmware that does not say.
    public var confidence: [Int64]?
    /// ST's code for each distance (5 and 9 are a measurement); nil from a firmware that does not say.
    public var targetStatus: [UInt8]?
    /// The histogram of the sensor's own reference SPADs behind the cover glass, which is no zone.
    public var reference: [Int64]?
    /// Of the sensor's die, degrees Celsius.
    public var temperatureC: Int?
    /// The device's own clock at the measurement, microseconds since an unknown moment.
    public var deviceUs: UInt64?

    public init(
        bins: Int, ambient: [Int64], distanceMm: [Int64], histogram: [Int64], arrival: Arrival
    ) {
        zones = ambient.count
        self.bins = bins
        self.ambient = ambient
        self.distanceMm = distanceMm
        self.histogram = histogram
        self.arrival = arrival
    }
}

/// Rows and bins that every frame of a stream must have.
public struct FrameShape: Hashable, Sendable, CustomStringConvertible {
    public let zones: Int
    public let bins: Int

    public init(zones: Int, bins: Int) {
        self.zones = zones
        self.bins = bins
    }

    public var description: String { bins > 0 ? "\(zones) zones x \(bins) bins" : "\(zones) zones without histograms" }
}

/// Why bytes that looked like a frame did not become one. The raw value is the name in summaries.
public enum FrameFault: String, CaseIterable, Sendable {
    /// A row has another number of values than the stream's shape.
    case rowShape = "row_shape"
    /// A row's number is not the next one.
    case rowOrder = "row_order"
    /// A byte that no number can hold, an empty token, a leading zero, a plus sign.
    case notANumber = "not_a_number"
    /// A number over 64 bits, or a line over the longest that the shape allows.
    case outOfRange = "out_of_range"
    /// The next marker came before the last row.
    case missingZone = "missing_zone"
    /// The board restarted or printed an error line inside the frame.
    case damagedByReset = "damaged_by_reset"
    /// Bytes were lost on the way to the decoder (overflow, stall, full queue).
    case transferLost = "transfer_lost"
    /// A checksum does not fit its bytes.
    case checksum
    /// A part of the frame is missing, or does not follow the part before it.
    case missingPart = "missing_part"
    /// The frame's head and its end are not of the same frame.
    case torn
    /// The device sent the frame before once more, under the same number.
    case repeated
    /// The frame's own lengths and counts do not agree with each other.
    case malformed
}

/// What a decoder finds in the bytes.
public enum DecoderEvent: Equatable, Sendable {
    case frame(FirmwareFrame)
    /// A frame was begun and could not be kept.
    case rejected(FrameFault)
    /// A line the firmware says about itself.
    case log(FirmwareLine)
}

/// Lines of text that a firmware prints between frames.
public enum FirmwareLine: Equatable, Sendable {
    /// The reset banner: the board has just started.
    case banner(String)
    /// The application (re)started; holds the version it names, e.g. `VL53LMZ_2.0.10`.
    case ready(version: String)
    case applying
    /// Zones of the configuration being applied.
    case resolution(Int)
    case applied
    /// An error line, escaped for people. `fatal` says that no frames follow by themselves.
    case error(String, fatal: Bool)
    /// Any other line worth telling, escaped for people.
    case remark(String)
}
