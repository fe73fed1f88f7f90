import DepthValidation
import NLOSCore
import TransientSensor

@testable import bridge

/// A whole validation of a simulated board in the board's own time: 45 seconds pass as fast as they are drained.
struct VirtualRun {
    var scene = SimulatedScene.matteWall
    var faults: [String] = []
    var plan = PhasePlan.standard

    /// What came of it, and the lines that were shown.
    func run() throws -> (end: ValidationLoop.End, lines: [String]) {
        let source = try SimulatedSource(scene: scene, faults: FaultSwitches(faults), pace: .unlimited, clocks: .system)
        // Frames that are given number by number have their shape, whatever is asked; the board prints them at its default rate.
        let request: StreamRequest =
            scene.name == "recorded"
            ? .vl53l8ch(.declared(VL53L8CHConfiguration(rateHz: 15, startBin: 0, bins: 8, subsample: 16))) : .light
        return try Self.run(ValidationSensor(opened: OpenedSensor(source: source, profile: .nucleoVL53L8CH), request: request), plan)
    }

    static func run(
        _ sensor: ValidationSensor, _ plan: PhasePlan = .standard, clocks: Clocks = .system
    ) throws -> (end: ValidationLoop.End, lines: [String]) {
        var lines: [String] = []
        let source = sensor.opened.source
        let subject = ValidationSubject(path: source.path, origin: source.origin, plan: plan, setting: sensor.setting)
        var loop = ValidationLoop(
            stream: SensorStream(source: source, session: sensor.opened.session(sensor.request), clocks: clocks),
            isConfigured: sensor.isConfigured, setup: sensor.setup(plan)!, signals: try SignalInbox(), clocks: clocks,
            host: HostFacts(root: "/nowhere"), display: ValidationDisplay(subject: subject) { lines.append($0) })
        let end = loop()
        return (end, lines)
    }
}

extension SimulatedScene {
    /// What 16 zones see, frame by frame at nearly 15 Hz. `distances` and `ambient` are asked for the frame's number and the zone.
    static func sixteenZones(
        frames: Int = 750, ambient: (Int) -> Int64 = { _ in 2_400 }, distances: (Int, Int) -> Int64
    ) -> SimulatedScene {
        .recorded(
            (0..<frames).map { frame in
                FirmwareFrame(
                    bins: 8, ambient: (0..<16).map { _ in ambient(frame) }, distanceMm: (0..<16).map { distances(frame, $0) },
                    // No two frames are the same, as with real noise.
                    histogram: (0..<128).map { Int64(($0 * 31 + frame * 17) % 997) }, arrival: Arrival(monotonicNs: 0, unixMs: 0))
            })
    }

    /// A still wall with a millimetre of noise.
    static func wall(atMm distance: Int64, _ change: (Int, Int) -> Int64? = { _, _ in nil }) -> SimulatedScene {
        .sixteenZones { frame, zone in change(frame, zone) ?? distance + Int64((frame * 7 + zone * 13) % 5) - 2 }
    }
}

extension ValidationLoop.End {
    var verdict: ValidationFailure? { if case .failed(let verdict) = result.outcome { verdict.failure } else { nil } }
    var sentence: String { result.outcome.publicReason?.text ?? "" }
    /// The diagnostic that would be made of it.
    func diagnostic(_ origin: FrameSource = .synthetic) throws -> String {
        let diagnostic = VisibleDepthDiagnostic(
            session: RunIdentifier(), createdAtUnixMs: 1_796_022_000_000, sensorModel: SensorProfile.nucleoVL53L8CH.sensorModel,
            source: origin, system: HostFacts().system, bridgeVersion: Program.version, capabilities: .init(histogram: .compactNormalized),
            permission: .granted, consent: .init(localValidation: true, diagnosticExport: false),
            outcome: ValidationEnd.ran(self).outcome(reportsDepth: true))
        return String(decoding: try diagnostic.encoded(), as: UTF8.self)
    }
}
