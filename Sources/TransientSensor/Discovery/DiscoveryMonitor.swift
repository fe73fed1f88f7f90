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
}

/// Follows boards as they are plugged, unplugged, and change hands.
///
/// Watches first and lists second, so nothing plugged in meanwhile is missed. An event only says that something
/// happened; what happened is found by listing again and comparing. So a second `add` for a board already listed is
/// no news, several events of one plug are one change, and a serial port that appears after its board, or a claim by
/// another program, shows as `access_changed`. A board is known by where it is plugged in, never by a tty's name.
///
/// Belongs to one thread.
public final class DiscoveryMonitor {
    private let udev: UDev
    private let monitor: UDevMonitor
    private var known: [BusPath: AttachedSensor] = [:]
    /// Found and not yet told.
    private var news: [DiscoveryChange]

    /// Starts to watch. The first changes are `present`, one for each board attached now.
    public init() throws(SensorError) {
        udev = try UDev()
        monitor = try udev.monitor(subsystems: ["usb", "tty"])
        let attached = try Discovery.sensors(udev)
        known = Dictionary(uniqueKeysWithValues: attached.map { ($0.busPath, $0) })
        news = attached.map { DiscoveryChange(kind: .present, sensor: $0) }
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
        while let event = monitor.next() {
            happened = true
            guard event.deviceType == "usb_device", let number = event.property("DEVNUM") else { continue }
            let device = "\(event.sysName) \(Int(number) ?? 0)"
            if event.action == "remove" { gone.insert(device) } else { gone.remove(device) }
        }
        guard happened else { return }
        let attached = try Discovery.sensors(udev).filter { !gone.contains("\($0.busPath) \($0.deviceNumber)") }
        news = Self.changes(from: known, to: attached)
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
                return DiscoveryChange(kind: .added, sensor: sensor)
            }
            return before.access != sensor.access ? DiscoveryChange(kind: .accessChanged, sensor: sensor) : nil
        }
        return removed.map { DiscoveryChange(kind: .removed, sensor: $0) } + stayedOrCame
    }
}
