import DepthValidation
import NLOSCore
import TransientSensor

/// A sensor that is open for a validation: what it will be told, and the rate that counts for it.
struct ValidationSensor {
    let opened: OpenedSensor
    let mode: VL53L8CHSession.Mode
    /// Frames a second that it can really deliver with this setting.
    let attainableHz: Double

    /// 4x4 zones and few bins, so that neither the line nor the chip's bus holds the frames back: at 30 Hz both have room.
    static let lightSetting = VL53L8CHConfiguration(grid: .zones4x4, rateHz: 30, startBin: 0, bins: 8, subsample: 16)

    init(opening choice: SensorChoice, clocks: Clocks) throws(RunFailure) {
        let opened = try choice.open(clocks: clocks)
        do throws(RunFailure) {
            let mode = try Self.mode(opened, choice, clocks)
            self.init(opened: opened, mode: mode)
        } catch {
            opened.source.close()
            throw error
        }
    }

    init(opened: OpenedSensor, mode: VL53L8CHSession.Mode) {
        self.opened = opened
        self.mode = mode
        attainableHz =
            switch mode {
            case .configure(let setting), .declared(let setting): setting.realisticHz
            case .join: VL53L8CHConfiguration.firmwareDefault.realisticHz
            }
    }

    /// Whatever can be configured gets the light setting. A recording is what it is.
    private static func mode(
        _ opened: OpenedSensor, _ choice: SensorChoice, _ clocks: Clocks
    ) throws(RunFailure) -> VL53L8CHSession.Mode {
        guard choice.recordedFile != nil else { return .configure(lightSetting) }
        if let recorded = opened.recordedConfiguration { return .configure(recorded) }
        guard opened.recordedPacket == nil else {
            throw RunFailure(
                Message(
                    text: "\(opened.source.path): the board was configured so that zones are merged or left out; then distances do not "
                        + "belong to their zones, and no wall can be judged by them",
                    next: "record it anew with one aggregate a zone, as nlos-bridge capture --record does"),
                status: .refused, end: .deviceError)
        }
        guard let shape = try shape(choice, clocks) else { return .join }
        guard let grid = VL53L8CHConfiguration.Grid(rawValue: shape.zones) else {
            throw RunFailure(.unsupportedShape(path: opened.source.path, shape: shape))
        }
        // Nobody knows what rate was asked for; the most that the sensor could have delivered is what it is measured against.
        return .declared(
            VL53L8CHConfiguration(grid: grid, rateHz: grid.ratesHz.upperBound, startBin: 0, bins: shape.bins, subsample: 1))
    }

    /// The shape that the recording's first frames have; nil when it has none.
    private static func shape(_ choice: SensorChoice, _ clocks: Clocks) throws(RunFailure) -> FrameShape? {
        let look = try choice.open(clocks: clocks, fast: true)
        let stream = SensorStream(source: look.source, session: look.session(.join), clocks: clocks)
        defer { stream.close() }
        do throws(SensorError) {
            try stream.start { _ in }
            while stream.session.shape == nil, try stream.service({ _ in }) != .finished {}
            return stream.session.shape
        } catch {
            throw RunFailure(error)
        }
    }

    /// The setting in words, as in `4x4 zones, 8 bins, 30 Hz`.
    var setting: String {
        switch mode {
        case .configure(let setting): "\(setting.grid.zoneGrid) zones, \(setting.bins) bins, \(setting.rateHz) Hz"
        case .declared(let setting): "\(setting.grid.zoneGrid) zones, \(setting.bins) bins"
        case .join: ""
        }
    }

    /// What the validator has to know; nil for a rate that no run could be measured against.
    func setup(_ plan: PhasePlan) -> ValidationSetup? {
        let profile = opened.profile
        return ValidationSetup(
            view: SensorView(fieldOfView: profile.fieldOfView, geometry: profile.distanceGeometry), attainableHz: attainableHz, plan: plan)
    }
}
