import NLOSCore
import Testing

@testable import TransientSensor
@testable import bridge

@Suite struct SignalTests {
    /// A board like none that is known: it measures distances and nothing else.
    static let depthOnly = board("depth-only", histogram: nil, .alongAxis)
    static let raw = board("raw", histogram: .raw, .alongRay)
    static let withoutDepth: SensorProfile = {
        var profile = board("histograms-only", histogram: .raw, .alongRay)
        profile.reportsDepth = false
        return profile
    }()
    static let withTemperature: SensorProfile = {
        var profile = board("warm", histogram: .raw, .alongRay)
        profile.reportsTemperature = true
        return profile
    }()

    private static func board(_ name: String, histogram: MeasuredHistogram?, _ geometry: DistanceGeometry) -> SensorProfile {
        let known = SensorProfile.nucleoVL53L8CH
        return SensorProfile(
            name: name, board: "a board", sensorModel: SafeLabel("RANGER")!, lineCoding: LineCoding(baud: 115_200), histogram: histogram,
            distanceGeometry: geometry, fieldOfView: FieldOfView(degreesX: 41, degreesY: 52), physicalBinPs: 100, nominalHz: 10,
            makeSession: known.makeSession, makeWitness: known.makeWitness, makeEmulator: known.makeEmulator)
    }

    static let seen = ProbedSensor.Firmware(depthCoverage: 0.5, framesSeen: 9, bins: 18)
    static let seenWithoutDistance = ProbedSensor.Firmware(depthCoverage: 0, framesSeen: 9, bins: 18)
    static let seenWithoutHistogram = ProbedSensor.Firmware(depthCoverage: 1, framesSeen: 9)
    static let seenWarm = ProbedSensor.Firmware(depthCoverage: 1, framesSeen: 9, bins: 128, temperatureC: 31)

    struct Row {
        let name: String
        let profile: SensorProfile?
        let firmware: ProbedSensor.Firmware?
        /// Status of depth, temperature, compact and raw histograms, pose.
        let statuses: [bridge.Signal.Status]
    }

    static let rows: [Row] = [
        Row(
            name: "compact, not opened", profile: .nucleoVL53L8CH, firmware: nil,
            statuses: [.unknown, .unavailable, .unknown, .unavailable, .unavailable]),
        Row(
            name: "compact, opened and silent", profile: .nucleoVL53L8CH, firmware: ProbedSensor.Firmware(),
            statuses: [.unknown, .unavailable, .unknown, .unavailable, .unavailable]),
        Row(
            name: "compact, seen", profile: .nucleoVL53L8CH, firmware: seen,
            statuses: [.available, .unavailable, .available, .unavailable, .unavailable]),
        Row(
            name: "compact, seen in the dark", profile: .nucleoVL53L8CH, firmware: seenWithoutDistance,
            statuses: [.unavailable, .unavailable, .available, .unavailable, .unavailable]),
        Row(name: "raw, seen", profile: raw, firmware: seen, statuses: [.available, .unavailable, .unavailable, .available, .unavailable]),
        Row(
            name: "depth only, not opened", profile: depthOnly, firmware: nil,
            statuses: [.unknown, .unavailable, .unavailable, .unavailable, .unavailable]),
        Row(
            name: "depth only, seen", profile: depthOnly, firmware: seen,
            statuses: [.available, .unavailable, .unavailable, .unavailable, .unavailable]),
        Row(
            name: "raw, seen without histograms", profile: raw, firmware: seenWithoutHistogram,
            statuses: [.available, .unavailable, .unavailable, .unavailable, .unavailable]),
        Row(
            name: "no depth, seen", profile: withoutDepth, firmware: seenWithoutDistance,
            statuses: [.unavailable, .unavailable, .unavailable, .available, .unavailable]),
        Row(
            name: "temperature, not opened", profile: withTemperature, firmware: nil,
            statuses: [.unknown, .unknown, .unavailable, .unknown, .unavailable]),
        Row(
            name: "temperature, seen", profile: withTemperature, firmware: seenWarm,
            statuses: [.available, .available, .unavailable, .available, .unavailable]),
        Row(
            name: "temperature, not said", profile: withTemperature, firmware: seen,
            statuses: [.available, .unavailable, .unavailable, .available, .unavailable]),
        Row(name: "no profile", profile: nil, firmware: nil, statuses: [.unknown, .unknown, .unknown, .unknown, .unavailable]),
    ]

    @Test(arguments: rows) func statusOfEachSignal(row: Row) {
        let signals = bridge.Signal.all(of: row.profile, seen: row.firmware)
        #expect(signals.map(\.kind) == bridge.Signal.Kind.allCases)
        #expect(signals.map(\.status) == row.statuses, "\(row.name)")
        for signal in signals {
            // What is not there is good for nothing; depth is good for depth alone, whatever else the board has.
            if signal.status == .unavailable { #expect(signal.use == .none) }
            if signal.kind == .visibleDepth { #expect(signal.use == .directDepthOnly || signal.use == .none) }
            if signal.use == .nlosInputL1AtMost {
                #expect(signal.kind == .compactNormalizedHistogram || signal.kind == .rawHistogram)
                #expect(row.profile == nil || row.profile?.histogram != nil)
            }
        }
    }

    /// The refusal that this tool is built around, through the whole feed: distances alone never become a transient frame.
    @Test func aDepthOnlySensorMakesNoTransientFrame() throws {
        let clocks = Clocks.system
        let source = try SimulatedSource(scene: .matteWall, pace: .unlimited, clocks: clocks)
        let stated = VL53L8CHConfiguration.firmwareDefault
        let feed = SensorFeed(
            stream: SensorStream(source: source, session: VL53L8CHSession(mode: .declared(stated), path: source.path), clocks: clocks),
            profile: Self.depthOnly,
            labels: SensorFeed.Labels(sessionId: SafeLabel("t")!, sensorId: SafeLabel("s")!, firmwareVersion: nil), poses: .fixed,
            recording: nil)
        defer { feed.close() }
        var frames = 0
        let count: (FeedEvent) -> Void = { if case .frame = $0 { frames += 1 } }
        let failure = #expect(throws: RunFailure.self) {
            try feed.start(count)
            for _ in 0..<1_000 { _ = try feed.service(count) }
        }
        #expect(failure?.status == .refused)
        #expect(failure?.message?.text.contains("depth has lost the photon timing and is never NLOS evidence") == true)
        #expect(frames == 0)
    }
}
