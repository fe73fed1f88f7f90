import DepthValidation
import NLOSCore

/// Plays a sensor and a clock to a run, as the command does: frames when they come, a tick every 100 ms.
struct Drive {
    static let openedNs: UInt64 = 7_000_000_000_000
    static let bootOffsetNs: UInt64 = 3_600_000_000_000

    var run: ValidationRun
    var random = SplitMix64(11)
    private(set) var nowNs = openedNs
    private(set) var sentFrames = 0
    /// What the boot clock has gained since opening.
    var suspendedNs: UInt64 = 0
    private var nextTickNs = openedNs + 100_000_000

    init(
        view: SensorView = SensorView(fieldOfView: FieldOfView(degreesX: 45, degreesY: 45), geometry: .alongAxis),
        attainableHz: Double = 15,
        plan: PhasePlan = .standard
    ) {
        run = ValidationRun(
            setup: ValidationSetup(view: view, attainableHz: attainableHz, plan: plan)!, openedNs: Self.openedNs,
            bootNs: Self.openedNs + Self.bootOffsetNs)
    }

    /// Seconds since opening.
    var seconds: Double { Double(nowNs - Self.openedNs) / 1e9 }
    var outcome: ValidationOutcome? { run.result?.outcome }
    var failure: ValidationFailure? {
        if case .failed(let verdict) = outcome { verdict.failure } else { nil }
    }
    var verdict: Verdict? {
        if case .failed(let verdict) = outcome { verdict } else { nil }
    }

    /// Lets time pass, with ticks and without frames.
    mutating func wait(untilNs: UInt64) {
        while nextTickNs <= untilNs {
            nowNs = nextTickNs
            tick()
            nextTickNs += 100_000_000
        }
        nowNs = max(nowNs, untilNs)
    }

    mutating func wait(milliseconds: Double) { wait(untilNs: nowNs + UInt64(milliseconds * 1e6)) }

    mutating func tick() {
        run.tick(monotonicNs: nowNs, bootNs: nowNs + Self.bootOffsetNs + suspendedNs)
    }

    mutating func send(_ frame: DepthFrame) {
        run.take(frame)
        sentFrames += 1
    }

    /// Sends a frame now.
    mutating func send(
        _ readings: [Int64], grid: ZoneGrid, ambient: [Int64]? = nil, confidence: [Int64]? = nil, status: [UInt8]? = nil,
        repeats: Bool = false
    ) {
        send(
            DepthFrame(
                monotonicNs: nowNs, sequence: UInt64(sentFrames), grid: grid, reportedMm: readings, ambient: ambient,
                confidence: confidence, targetStatus: status, repeatsPrevious: repeats)!)
    }

    /// A frame every 1/`hz` s until the run is over or that many seconds have passed, the first one now.
    mutating func play(
        seconds: Double = 60, hz: Double = 15, _ frame: (_ time: Double, _ index: Int, _ drive: inout Drive) -> Void
    ) {
        let startNs = nowNs
        var index = 0
        while run.result == nil, Double(index) / hz < seconds {
            wait(untilNs: startNs + UInt64((Double(index) * 1e9 / hz).rounded()))
            guard run.result == nil else { return }
            frame(Double(index) / hz, index, &self)
            index += 1
        }
    }

    /// Shows it one wall until the run is over.
    mutating func play(
        _ wall: SyntheticWall, seconds: Double = 60, hz: Double = 15, ambient: Int64? = nil,
        change: (inout [Int64], _ time: Double, _ index: Int) -> Void = { _, _, _ in }
    ) {
        play(seconds: seconds, hz: hz) { time, index, drive in
            var readings = wall.readings(&drive.random)
            change(&readings, time, index)
            drive.send(readings, grid: wall.grid, ambient: ambient.map { Array(repeating: $0, count: wall.grid.zones) })
        }
    }
}

extension ValidationResult {
    func phase(_ phase: Phase) -> PhaseSummary? { phases.first { $0.phase == phase } }
    func row(_ figure: String, _ phase: Phase? = .calibration) -> SummaryRow? { rows.first { $0.figure == figure && $0.phase == phase } }
}
