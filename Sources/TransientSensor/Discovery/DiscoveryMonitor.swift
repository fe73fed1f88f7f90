public import NLOSCore

/// One piece of news about what is attached.
public struct DiscoveryChange: Equatable, Sendable {
    /// The raw value is the word in `probe --watch --json`.
    public enum Kind: String, Sendable {
        /// Was there when the watch began.
        case present
        case added, removed
        case accessChanged = "access_changed"
    }

    public let kind: Kind
    /// As it is now; for `removed`, as it was last seen.
    public let sensor: AttachedSensor
    /// For `added`: a board that keeps coming back like this resets itself in a loop. A bad cable or port, too little
    /// power, or a storage part that the port does not like.
    public let isResetLoop: Bool

    init(_ kind: Kind, _ sensor: AttachedSensor, isResetLoop: Bool = false) {
        self.kind = kind
        self.sensor = sensor
        self.isResetLoop = isResetLoop
    }

    /// What to tell the user besides the change itself; nil when there is nothing to mend.
    public var diagnosis: Message? {
        guard kind != .removed else { return nil }
        guard isResetLoop else { return sensor.diagnosis }
        return Message(
            text: "\(sensor.path): \(sensor.board) came back \(Arrivals.loopCount) times in \(Arrivals.loopSeconds) s: it resets itself",
            next: "try another cable and another port, without a hub in between")
    }
}

/// When boards came, by place.
struct Arrivals {
    static let loopCount = 5
    static let loopSeconds: UInt64 = 10

    private var times: [BusPath: [UInt64]] = [:]

    /// Notes that a board came to this place; true when it has come `loopCount` times in `loopSeconds`.
    mutating func note(_ place: BusPath, nowNs: UInt64) -> Bool {
        let recent = times[place, default: []].suffix(Self.loopCount - 1).filter {
            interval(from: $0, to: nowNs) <= Self.loopSeconds * 1_000_000_000
        }
        times[place] = recent + [nowNs]
        return recent.count + 1 >= Self.loopCount
    }
}

/// Follows boards as they are plugged, unplugged, and change hands.
///
/// Watches first and lists second, so nothing plugged in meanwhile is missed. An event only says that something
/// happened; what happened is found by listing again and comparing. So a second `add` for a board already listed is
/// no news, several events of one plug are one change, and a serial port that appears after its board, or a claim by
/// another program, shows as `access_changed`. A board is known by where it is plugged in, never by a tty's name.
///
/// Belongs to one thread. Where `Discovery.hasUdev` is false it may stay silent whatever is plugged in.
public final class DiscoveryMonitor {
    private let udev: UDev
    private let monitor: UDevMonitor
    private var known: [BusPath: AttachedSensor] = [:]
    private let clocks: Clocks
    private var arrivals = Arrivals()
    /// Found and not yet told.
    private var news: [DiscoveryChange]

    /// Starts to watch. The first changes are `present`, one for each board attached now.
    public init(clocks: Clocks) throws(SensorError) {
        self.clocks = clocks
        udev = try UDev()
        monitor = try udev.monitor(subsystems: ["usb", "tty"])
        let attached = try Discovery.sensors(udev)
        known = Dictionary(uniqueKeysWithValues: attached.map { ($0.busPath, $0) })
        news = attached.map { DiscoveryChange(.present, $0) }
    }

    /// Readable when something may have changed. Call `next` until it gives nil before waiting for it.
    public var descriptor: CInt { monitor.descriptor }

    /// What is attached, as far as it has been looked at.
    public var sensors: [AttachedSensor] { known.values.sorted { $0.busPath < $1.busPath } }

    /// The next change; nil when there is none for now. Never blocks.
    public func next() throws(SensorError) -> DiscoveryChange? {
        if news.isEmpty { try look() }
        return news.isEmpty ? nil : news.removeFirst()
    }

    private func look() throws(SensorError) {
        var happened = false
        // The sysfs folder of a device can outlive its `remove` event by a moment.
        var gone: Set<String> = []
        reading: while true {
            switch monitor.next() {
            case .none: break reading
            case .missed: happened = true
            case .device(let event):
                happened = true
                guard event.deviceType == "usb_device", let number = event.property("DEVNUM") else { continue }
                let device = "\(event.sysName) \(Int(number) ?? 0)"
                if event.action == "remove" { gone.insert(device) } else { gone.remove(device) }
            }
        }
        guard happened else { return }
        let attached = try Discovery.sensors(udev).filter { !gone.contains("\($0.busPath) \($0.deviceNumber)") }
        news = Self.changes(from: known, to: attached).map { change in
            guard change.kind == .added else { return change }
            let isResetLoop = arrivals.note(change.sensor.busPath, nowNs: clocks.monotonicNs())
            return DiscoveryChange(.added, change.sensor, isResetLoop: isResetLoop)
        }
        known = Dictionary(uniqueKeysWithValues: attached.map { ($0.busPath, $0) })
    }

    /// What must be said to someone who knows `known` so that he knows `attached`; removals first.
    static func changes(from known: [BusPath: AttachedSensor], to attached: [AttachedSensor]) -> [DiscoveryChange] {
        let now = Dictionary(uniqueKeysWithValues: attached.map { ($0.busPath, $0) })
        // Another device number in the same place: it was unplugged, or reset itself, between two looks.
        let removed = known.values.filter { now[$0.busPath]?.deviceNumber != $0.deviceNumber }
            .sorted { $0.busPath < $1.busPath }
        let stayedOrCame = attached.compactMap { sensor -> DiscoveryChange? in
            guard let before = known[sensor.busPath], before.deviceNumber == sensor.deviceNumber else {
                return DiscoveryChange(.added, sensor)
            }
            return before.access != sensor.access ? DiscoveryChange(.accessChanged, sensor) : nil
        }
        return removed.map { DiscoveryChange(.removed, $0) } + stayedOrCame
    }
}
