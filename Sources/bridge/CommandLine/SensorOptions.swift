import NLOSCore
import TransientSensor

/// Options that say which sensor, and how its stream is to be.
enum SensorOptions {
    static let choice: [Option] = [
        .value(
            "--sensor", "NAME", needs: "a sensor, as in --sensor usb:1-4.2 or --sensor sim:matte-wall",
            "usb:BUS-PORTS, a serial number or its beginning, sim:NAME (\(SimulatedScene.all.map(\.name).joined(separator: ", "))), or replay:FILE; "
                + "the one attached board when left out"),
        .value(
            "--port", "PATH", needs: "a serial port, as in --port /dev/ttyUSB0",
            "read a tty instead; what a pseudo-terminal says is labelled synthetic"),
        .value(
            "--profile", "NAME", needs: "a board profile, as in --profile \(SensorProfile.nucleoVL53L8CH.name)",
            "which board and firmware speaks there: \(SensorProfile.all.map(\.name).joined(separator: ", "))"),
        .value(
            "--vcp", "N", needs: "a number, as in --vcp 2",
            "which serial port of a board that has two (default 1, the target's)"),
    ]

    /// What no row of the stream says: how its bins lie.
    static let stated: [Option] = [
        .value("--zones", "GRID", needs: "a grid, as in --zones 8x8", "4x4 or 8x8, and 3x3 for boards that have it"),
        .value("--bins", "N", needs: "a number of bins, as in --bins 48", "histogram bins a zone, 8 to 128"),
        .value("--start-bin", "N", needs: "a physical bin, as in --start-bin 30", "first physical bin"),
        .value("--subsample", "N", needs: "a factor, as in --subsample 2", "physical bins in one emitted bin, 1 to 16"),
    ]

    static let settings: [Option] =
        stated + [
            .value("--rate", "HZ", needs: "a value in hertz, as in --rate 15", "frames a second"),
            .value("--integration-ms", "N", needs: "a value in milliseconds, as in --integration-ms 10", "integration time"),
            .flag(
                "--no-configure",
                "send nothing: the settings state what the board already runs (give --zones, --bins, --start-bin and --subsample)"),
        ]

    /// Whether the stream is to be left as it is.
    static func areAbsent(_ arguments: ParsedArguments) -> Bool { !settings.contains { arguments.has($0.name) } }

    /// Only one firmware takes all settings; grids are taken by others too.
    static func implied(by arguments: ParsedArguments) -> SensorProfile? {
        settings.contains { $0.name != "--zones" && arguments.has($0.name) } ? .nucleoVL53L8CH : nil
    }

    /// How to treat the stream of this board: configure it, take the user's word for it, or (nil) leave it as it is.
    static func request(_ arguments: ParsedArguments, for profile: SensorProfile) throws(UsageError) -> StreamRequest? {
        switch profile.settings {
        case .vl53l8ch: return try mode(arguments).map { .vl53l8ch($0) }
        case .grids(let sides):
            try refuseAll(arguments, but: "--zones", of: profile)
            guard let grid = arguments.string("--zones") else { return nil }
            guard let side = sides.first(where: { grid == "\($0)x\($0)" }) else {
                let names = sides.map { "\($0)x\($0)" }.joined(separator: ", ")
                throw UsageError("'--zones' of \(profile.name) takes \(names), not '\(escaped(grid.utf8))'")
            }
            return .grid(side: side)
        case .none:
            try refuseAll(arguments, but: nil, of: profile)
            return nil
        }
    }

    private static func refuseAll(_ arguments: ParsedArguments, but allowed: String?, of profile: SensorProfile) throws(UsageError) {
        guard let foreign = settings.map(\.name).first(where: { $0 != allowed && arguments.has($0) }) else { return }
        throw UsageError("\(profile.name) takes no '\(foreign)': its firmware streams what it streams")
    }

    private static func mode(_ arguments: ParsedArguments) throws(UsageError) -> VL53L8CHSession.Mode? {
        let given = settings.map(\.name).filter { $0 != "--no-configure" && arguments.has($0) }
        if given.isEmpty {
            if arguments.has("--no-configure") {
                throw UsageError("'--no-configure' needs --zones, --bins, --start-bin and --subsample to say what the board runs")
            }
            return nil
        }
        let asked = try configuration(arguments)
        guard arguments.has("--no-configure") else {
            do {
                try asked.validate()
            } catch {
                throw UsageError("impossible settings: \(error.message.text)", next: error.message.next)
            }
            return .configure(asked)
        }
        return try declared(asked, arguments, by: "--no-configure")
    }

    /// What a recording's stream was, where the user says so; its shape is learned otherwise.
    static func stated(_ arguments: ParsedArguments, for profile: SensorProfile) throws(UsageError) -> StreamRequest? {
        guard let first = stated.first(where: { arguments.has($0.name) }) else { return nil }
        guard profile.settings == .vl53l8ch else {
            throw UsageError("a recording of \(profile.name) tells its own grid and takes no '\(first.name)'")
        }
        return .vl53l8ch(try declared(configuration(arguments), arguments, by: first.name))
    }

    private static func declared(
        _ asked: VL53L8CHConfiguration, _ arguments: ParsedArguments, by name: String
    ) throws(UsageError) -> VL53L8CHSession.Mode {
        if let missing = stated.first(where: { !arguments.has($0.name) }) {
            throw UsageError("'\(name)' needs '\(missing.name)' too: nothing in the stream says it")
        }
        return .declared(asked)
    }

    private static func configuration(_ arguments: ParsedArguments) throws(UsageError) -> VL53L8CHConfiguration {
        var asked = VL53L8CHConfiguration.reference
        if let zones = arguments.string("--zones") {
            switch zones {
            case "4x4": asked.grid = .zones4x4
            case "8x8": asked.grid = .zones8x8
            default: throw UsageError("'--zones' takes 4x4 or 8x8, not '\(escaped(zones.utf8))'")
            }
        }
        // What a number may be is the sensor's matter and checked with all others; here it only has to be one.
        let number = 0...65_535
        if let bins = try arguments.int("--bins", in: number) { asked.bins = bins }
        if let start = try arguments.int("--start-bin", in: number) { asked.startBin = start }
        if let subsample = try arguments.int("--subsample", in: number) { asked.subsample = subsample }
        if let rate = try arguments.int("--rate", in: number) { asked.rateHz = rate }
        if let milliseconds = try arguments.int("--integration-ms", in: number) { asked.integrationMs = milliseconds }
        return asked
    }
}
