@testable import TransientSensor

extension DeviceFacts {
    /// A Nucleo-F411's facts, in port 1-4, with the kernel's drivers on it.
    static func nucleo(_ place: String = "1-4", serial: String = "066EFF373535503457062922", deviceNumber: Int = 4) -> DeviceFacts {
        var facts = DeviceFacts(
            busPath: BusPath(place)!, vendorId: 0x0483, productId: 0x374b, node: "/dev/bus/usb/001/004", busNumber: 1,
            deviceNumber: deviceNumber)
        facts.serial = Array(serial.utf8)
        facts.speedMbps = 12
        facts.configuration = ConfigurationDescriptor.parse(KnownDescriptors.stlinkV21).first
        facts.drivers = [1: "usb-storage", 2: "cdc_acm", 3: "cdc_acm"]
        facts.serialNodes = [SerialNode(node: "/dev/ttyACM0", interface: 2)]
        return facts
    }
}

extension AttachedSensor {
    static func made(
        of facts: DeviceFacts, mayOpen: Bool = true, held: Set<String> = []
    ) -> AttachedSensor {
        let known = KnownBoard.find(vendorId: facts.vendorId, productId: facts.productId)!
        return AttachedSensor(facts, known: known, mayOpen: { _ in mayOpen }, isHeld: held.contains)
    }
}
