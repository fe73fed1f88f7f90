public import NLOSCore

/// Makes the visible-depth view of each frame of a stream, numbered, and marks what the board has sent before.
public struct DepthViews: Sendable {
    private var nextSequence: UInt64 = 0
    private var previous: FirmwareFrame?

    public init() {}

    /// Nil when the rows are no whole square grid, or no distance belongs to them; such a frame takes a number all the same.
    public mutating func depth(of frame: FirmwareFrame) -> DepthFrame? {
        defer {
            nextSequence += 1
            previous = frame
        }
        return frame.depth(sequence: nextSequence, repeatsPrevious: previous?.saysTheSame(as: frame) ?? false)
    }
}

extension FirmwareFrame {
    /// The visible-depth view of this frame alone; nil when the rows are no whole square grid, or no distance belongs to them.
    public func depth(sequence: UInt64, repeatsPrevious: Bool = false) -> DepthFrame? {
        ZoneGrid(squareOf: zones).flatMap {
            DepthFrame(
                monotonicNs: arrival.monotonicNs, sequence: sequence, grid: $0, reportedMm: distanceMm, ambient: ambient,
                confidence: confidence, targetStatus: targetStatus, repeatsPrevious: repeatsPrevious)
        }
    }

    /// Whether the sensor vouches for a distance in every zone.
    var hasEveryDistance: Bool {
        distanceMm.allSatisfy(DepthFrame.validDistanceMm.contains) && (confidence?.allSatisfy { $0 != 0 } ?? true)
            && (targetStatus?.allSatisfy(DepthFrame.isMeasurement) ?? true)
    }

    /// Whether the board printed the same numbers, whenever it did. Noise makes no two histograms equal, so equal ones are old; equal
    /// distances alone say nothing of it.
    func saysTheSame(as other: FirmwareFrame) -> Bool {
        bins > 0 && bins == other.bins && distanceMm == other.distanceMm && ambient == other.ambient && histogram == other.histogram
    }
}
