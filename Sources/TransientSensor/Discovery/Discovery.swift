/// Finding boards without opening anything.
public enum Discovery {
    /// What is attached now.
    public struct Listing: Equatable, Sendable {
        /// Known boards in the order of their bus paths.
        public let sensors: [AttachedSensor]
        /// True where neither udev runs nor sysfs shows a board (a container): what is listed is libusb's word, without
        /// serial numbers, drivers and serial nodes, and no plug event can be trusted to come.
        public let withoutUdev: Bool
    }

    /// Whether a udev daemon runs here, which is what tells of boards that are plugged in. Without one (most containers) a
    /// `DiscoveryMonitor` hears only what the kernel itself tells, and in a container that is nothing.
    public static var hasUdev: Bool { UDev.runs() }

    /// Lists every known board, also those that cannot be used, with the reason why.
    ///
    /// Facts come from the udev library and sysfs. Where those know of nothing because no udev runs, libusb is asked,
    /// which finds what is in `/dev/bus/usb`.
    public static func list() throws(SensorError) -> Listing {
        let sensors = try sensors(UDev())
        guard sensors.isEmpty, !hasUdev else { return Listing(sensors: sensors, withoutUdev: false) }
        // A machine without any USB does not even let libusb start: nothing is attached, and that is no error.
        let facts = (try? USBContext().listDevices()) ?? []
        return Listing(sensors: conclude(facts), withoutUdev: true)
    }

    static func sensors(_ udev: UDev) throws(SensorError) -> [AttachedSensor] { conclude(try factsFromUdev(udev)) }

    private static func conclude(_ facts: [DeviceFacts]) -> [AttachedSensor] {
        let held = KernelFiles.held(among: Set(facts.flatMap { $0.serialNodes.map(\.node) }))
        let sensors = facts.compactMap { facts in
            KnownBoard.find(vendorId: facts.vendorId, productId: facts.productId).map { known in
                AttachedSensor(
                    facts, known: known, mayOpen: KernelFiles.mayOpen, isHeld: held.contains,
                    modemManagerRuns: { KernelFiles.runs("ModemManager") })
            }
        }
        return sensors.sorted { $0.busPath < $1.busPath }
    }

    private static func factsFromUdev(_ udev: UDev) throws(SensorError) -> [DeviceFacts] {
        var found: [DeviceFacts] = []
        for device in try udev.devices(subsystem: "usb") where device.deviceType == "usb_device" {
            if let facts = try facts(of: device, udev) { found.append(facts) }
        }
        return found
    }

    /// Nil for a device that is no known board, or that went away while it was read.
    private static func facts(of device: UDevDevice, _ udev: UDev) throws(SensorError) -> DeviceFacts? {
        guard let busPath = BusPath(device.sysName),
            let vendorId = device.attribute("idVendor").flatMap({ UInt16($0, radix: 16) }),
            let productId = device.attribute("idProduct").flatMap({ UInt16($0, radix: 16) }),
            KnownBoard.find(vendorId: vendorId, productId: productId) != nil,
            let busNumber = device.attribute("busnum").flatMap({ Int($0) }),
            let deviceNumber = device.attribute("devnum").flatMap({ Int($0) }), let node = device.node
        else { return nil }
        var facts = DeviceFacts(
            busPath: busPath, vendorId: vendorId, productId: productId, node: node, busNumber: busNumber, deviceNumber: deviceNumber)
        facts.serial = serialBytes(KernelFiles.read("\(device.sysPath)/serial", limit: 1024))
        facts.isIgnoredByModemManager = device.property("ID_MM_DEVICE_IGNORE") == "1"
        facts.speedMbps = device.attribute("speed").flatMap { Double($0) }
        // Empty while no configuration is set.
        let active = device.attribute("bConfigurationValue").flatMap { UInt8($0) }
        let descriptors = KernelFiles.read("\(device.sysPath)/descriptors", limit: 65_536) ?? []
        facts.configuration = active.flatMap { value in ConfigurationDescriptor.parse(descriptors).first { $0.value == value } }
        for interface in try udev.devices(subsystem: "usb", below: device) {
            // One of a device behind this one (if it were a hub) has another name in front of its colon.
            guard interface.sysName.hasPrefix("\(busPath):"), let driver = interface.driver,
                let number = interface.interfaceNumber
            else { continue }
            facts.drivers[number] = driver
        }
        facts.serialNodes = try udev.devices(subsystem: "tty", below: device).compactMap { tty in
            guard let node = tty.node, let number = tty.interface?.interfaceNumber else { return nil }
            return SerialNode(node: node, interface: number)
        }
        return facts
    }

    /// The kernel's file ends in a line feed of its own; everything before it is the device's.
    private static func serialBytes(_ file: [UInt8]?) -> [UInt8] {
        guard let file, file.last == UInt8(ascii: "\n") else { return file ?? [] }
        return Array(file.dropLast())
    }
}
