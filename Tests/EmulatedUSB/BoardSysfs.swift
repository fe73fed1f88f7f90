/// Where a device is plugged in.
public struct BusPlace: Equatable, Sendable {
    /// Sysfs name: bus, dash, port chain, as in `1-4` or `1-1.3`. It survives replugging.
    public let port: String
    /// Numbers of this plugging in; the second one changes with every replug.
    public let bus: Int
    public let devnum: Int

    /// `/dev/bus/usb/001/004`.
    public var devnode: String { "/dev/bus/usb/\(Self.padded(bus))/\(Self.padded(devnum))" }

    static func padded(_ number: Int) -> String { String(repeating: "0", count: max(0, 3 - String(number).count)) + String(number) }
}

/// The files of one device: its directory in sysfs with its interfaces and ttys, its node, and what udev says about them.
struct BoardSysfs: Sendable {
    let testbed: Testbed
    let place: BusPlace
    /// Absolute, as programs see it.
    let syspath: String
    /// Hands out and takes back tty names.
    let ttyNames: Watched<Set<Int>>

    private var minor: Int { (place.bus - 1) * 128 + place.devnum - 1 }
    func path(of interface: UInt8) -> String { "\(syspath)/\(place.port):1.\(interface)" }

    func add(_ model: BoardModel, serial: SerialNumber, drivers: InterfaceDrivers, node: String) throws {
        try testbed.linkNode(place.devnode, to: node)
        try testbed.add(device(model, serial))
        for interface in model.interfaces {
            try testbed.add(self.interface(interface, model, driver: drivers[interface.number]?.driverName))
        }
    }

    private func device(_ model: BoardModel, _ serial: SerialNumber) -> String {
        var lines = [
            "P: \(syspath.dropFirst("/sys".count))",
            "E: SUBSYSTEM=usb", "E: DEVTYPE=usb_device", "E: DRIVER=usb", "E: DEVNAME=\(place.devnode)",
            "E: BUSNUM=\(BusPlace.padded(place.bus))", "E: DEVNUM=\(BusPlace.padded(place.devnum))",
            "E: MAJOR=189", "E: MINOR=\(minor)",
            "E: PRODUCT=\(hex(model.vendor))/\(hex(model.product))/\(hex(model.release))",
            "E: TYPE=\(model.device[4])/\(model.device[5])/\(model.device[6])",
            attribute("dev", "189:\(minor)"),
            attribute("busnum", "\(place.bus)"), attribute("devnum", "\(place.devnum)"),
            attribute("devpath", place.port.split(separator: "-").last.map(String.init) ?? "0"),
            attribute("speed", "\(model.megabits)"),
            attribute("idVendor", hex(model.vendor, 4)), attribute("idProduct", hex(model.product, 4)),
            attribute("bcdDevice", hex(model.release, 4)),
            attribute("bDeviceClass", hex(model.device[4], 2)), attribute("bDeviceSubClass", hex(model.device[5], 2)),
            attribute("bDeviceProtocol", hex(model.device[6], 2)), attribute("bMaxPacketSize0", "\(model.device[7])"),
            attribute("bNumConfigurations", "1"), attribute("bConfigurationValue", "\(model.configuration[5])"),
            attribute("bNumInterfaces", "\(model.configuration[4])"),
            binary("descriptors", model.device + model.configuration),
        ]
        if let name = model.strings[model.device[14]] { lines.append(attribute("manufacturer", name)) }
        if let name = model.strings[model.device[15]] { lines.append(attribute("product", name)) }
        if model.serialIndex != 0, let bytes = serial.sysfs { lines.append(binary("serial", bytes + [0x0A])) }
        return lines.joined(separator: "\n") + "\n"
    }

    private func interface(_ interface: BoardInterface, _ model: BoardModel, driver: String?) -> String {
        var lines = [
            "P: \(path(of: interface.number).dropFirst("/sys".count))",
            "E: SUBSYSTEM=usb", "E: DEVTYPE=usb_interface",
            "E: PRODUCT=\(hex(model.vendor))/\(hex(model.product))/\(hex(model.release))",
            "E: INTERFACE=\(interface.triple.map(String.init).joined(separator: "/"))",
            attribute("bInterfaceNumber", hex(interface.number, 2)), attribute("bAlternateSetting", " 0"),
            attribute("bNumEndpoints", hex(UInt8(interface.endpoints.count), 2)),
            attribute("bInterfaceClass", hex(interface.triple[0], 2)),
            attribute("bInterfaceSubClass", hex(interface.triple[1], 2)),
            attribute("bInterfaceProtocol", hex(interface.triple[2], 2)),
        ]
        if let name = model.strings[interface.nameIndex] { lines.append(attribute("interface", name)) }
        if let driver {
            let up = String(repeating: "../", count: path(of: interface.number).split(separator: "/").count - 1)
            lines.append("L: driver=\(up)bus/usb/drivers/\(driver)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Brings sysfs to what the kernel would show after drivers were bound or unbound.
    func show(_ drivers: InterfaceDrivers, ports: [SerialPort], shown: inout [UInt8: String], ttys: inout [UInt8: KernelTTY]) {
        for number in drivers.holders.keys.sorted() {
            let name = drivers[number]?.driverName
            guard name != shown[number] else { continue }
            if shown[number] == "cdc_acm", let tty = ttys.removeValue(forKey: number) { removeTTY(tty, number) }
            testbed.setDriver(name, of: path(of: number))
            testbed.announce(name == nil ? "unbind" : "bind", path(of: number))
            shown[number] = name
            if name == "cdc_acm", ports.contains(where: { $0.control == number }) { ttys[number] = try? addTTY(number) }
        }
    }

    func remove(ttys: [UInt8: KernelTTY], interfaces: [BoardInterface]) {
        for (control, tty) in ttys { removeTTY(tty, control) }
        for interface in interfaces { testbed.remove(path(of: interface.number)) }
        testbed.removeNode(place.devnode)
        testbed.remove(syspath, number: "189:\(minor)")
    }

    private func attribute(_ name: String, _ value: String) -> String { "A: \(name)=\(value)\\n" }
    private func binary(_ name: String, _ bytes: [UInt8]) -> String { "H: \(name)=" + bytes.map { hex($0, 2) }.joined() }
    private func hex(_ number: some BinaryInteger, _ digits: Int = 1) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
