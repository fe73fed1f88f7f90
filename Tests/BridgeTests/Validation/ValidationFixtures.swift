import NLOSCore
import TransientSensor

@testable import DepthValidation
@testable import bridge

extension LiveState {
    /// A calm moment of a calibration, and what a test wants to be different.
    static func test(
        _ stage: Stage = .phase(.calibration), secondsLeft: Double = 9.2, progress: Double = 0.4, fps: Double? = 29.96,
        coverage: Double = 1, distanceMm: Double? = 1_204, tilt: Double = 2.44, noise: Double? = 1.52, movement: Double? = 0.004,
        tracking: TrackingState = .normal, thermal: ThermalState = .nominal, grid: ZoneGrid? = ZoneGrid(width: 4, height: 4),
        advice: Advice = .phase(.calibration), isShortened: Bool = false
    ) -> LiveState {
        let wall = distanceMm.map {
            WallFit(distanceMm: $0, slopeX: 0.04, slopeY: 0, tiltDegrees: tilt, residualMm: 2, zones: 16, outliers: 0)
        }
        let zones = grid?.zones ?? 0
        let distances = (0..<zones).map { zone -> UInt16? in zone % 7 == 3 ? nil : UInt16(1_150 + 12 * zone) }
        return LiveState(
            stage: stage, secondsLeft: secondsLeft, progress: progress, framesPerSecond: fps, attainableHz: 30, coverage: coverage,
            wall: wall, stabilityMm: noise, stabilityLimitMm: distanceMm.map { Thresholds.noiseMm(at: $0) }, movementMps: movement,
            tracking: tracking, thermal: thermal, grid: grid, distancesMm: distances, advice: advice, isShortened: isShortened)
    }

    static let waiting = LiveState.test(
        .waiting, secondsLeft: 15, progress: 0, fps: nil, coverage: 0, distanceMm: nil, noise: nil, movement: nil, tracking: .unavailable,
        thermal: .unknown, grid: nil, advice: .waiting)
    static let tooFast = LiveState.test(
        .phase(.wallScan), secondsLeft: 21.01, progress: 0.3, fps: 14.9, coverage: 0.859, noise: nil, movement: 0.412,
        tracking: .limitedExcessiveMotion, grid: ZoneGrid(width: 8, height: 8), advice: .tooFast(0.412))
    static let noWall = LiveState.test(
        coverage: 0.3, distanceMm: nil, noise: nil, movement: nil, tracking: .limitedLowCoverage, thermal: .serious,
        advice: .lowCoverage(0.3))
    static let over = LiveState.test(.over, secondsLeft: 0, progress: 1)
}

extension ValidationSubject {
    static func test(_ origin: FrameSource = .live, shortened: Bool = false) -> ValidationSubject {
        ValidationSubject(
            path: origin == .live ? "usb:1-4.2" : "sim:matte-wall", origin: origin,
            plan: shortened ? .shortened(calibrationSeconds: 3, wallScanSeconds: 5)! : .standard, setting: "4x4 zones, 8 bins, 30 Hz")
    }
}
