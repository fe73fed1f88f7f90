/// A tty that `cdc_acm` offers while it has a port. Only its existence is played: it can be opened, and is hung up when the driver
/// goes, but no bytes of the board come through it.
struct KernelTTY: Sendable {
    let number: Int
    let node: Node

    var name: String { "ttyACM\(number)" }
}

extension BoardSysfs {
    private func path(of tty: String, _ control: UInt8) -> String { "\(path(of: control))/tty/\(tty)" }

    func addTTYs(_ ports: [SerialPort], drivers: InterfaceDrivers) throws -> [UInt8: KernelTTY] {
        var ttys: [UInt8: KernelTTY] = [:]
        for port in ports where drivers[port.control] == .kernel("cdc_acm") { ttys[port.control] = try addTTY(port.control) }
        return ttys
    }

    func addTTY(_ control: UInt8) throws -> KernelTTY {
        let number = ttyNames.change { taken in
            let free = (0...).first { !taken.contains($0) }!
            taken.insert(free)
            return free
        }
        let tty = KernelTTY(number: number, node: try Node())
        tty.node.setReady(true)
        try testbed.linkNode("/dev/\(tty.name)", to: tty.node.path)
        try testbed.add(
            """
            P: \(path(of: tty.name, control).dropFirst("/sys".count))
            E: SUBSYSTEM=tty
            E: DEVNAME=/dev/\(tty.name)
            E: MAJOR=166
            E: MINOR=\(number)
            A: dev=166:\(number)\\n
            L: device=../../../\(place.port):1.\(control)

            """)
        return tty
    }

    func removeTTY(_ tty: KernelTTY, _ control: UInt8) {
        tty.node.hangUp()
        testbed.removeNode("/dev/\(tty.name)")
        testbed.remove(path(of: tty.name, control), number: "166:\(tty.number)")
        ttyNames.change { _ = $0.remove(tty.number) }
    }
}
