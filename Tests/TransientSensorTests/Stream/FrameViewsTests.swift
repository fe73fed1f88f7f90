import Foundation
import NLOSCore
import Testing

@testable import TransientSensor

/// What becomes of a firmware frame: numbers unchanged where they can be carried, and a refusal with a name where they cannot.
@Suite struct FrameViewsTests {
    static let identity = SensorIdentity(
        sensorId: SafeLabel("sensor-1")!, sensorModel: SafeLabel("VL53L8CH")!, firmwareVersion: SafeLabel("VL53LMZ_2.0.10")!)
    static let timing = BinTiming(binWidthPs: 250, startBin: 30, basis: .configured)

    static func views(
        zones: Int = 16, bins: Int = 8, profile: SensorProfile = .nucleoVL53L8CH, origin: FrameSource = .live, timing: BinTiming = timing
    ) throws -> FrameViews {
        try #require(
            FrameViews(
                profile: profile, origin: origin, shape: FrameShape(zones: zones, bins: bins), timing: timing,
                sessionId: SafeLabel("run-1")!, sensor: identity))
    }

    static func frame(
        zones: Int = 16, bins: Int = 8, distanceMm: Int64 = 1_000, bin: Int64 = 7, ambient: Int64 = 5, arrivalNs: UInt64 = 1_000
    ) -> FirmwareFrame {
        // One zone is special: a rule that holds for all but one zone does not hold.
        var distances = [Int64](repeating: 500, count: zones)
        var ambients = [Int64](repeating: 3, count: zones)
        var histogram = [Int64](repeating: 1, count: zones * bins)
        distances[zones - 1] = distanceMm
        ambients[zones - 1] = ambient
        histogram[zones * bins - 1] = bin
        return FirmwareFrame(
            bins: bins, ambient: ambients, distanceMm: distances, histogram: histogram,
            arrival: Arrival(monotonicNs: arrivalNs, unixMs: 1_700_000_000_123))
    }

    // MARK: Numbers

    @Test func everythingIsCarried() throws {
        var views = try Self.views()
        let pose = try #require(SensorPose(translationM: Vector3(x: 1, y: 2, z: 3), quaternionXyzw: SIMD4(1, 0, 0, 0)))
        let frame = FirmwareFrame(
            bins: 8, ambient: (0..<16).map { Int64($0 * 11) }, distanceMm: (0..<16).map { 900 + Int64($0) },
            histogram: (0..<128).map { Int64($0 * 500) }, arrival: Arrival(monotonicNs: 77, unixMs: 1_700_000_000_123))
        let made = try views.transient(of: frame, pose: pose)
        #expect(made.zones.histograms == (0..<128).map { UInt16($0 * 500) } && made.zones.bins == 8)
        #expect(made.zones.ambient == (0..<16).map { UInt32($0 * 11) })
        #expect(made.zones.distancesM == (0..<16).map { Float("0.\(900 + $0)") })
        #expect(made.binWidthPs == 250 && made.startBin == 30 && made.pose == pose && made.sensor == Self.identity)
        #expect(made.sessionId.text == "run-1" && made.capturedAtUnixMs == 1_700_000_000_123 && made.monotonicNs == 77)
        #expect(views.negativesEmittedAsZero == 0)
    }

    /// Every millimetre there is: the metres are the number that the decimal text of them means.
    @Test func distanceIsUnchanged() throws {
        var views = try Self.views(zones: 1)
        for mm in DepthFrame.validDistanceMm {
            let made = try views.transient(of: Self.frame(zones: 1, distanceMm: mm), pose: .fixed)
            #expect(made.zones.distancesM[0] == Float("\(mm / 1000).\(String(1000 + mm % 1000).dropFirst())"))
        }
    }

    @Test func negativesAreZeroAndCounted() throws {
        var views = try Self.views(zones: 1)
        let frame = FirmwareFrame(
            bins: 8, ambient: [-4], distanceMm: [1_000], histogram: [-1, 0, 1, -70_000, .min, 65_535, 2, -2],
            arrival: Arrival(monotonicNs: 1, unixMs: 1))
        let made = try views.transient(of: frame, pose: .fixed)
        #expect(made.zones.histograms == [0, 0, 1, 0, 0, 65_535, 2, 0])
        #expect(made.zones.ambient == [0])
        #expect(views.negativesEmittedAsZero == 5)
        // What is refused was not emitted.
        let refused = FirmwareFrame(
            bins: 8, ambient: [-4], distanceMm: [0], histogram: frame.histogram, arrival: frame.arrival)
        #expect(throws: TransientRefusal.invalidDistance) { try views.transient(of: refused, pose: .fixed) }
        #expect(views.negativesEmittedAsZero == 5)
    }

    // MARK: Refusals

    struct Edge: Sendable {
        var distanceMm: Int64 = 1_000
        var bin: Int64 = 7
        var ambient: Int64 = 5
        var bins = 8
        var binWidthPs: Float = 250
        let refusal: TransientRefusal?
    }

    @Test(arguments: [
        Edge(distanceMm: 9, refusal: .invalidDistance), Edge(distanceMm: 10, refusal: nil), Edge(distanceMm: 10_000, refusal: nil),
        Edge(distanceMm: 10_001, refusal: .invalidDistance), Edge(distanceMm: 0, refusal: .invalidDistance),
        Edge(distanceMm: -1, refusal: .invalidDistance), Edge(distanceMm: .min, refusal: .invalidDistance),
        Edge(distanceMm: .max, refusal: .invalidDistance),
        Edge(bin: 65_535, refusal: nil), Edge(bin: 65_536, refusal: .histogramOverflow), Edge(bin: 65_543, refusal: .histogramOverflow),
        Edge(bin: .max, refusal: .histogramOverflow), Edge(bin: .min, refusal: nil),
        Edge(ambient: 4_294_967_295, refusal: nil), Edge(ambient: 4_294_967_296, refusal: .ambientOverflow),
        Edge(ambient: .max, refusal: .ambientOverflow), Edge(ambient: .min, refusal: nil),
        Edge(bins: 7, refusal: .outOfContract), Edge(bins: 8, refusal: nil), Edge(bins: 128, refusal: nil),
        Edge(bins: 129, refusal: .outOfContract),
        Edge(binWidthPs: 0.5, refusal: .outOfContract), Edge(binWidthPs: 1, refusal: nil), Edge(binWidthPs: 10_000, refusal: nil),
        Edge(binWidthPs: 10_001, refusal: .outOfContract),
    ])
    func edges(edge: Edge) throws {
        var views = try Self.views(
            bins: edge.bins, timing: BinTiming(binWidthPs: edge.binWidthPs, startBin: 0, basis: .configured))
        let frame = Self.frame(bins: edge.bins, distanceMm: edge.distanceMm, bin: edge.bin, ambient: edge.ambient)
        if let refusal = edge.refusal {
            #expect(throws: refusal) { try views.transient(of: frame, pose: .fixed) }
        } else {
            let made = try views.transient(of: frame, pose: .fixed)
            #expect(made.zones.histograms.last == UInt16(max(0, edge.bin)) && made.zones.ambient.last == UInt32(max(0, edge.ambient)))
        }
    }

    /// The names that summaries and logs carry.
    @Test func namesOfRefusals() {
        #expect(
            TransientRefusal.allCases.map(\.rawValue) == [
                "histogram_overflow", "no_distance", "invalid_distance", "ambient_overflow", "out_of_contract",
            ])
    }

    // MARK: Order

    @Test func stampsOnlyGoForward() throws {
        var views = try Self.views()
        let stamps: [UInt64] = [100, 100, 99, 101, 500, 3]
        let made = try stamps.map { try views.transient(of: Self.frame(arrivalNs: $0), pose: .fixed).monotonicNs }
        #expect(made == [100, 101, 102, 103, 500, 501])
    }

    @Test func onlyWhatIsEmittedTakesANumber() throws {
        var views = try Self.views()
        var sequences: [UInt64] = []
        var stamps: [UInt64] = []
        for (index, distance) in [1_000, 0, 1_000, 10_001, 9, 1_000].enumerated() {
            let frame = Self.frame(distanceMm: Int64(distance), arrivalNs: 100 - UInt64(index))
            guard let made = try? views.transient(of: frame, pose: .fixed) else { continue }
            sequences.append(made.sequence)
            stamps.append(made.monotonicNs)
        }
        #expect(sequences == [0, 1, 2] && stamps == [100, 101, 102])
    }

    // MARK: Evidence

    @Test(arguments: MeasuredHistogram.allCases)
    func evidenceOfEachOrigin(histogram: MeasuredHistogram) throws {
        let expected: [FrameSource: (EvidenceLevel, TransientKind, Transport)] = [
            .live: (.measured, histogram.kind, .usbSerial), .replay: (.measured, .replay, .replay),
            .synthetic: (.synthetic, .replay, .replay),
        ]
        for origin in FrameSource.allCases {
            var views = try Self.views(profile: .test(histogram: histogram), origin: origin)
            let evidence = try views.transient(of: Self.frame(), pose: .fixed).evidence
            let (level, kind, transport) = try #require(expected[origin])
            #expect(evidence.source == origin && evidence.level == level && evidence.kind == kind && evidence.transport == transport)
            #expect(evidence.histogramPreserved && evidence.calibrationHash.isZero)
        }
    }

    @Test(arguments: FrameSource.allCases)
    func depthAloneMakesNoViews(origin: FrameSource) {
        let views = FrameViews(
            profile: .test(histogram: nil), origin: origin, shape: FrameShape(zones: 16, bins: 48), timing: Self.timing,
            sessionId: SafeLabel("run-1")!, sensor: Self.identity)
        #expect(views == nil)
    }

    @Test(arguments: [(1, 1), (4, 2), (16, 4), (64, 8), (0, nil), (2, nil), (15, nil), (17, nil), (63, nil)] as [(Int, Int?)])
    func onlySquaresOfZones(zones: Int, side: Int?) {
        let views = FrameViews(
            profile: .nucleoVL53L8CH, origin: .live, shape: FrameShape(zones: zones, bins: 48), timing: Self.timing,
            sessionId: SafeLabel("run-1")!, sensor: Self.identity)
        #expect(views?.grid == side.map { ZoneGrid(width: $0, height: $0) })
    }

    // MARK: Depth

    @Test func depthKeepsWhatTransientRefuses() throws {
        let frame = Self.frame(distanceMm: 0, bin: 70_000, ambient: -9, arrivalNs: 42)
        let depth = try #require(frame.depth(sequence: 7))
        #expect(depth.monotonicNs == 42 && depth.sequence == 7 && depth.grid == ZoneGrid(width: 4, height: 4))
        #expect(depth.distancesMm == [UInt16?](repeating: 500, count: 15) + [nil])
        #expect(depth.ambient == [Int64](repeating: 3, count: 15) + [-9])
        #expect(depth.confidence == nil)
        #expect(Self.frame(zones: 15).depth(sequence: 0) == nil)
    }
}

extension SensorProfile {
    /// A board of which only what a test names matters.
    static func test(
        histogram: MeasuredHistogram? = .compactNormalized, geometry: DistanceGeometry = .alongAxis,
        view: FieldOfView = FieldOfView(degreesX: 45, degreesY: 45)
    ) -> SensorProfile {
        SensorProfile(
            name: "test", board: "test board", sensorModel: SafeLabel("TEST")!, lineCoding: LineCoding(baud: 115_200),
            histogram: histogram, distanceGeometry: geometry, fieldOfView: view, physicalBinPs: 250, nominalHz: 10,
            makeSession: SensorProfile.nucleoVL53L8CH.makeSession, makeWitness: SensorProfile.nucleoVL53L8CH.makeWitness,
            makeEmulator: SensorProfile.nucleoVL53L8CH.makeEmulator)
    }
}
