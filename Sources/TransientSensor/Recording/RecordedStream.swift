/// Which of the conversations in a USB capture is the sensor's.
struct RecordedStream: Equatable {
    struct Device: Hashable {
        let bus: UInt16
        let address: UInt8
    }

    let device: Device
    /// The bulk IN endpoint that the sensor's bytes came from.
    let endpoint: UInt8
    /// The device descriptor's ids, where the capture has them.
    let ids: USBIDs?

    /// Reads the capture to its end, or to where it makes no sense, or until a board has said so much that it must be the one, and chooses.
    ///
    /// Devices whose descriptor says that `isBoard` come before all others; of one device, the bulk IN endpoint that sent most is taken (a debug
    /// probe's own endpoint says little). Throws `badRecording` when nothing came in, or when two devices have equal claims.
    init(choosingFrom capture: PcapReader, file: String, isBoard: (USBIDs) -> Bool) throws(SensorError) {
        var survey = Survey()
        while let event = try survey.next(of: capture) {
            let device = Device(bus: event.record.bus, address: event.record.address)
            let sent = try survey.add(event, of: device, file: file)
            if sent >= Survey.enough, let ids = survey.ids[device], isBoard(ids) { break }
        }
        let ids = survey.ids
        let talkers = survey.bytes.filter { $0.value.values.contains { $0 > 0 } }
        let boards = talkers.filter { ids[$0.key].map(isBoard) ?? false }
        let candidates = (boards.isEmpty ? talkers : boards).map { device, endpoints in
            // Of equal endpoints the lowest, so that the choice is the same every time.
            (device: device, best: endpoints.max { ($0.value, $1.key) < ($1.value, $0.key) }!)
        }
        guard let chosen = candidates.max(by: { $0.best.value < $1.best.value }) else {
            throw .badRecording(file: file, why: "no device sends anything in it")
        }
        let rivals = boards.isEmpty ? candidates.filter { $0.best.value == chosen.best.value } : candidates
        guard rivals.count == 1 else {
            let names = rivals.prefix(4).map { "bus \($0.device.bus) device \($0.device.address)" }.sorted().joined(separator: ", ")
            throw .badRecording(file: file, why: "it holds more than one device that could be the sensor: \(names)")
        }
        device = chosen.device
        endpoint = chosen.best.key
        self.ids = ids[chosen.device]
    }
}

/// Who says how much in a capture.
private struct Survey {
    /// Bulk IN bytes by device and endpoint.
    var bytes: [RecordedStream.Device: [UInt8: UInt64]] = [:]
    var ids: [RecordedStream.Device: USBIDs] = [:]

    /// Devices that a capture may hold; a bus has at most 127.
    private static let mostDevices = 1024
    /// Bytes after which a board needs no comparing: a long recording is not read twice in full.
    static let enough: UInt64 = 16 << 20

    /// Nil at the end, and at damage when there is something before it: that is played, and the damage said when it is reached.
    func next(of capture: PcapReader) throws(SensorError) -> PcapReader.Event? {
        do throws(SensorError) {
            return try capture.next()
        } catch {
            guard !bytes.isEmpty else { throw error }
            return nil
        }
    }

    /// Returns how many bytes the event's endpoint has sent so far; 0 where it is none that sends any.
    mutating func add(
        _ event: PcapReader.Event, of device: RecordedStream.Device, file: String
    ) throws(SensorError) -> UInt64 {
        guard event.record.event == .completion, event.record.goesToHost else { return 0 }
        var sent: UInt64 = 0
        switch event.record.transfer {
        case .bulk:
            sent = bytes[device]?[event.record.endpoint] ?? 0
            sent += UInt64(event.bytes.count)
            bytes[device, default: [:]][event.record.endpoint] = sent
        case .control: if let found = USBIDs(deviceDescriptor: event.bytes) { ids[device] = found }
        case .interrupt, .isochronous: break
        }
        guard max(bytes.count, ids.count) <= Self.mostDevices else {
            throw .badRecording(file: file, why: "it holds more than \(Self.mostDevices) devices")
        }
        return sent
    }
}
