/// A moment in the life of a board.
public struct BoardStatus: Sendable {
    public let log: HostLog
    public let isPlugged: Bool
    /// Who holds each interface.
    public let holders: [UInt8: Holder]
    /// What each UART is set to, by control interface.
    public let lineCodings: [UInt8: LineCoding]
    /// Descriptors open on the node, in all processes.
    public let openDescriptors: Int
    /// Transfers that a host has submitted and the board has not completed.
    public let transfersInFlight: Int
    /// Those of them that read from the first port.
    public let readsInFlight: Int
    /// Transfers completed but not yet fetched by the host.
    public let transfersToFetch: Int
    /// Fed bytes that no transfer has taken yet.
    public let bytesWaiting: Int
    private let ports: [SerialPort]

    init(_ device: DeviceCore, openDescriptors: Int) {
        log = device.log
        isPlugged = !device.gone
        holders = device.drivers.holders
        lineCodings = device.control.lineCodings
        self.openDescriptors = openDescriptors
        transfersInFlight = device.inFlight
        transfersToFetch = device.toFetch
        ports = device.model.serialPorts
        let input = ports.first?.input.address
        readsInFlight = input.map { device.inFlight(on: $0) } ?? 0
        bytesWaiting = input.flatMap { device.queues[$0]?.waiting } ?? 0
    }

    /// Whether the kernel's serial driver has both interfaces of the first port.
    public var kernelHasPort: Bool {
        ports.first.map { holders[$0.control] == .kernel("cdc_acm") && holders[$0.data] == .kernel("cdc_acm") } ?? false
    }
    /// What the first port's UART is set to.
    public var lineCoding: LineCoding? { ports.first.flatMap { lineCodings[$0.control] } }
    /// Whether nothing but the first port's two interfaces was ever touched.
    public var onlyPortTouched: Bool { ports.first.map { log.touched.isSubset(of: [$0.control, $0.data]) } ?? log.touched.isEmpty }
}
