import DepthValidation
import NLOSCore
import TransientSensor

/// A sensor that is open for a validation: what it will be told, and the rate that counts for it.
struct ValidationSensor {
    let opened: OpenedSensor
    let request: StreamRequest
    /// Frames a second that it can really deliver with this setting.
    let attainableHz: Double

    init(opening choice: SensorChoice, clocks: Clocks, interruption: Interruption? = nil) throws(RunFailure) {
        let opened = try choice.open(clocks: clocks, interruption: interruption)
        do throws(RunFailure) {
            guard opened.profile.reportsDepth else { throw Self.withoutDepth(opened) }
            self.init(opened: opened, request: try Self.request(opened, choice, clocks))
        } catch {
            opened.source.close()
            throw error
        }
    }

    init(opened: OpenedSensor, request: StreamRequest) {
        self.opened = opened
        self.request = request
        attainableHz =
            switch request {
            case .vl53l8ch(.configure(let setting)), .vl53l8ch(.declared(let setting)): setting.realisticHz
            case .light where opened.profile.settings == .vl53l8ch: VL53L8CHConfiguration.light.realisticHz
            case .join, .light, .grid, .vl53l8ch(.join): opened.profile.nominalHz
            }
    }

    private static func withoutDepth(_ opened: OpenedSensor) -> RunFailure {
        RunFailure(
            Message(
                text:
                    "\(opened.source.path): \(opened.profile.board): it sends histograms and no distances, so there is no visible depth to validate",
                next: "use a firmware that reports distances, see hardware/"),
            status: .refused, end: .deviceError)
    }

    /// Whatever can be configured gets the light setting. A recording is what it is.
    private static func request(
        _ opened: OpenedSensor, _ choice: SensorChoice, _ clocks: Clocks
    ) throws(RunFailure) -> StreamRequest {
        guard choice.recordedFile != nil else { return .light }
        guard opened.profile.settings == .vl53l8ch else { return .join }
        if let recorded = opened.recordedConfiguration { return .vl53l8ch(.configure(recorded)) }
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
        return .vl53l8ch(
            .declared(VL53L8CHConfiguration(grid: grid, rateHz: grid.ratesHz.upperBound, startBin: 0, bins: shape.bins, subsample: 1)))
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

    /// Whether the board is told a setting, or to start, before frames are due.
    var isConfigured: Bool {
        switch request {
        case .light, .vl53l8ch(.configure): true
        case .join, .grid, .vl53l8ch(.join), .vl53l8ch(.declared): false
        }
    }

    /// The setting in words, as in `4x4 zones, 8 bins, 30 Hz`.
    var setting: String {
        switch request {
        case .vl53l8ch(.configure(let setting)): Self.words(setting)
        case .vl53l8ch(.declared(let setting)): "\(setting.grid.zoneGrid) zones, \(setting.bins) bins"
        case .light where opened.profile.settings == .vl53l8ch: Self.words(.light)
        case .join, .light, .grid, .vl53l8ch(.join): ""
        }
    }

    private static func words(_ setting: VL53L8CHConfiguration) -> String {
        "\(setting.grid.zoneGrid) zones, \(setting.bins) bins, \(setting.rateHz) Hz"
    }

    /// What the validator has to know; nil for a rate that no run could be measured against.
    func setup(_ plan: PhasePlan) -> ValidationSetup? {
        let profile = opened.profile
        return ValidationSetup(
            view: SensorView(fieldOfView: profile.fieldOfView, geometry: profile.distanceGeometry), attainableHz: attainableHz, plan: plan)
    }
}
