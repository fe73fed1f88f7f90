import NLOSCore
import TransientSensor

/// The one sensor a command line names, not opened yet.
struct SensorChoice {
    enum Place {
        case attached(SensorSelector?)
        case port(String)
        case simulated(String)
        case recording(String)
    }

    let place: Place
    let profile: SensorProfile?
    /// The one profile that takes the settings on the command line, where only one does: what a port is taken for of which nothing else tells.
    let implied: SensorProfile?
    /// Which of a board's serial ports, from 0.
    let vcp: Int

    init(_ arguments: ParsedArguments) throws(UsageError) {
        try arguments.atMostOne(of: ["--sensor", "--port"])
        profile = try Self.profile(arguments)
        implied = SensorOptions.implied(by: arguments)
        vcp = try arguments.int("--vcp", in: 1...4).map { $0 - 1 } ?? 0
        if let port = arguments.string("--port") {
            place = .port(port)
        } else if let text = arguments.string("--sensor") {
            switch SensorSelector(text) {
            case .simulated(let name): place = .simulated(name)
            case .replay(let file): place = .recording(file)
            case let selector?: place = .attached(selector)
            case nil:
                throw UsageError("'--sensor' takes usb:BUS-PORTS, a serial number, sim:NAME or replay:FILE, not '\(escaped(text.utf8))'")
            }
        } else {
            place = .attached(nil)
        }
    }
}

extension SensorChoice {
    /// The file of a recording; nil for everything else.
    var recordedFile: String? { if case .recording(let file) = place { file } else { nil } }

    /// The recording that `replay` plays.
    init(recording file: String, _ arguments: ParsedArguments) throws(UsageError) {
        place = .recording(file)
        profile = try Self.profile(arguments)
        implied = SensorOptions.implied(by: arguments)
        vcp = 0
    }

    /// What the choice comes to without opening anything. For attached boards: all of them when none is named.
    func list() throws(SensorError) -> [ProbedSensor] {
        switch place {
        case .attached(let selector):
            let listing = try Discovery.list()
            if listing.withoutUdev {
                say(Message(text: "no udev runs here: serial numbers, drivers and ports may be missing from the list"))
            }
            guard let selector else { return listing.sensors.map { ProbedSensor($0) } }
            return [ProbedSensor(try selector.pick(from: listing.sensors))]
        case .port(let path):
            let facts = try PortFacts(asking: path)
            return [.port(facts, profile ?? Self.profile(ofPort: facts.node) ?? implied)]
        case .simulated(let name):
            _ = try Self.scene(name)
            return [.other("sim:\(name)", board: "simulated board", profile ?? .nucleoVL53L8CH, .synthetic)]
        case .recording(let file):
            guard FileIdentity.exists(file) else { throw .badRecording(file: file, why: "there is no such file") }
            return [.other("replay:\(file)", board: "recording", profile ?? .nucleoVL53L8CH, .replay)]
        }
    }

    /// The profile, as far as it can be told before anything is opened or played; nil where the stream itself has to tell.
    var foreseenProfile: SensorProfile? {
        if let profile { return profile }
        switch place {
        case .port(let path): return Self.profile(ofPort: path) ?? implied
        case .recording: return implied
        case .simulated: return .nucleoVL53L8CH
        case .attached(let selector):
            guard let sensors = try? Discovery.list().sensors else { return .nucleoVL53L8CH }
            let sensor = if let selector { try? selector.pick(from: sensors) } else { try? SensorSelector.pickOnly(from: sensors) }
            return if let sensor { sensor.sensorProfile ?? implied } else { .nucleoVL53L8CH }
        }
    }

    /// What the command line wants of the stream of the board that was found.
    func request(_ arguments: ParsedArguments, for profile: SensorProfile) throws(RunFailure) -> StreamRequest? {
        do throws(UsageError) {
            return try SensorOptions.request(arguments, for: profile)
        } catch {
            throw RunFailure(error)
        }
    }

    static func scene(_ name: String) throws(SensorError) -> SimulatedScene {
        do throws(UnknownScene) {
            return try SimulatedScene.named(name)
        } catch {
            throw .notFound(selector: "sim:\(name)")
        }
    }

    static func profile(_ arguments: ParsedArguments, of command: String = "capture") throws(UsageError) -> SensorProfile? {
        guard let name = arguments.string("--profile") else { return nil }
        guard let known = SensorProfile.named(name) else {
            throw unknown(name, among: SensorProfile.all.map(\.name), what: "profile", see: "nlos-bridge \(command) --help")
        }
        return known
    }
}
