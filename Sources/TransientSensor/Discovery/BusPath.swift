/// Where a device is plugged in: the bus and the chain of ports, as the kernel names it (`1-4.2`).
///
/// The identity that survives replugging and that two boards never share; a serial number may be missing or copied.
public struct BusPath: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let bus: Int
    /// From the root hub's port outwards; one to seven of them.
    public let ports: [Int]

    /// Nil for a bus below 1, no port, more ports than USB allows hubs in a row, or a port outside 1...255.
    public init?(bus: Int, ports: [Int]) {
        guard (1...65_535).contains(bus), (1...7).contains(ports.count), ports.allSatisfy((1...255).contains) else { return nil }
        self.bus = bus
        self.ports = ports
    }

    /// Reads `1-4.2`; nil for anything else, root hubs (`usb1`) and interfaces (`1-4.2:1.0`) among it.
    public init?(_ text: some StringProtocol) {
        let halves = text.split(separator: "-", omittingEmptySubsequences: false)
        guard halves.count == 2, let bus = Self.number(halves[0]) else { return nil }
        let chain = halves[1].split(separator: ".", omittingEmptySubsequences: false)
        let ports = chain.compactMap { Self.number($0) }
        guard ports.count == chain.count else { return nil }
        self.init(bus: bus, ports: ports)
    }

    public var description: String { "\(bus)-\(ports.map(String.init).joined(separator: "."))" }

    public static func < (one: BusPath, other: BusPath) -> Bool {
        one.bus != other.bus ? one.bus < other.bus : one.ports.lexicographicallyPrecedes(other.ports)
    }

    /// Digits only: `Int` by itself would take a sign.
    private static func number(_ text: some StringProtocol) -> Int? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
    }
}
