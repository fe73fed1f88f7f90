import NLOSCore
import TransientSensor

extension SensorChoice {
    /// Opens the sensor. `path` narrows a choice of several attached boards to the one at that place; `fast` is for a recording;
    /// `fromReset` is for a simulated board, which then says what it is and runs its default for certain.
    ///
    /// A port of which nothing tells its firmware is listened to, which takes seconds and `interruption` ends.
    func open(
        path: String? = nil, clocks: Clocks, fast: Bool = false, fromReset: Bool = false, interruption: Interruption? = nil
    ) throws(RunFailure) -> OpenedSensor {
        switch place {
        case .attached(let selector):
            let sensor = try device { () throws(SensorError) in try attached(selector, at: path) }
            // One that nobody has named may be anything, and is not made to start anew.
            return try openAttached(sensor, Hearing(clocks: clocks, interruption: interruption, mayReset: selector != nil))
        case .port(let path): return try openPort(path, Hearing(clocks: clocks, interruption: interruption, mayReset: true))
        case .simulated(let name):
            let profile = profile ?? .nucleoVL53L8CH
            let source = try device { () throws(SensorError) in
                try SimulatedSource(profile, scene: Self.scene(name), joining: fromReset ? .atReset : .midStream, clocks: clocks)
            }
            return OpenedSensor(source: source, profile: profile)
        case .recording(let file): return try device { () throws(SensorError) in try openRecording(file, fast: fast, clocks) }
        }
    }

    private func attached(_ selector: SensorSelector?, at path: String?) throws(SensorError) -> AttachedSensor {
        let sensors = try Discovery.list().sensors.filter { path == nil || $0.path == path }
        if let selector { return try selector.pick(from: sensors) }
        // What `probe` has found is looked at, whatever it is; what is to be run must be known or named.
        if path != nil, let found = sensors.first { return found }
        return try SensorSelector.pickOnly(from: sensors)
    }

    private func openAttached(_ sensor: AttachedSensor, _ hearing: Hearing) throws(RunFailure) -> OpenedSensor {
        switch sensor.access {
        case .ready, .busy: break
        case .denied: throw RunFailure(.denied(path: sensor.path, node: sensor.node))
        case .noSerialInterface: throw RunFailure(.noSerialInterface(path: sensor.path))
        }
        let open: Hearing.Opening = { (profile, lines) throws(SensorError) in
            try USBLink(
                opening: sensor, coding: profile.lineCoding, modemLines: lines, takesAnyRate: profile.takesAnyRate, vcp: vcp,
                clocks: hearing.clocks)
        }
        guard let profile = profile ?? sensor.sensorProfile ?? implied else { return try hearing(sensor.path, open) }
        return try opened(profile, open)
    }

    private func openPort(_ path: String, _ hearing: Hearing) throws(RunFailure) -> OpenedSensor {
        let open: Hearing.Opening = { (profile, lines) throws(SensorError) in
            try TTYLink(path: path, coding: profile.lineCoding, modemLines: lines, clocks: hearing.clocks)
        }
        guard let profile = profile ?? Self.profile(ofPort: path) ?? implied else { return try hearing("tty:\(path)", open) }
        return try opened(profile, open)
    }

    private func opened(_ profile: SensorProfile, _ open: Hearing.Opening) throws(RunFailure) -> OpenedSensor {
        let source = try device { () throws(SensorError) in try open(profile, profile.modemLines) }
        return OpenedSensor(source: source, profile: profile)
    }

    /// The profile of the board whose serial port this is, where its USB ids tell.
    static func profile(ofPort path: String) -> SensorProfile? {
        guard let facts = try? PortFacts(asking: path), !facts.isPseudoTerminal, let sensors = try? Discovery.list().sensors else {
            return nil
        }
        return sensors.first { $0.ttyNodes.contains(facts.node) }?.sensorProfile
    }

    private func openRecording(_ file: String, fast: Bool, _ clocks: Clocks) throws(SensorError) -> OpenedSensor {
        let profile = if let profile = profile ?? implied { profile } else { try Self.profile(ofRecording: file, clocks) }
        let replay = try PcapReplay(file: file, pace: fast ? .fast : .recorded, clocks: clocks, isBoard: Self.isBoard)
        guard profile.settings == .vl53l8ch else { return OpenedSensor(source: replay, profile: profile) }
        let sent = try PcapReplay.firstSent(VL53L8CHConfiguration.packetBytes, in: file, clocks: clocks, isBoard: Self.isBoard)
        return OpenedSensor(
            source: replay, profile: profile, recordedConfiguration: sent.flatMap(VL53L8CHConfiguration.init(packet:)), recordedPacket: sent
        )
    }

    /// By the ids in the recording, or by what its sensor says first; the first profile there is where neither tells.
    private static func profile(ofRecording file: String, _ clocks: Clocks) throws(SensorError) -> SensorProfile {
        let look = try PcapReplay(file: file, pace: .fast, clocks: clocks, isBoard: isBoard)
        defer { look.close() }
        if let ids = look.ids, let known = KnownBoard.find(vendorId: ids.vendorId, productId: ids.productId)?.profile { return known }
        var recognizer = FirmwareRecognizer(at: SensorProfile.nucleoVL53L8CH.lineCoding)
        var profile: SensorProfile?
        var bytes = 0
        var drained = Drained.more
        while profile == nil, bytes < 1 << 20, drained != .finished {
            drained = try look.drain { chunk, _ in
                bytes += chunk.count
                profile = profile ?? recognizer.hear(chunk)
            }
        }
        return profile ?? .nucleoVL53L8CH
    }

    private static func isBoard(_ ids: USBIDs) -> Bool {
        KnownBoard.find(vendorId: ids.vendorId, productId: ids.productId)?.profile != nil
    }

    private func device<Opened>(_ body: () throws(SensorError) -> Opened) throws(RunFailure) -> Opened {
        do throws(SensorError) {
            return try body()
        } catch {
            throw RunFailure(error)
        }
    }
}
