import CLibUSB
import EmulatedUSB
import Testing

extension EmulatedBusSuite {
    /// What libusb finds is what was plugged in, byte for byte.
    @Suite struct Enumeration {
        static let models: [(String, BoardModel)] = [
            ("374b", .stlinkV21), ("3752", .stlinkV21NoStorage), ("374e", .stlinkV3E), ("374f", .stlinkV3Set),
            ("3753", .stlinkV3TwoPorts), ("gadget", .cdcGadget), ("uno", .unoR3), ("5740", .stm32VirtualPort), ("3748", .stlinkV2),
            ("dfu", .stlinkDFU), ("ch340", .ch340), ("ftdi", .ftdi), ("hub", .hub),
        ]

        @Test(arguments: models) func descriptorsArrive(name: String, model: BoardModel) throws {
            let bus = EmulatedBus()
            let board = try bus.plug(model, at: "1-4")
            let host = PlainHost(on: bus)
            let seen = host.devices { device in
                var descriptor = libusb_device_descriptor()
                libusb_get_device_descriptor(device, &descriptor)
                return [UInt16(libusb_get_port_number(device)), descriptor.idVendor, descriptor.idProduct]
            }
            #expect(seen.contains([4, model.vendor, model.product]))
            let handle = try host.open(board)
            var configuration = [UInt8](repeating: 0, count: 512)
            let count = handle.control(0x80, 6, value: 0x0200, index: 0, &configuration)
            #expect(Array(configuration.prefix(Int(max(0, count)))) == model.configuration)
        }
    }
}
