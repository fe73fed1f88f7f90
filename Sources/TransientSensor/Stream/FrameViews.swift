import Glibc
public import NLOSCore

/// Why a firmware frame cannot be a transient frame. The raw value is the name in summaries.
public enum TransientRefusal: String, Error, CaseIterable, Sendable {
    /// A bin above 65,535: never clipped, never scaled in silence.
    case histogramOverflow = "histogram_overflow"
    /// The firmware reports no distances at all, so that no zone has a wall point.
    case noDistance = "no_distance"
    /// A zone without a distance of 10 to 10,000 mm.
    case invalidDistance = "invalid_distance"
    /// An ambient level above 32 bits.
    case ambientOverflow = "ambient_overflow"
    /// Another rule of the transient contract.
    case outOfContract = "out_of_contract"
}

/// Makes the two views of a firmware frame: depth always, transient only where every rule holds.
///
/// The evidence comes from the source's own origin and the profile's own histogram kind. There is no parameter that could
/// say otherwise, and a profile without histograms makes no `FrameViews` at all.
public struct FrameViews: Sendable {
    public let grid: ZoneGrid
    private let timing: BinTiming
    private let evidence: Evidence
    /// As in every frame.
    public let sensor: SensorIdentity
    private let sessionId: SafeLabel
    private let rays: [Vector3]
    private let countShift: Int
    private var nextSequence: UInt64 = 0
    private var lastMonotonicNs: UInt64 = 0
    /// Negative bins and ambient levels that were emitted as 0; the contract has no negative numbers.
    public private(set) var negativesEmittedAsZero: UInt64 = 0

    /// Nil when the profile measures no histogram, or when the shape is not a whole square grid of zones with bins.
    ///
    /// `fieldOfView` is the profile's where nothing says otherwise. `countShift`, 0 ... 8 (nil for any other), divides every count by two to
    /// that power. Where the bins are assumed the firmware version ends in `.assumed-bins`, where counts are divided in `.shiftN` (after the
    /// other mark): no frame is made so without saying it.
    public init?(
        profile: SensorProfile, origin: FrameSource, shape: FrameShape, fieldOfView: FieldOfView? = nil, timing: BinTiming,
        countShift: Int = 0, sessionId: SafeLabel, sensor: SensorIdentity
    ) {
        guard (0...8).contains(countShift), let histogram = profile.histogram, shape.bins > 0, let grid = ZoneGrid(squareOf: shape.zones)
        else { return nil }
        self.grid = grid
        self.timing = timing
        self.countShift = countShift
        self.sessionId = sessionId
        let marks = (timing.basis == .assumed ? ".assumed-bins" : "") + (countShift > 0 ? ".shift\(countShift)" : "")
        self.sensor = SensorIdentity(
            sensorId: sensor.sensorId, sensorModel: sensor.sensorModel, firmwareVersion: sensor.firmwareVersion.marked(marks))
        evidence =
            switch origin {
            case .live: .measured(histogram)
            case .replay: .measured(histogram).replayed
            case .synthetic: .synthetic
            }
        rays = (0..<grid.zones).map { profile.wallPointAtOneMetre(zone: $0, grid: grid, fieldOfView: fieldOfView) }
    }

    /// The transient view, stamped and numbered; a refused frame takes no number.
    public mutating func transient(of frame: FirmwareFrame, pose: SensorPose) throws(TransientRefusal) -> TransientFrame {
        guard frame.distanceMm.count == frame.zones else { throw .noDistance }
        guard frame.hasEveryDistance else { throw .invalidDistance }
        guard frame.ambient.allSatisfy({ $0 <= Int64(UInt32.max) }) else { throw .ambientOverflow }
        guard let (histograms, negatives) = narrowed(countShift == 0 ? frame.histogram : frame.histogram.map(shifted)) else {
            throw .histogramOverflow
        }
        let distancesM = frame.distanceMm.map { Float($0) / 1000 }
        let monotonicNs = max(frame.arrival.monotonicNs, lastMonotonicNs + 1)
        do {
            let zones = try TransientZones(
                wallPointsM: zip(rays, distancesM).map { ray, distance in
                    Vector3(x: ray.x * distance, y: ray.y * distance, z: ray.z * distance)
                },
                distancesM: distancesM, ambient: frame.ambient.map { UInt32(max(0, $0)) }, histograms: histograms)
            let made = try TransientFrame(
                sessionId: sessionId, sequence: nextSequence, capturedAtUnixMs: frame.arrival.unixMs,
                monotonicNs: monotonicNs, evidence: evidence, sensor: sensor, binWidthPs: timing.binWidthPs,
                startBin: timing.startBin, pose: pose, zones: zones)
            nextSequence += 1
            lastMonotonicNs = monotonicNs
            negativesEmittedAsZero += negatives + UInt64(frame.ambient.count { $0 < 0 })
            return made
        } catch {
            throw .outOfContract
        }
    }

    /// Divided by 2^countShift, to the nearest.
    private func shifted(_ count: Int64) -> Int64 {
        // The last bit that falls off decides; nothing is added first, so that nothing overflows.
        count >> Int64(countShift) + (count >> Int64(countShift - 1) & 1)
    }

    /// The bins as the wire's 16 bits, and how many were negative; nil when one does not fit.
    private func narrowed(_ bins: [Int64]) -> (histograms: [UInt16], negatives: UInt64)? {
        var negatives: UInt64 = 0
        var highest: Int64 = 0
        let histograms = [UInt16](unsafeUninitializedCapacity: bins.count) { narrow, count in
            for index in bins.indices {
                let bin = bins[index]
                negatives &+= bin < 0 ? 1 : 0
                highest = max(highest, bin)
                narrow[index] = UInt16(truncatingIfNeeded: max(0, bin))
            }
            count = bins.count
        }
        return highest <= Int64(UInt16.max) ? (histograms, negatives) : nil
    }
}

extension SensorProfile {
    /// Where a zone's ray meets a wall when the sensor reports 1 m there (wire contract C), metres.
    func wallPointAtOneMetre(zone: Int, grid: ZoneGrid, fieldOfView other: FieldOfView? = nil) -> Vector3 {
        let view = other ?? fieldOfView
        let column = Float(zone % grid.width) + 0.5
        let row = Float(zone / grid.width) + 0.5
        let yaw = (column / Float(grid.width) - 0.5) * view.x
        let pitch = (row / Float(grid.height) - 0.5) * view.y
        return switch distanceGeometry {
        case .alongAxis: Vector3(x: tanf(yaw), y: tanf(pitch), z: 1)
        case .alongRay: Vector3(x: cosf(pitch) * sinf(yaw), y: sinf(pitch), z: cosf(pitch) * cosf(yaw))
        }
    }
}
