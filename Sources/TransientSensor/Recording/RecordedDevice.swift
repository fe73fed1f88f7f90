/// What a recording says of the device whose bytes it holds, in the terms of a USB capture.
public struct RecordedDevice: Equatable, Sendable {
    /// USB bus number, as in `usb:1-4`; the kernel counts from 1.
    public var bus: UInt16
    /// Device number on the bus, 1 to 127.
    public var address: UInt8
    /// Address of the bulk IN endpoint, with the direction bit: 0x81 to 0x8f.
    public var inEndpoint: UInt8
    /// Address of the bulk OUT endpoint, 0x01 to 0x0f.
    public var outEndpoint: UInt8
    /// The 18 bytes of the device descriptor; empty when they are not known.
    public var descriptor: [UInt8]

    public init(bus: UInt16, address: UInt8, inEndpoint: UInt8, outEndpoint: UInt8, descriptor: [UInt8] = []) {
        self.bus = bus
        self.address = address
        self.inEndpoint = inEndpoint
        self.outEndpoint = outEndpoint
        self.descriptor = descriptor
    }

    /// The bus of what a program made up. No real device is on it, so that a recording of it says so for ever.
    static let syntheticBus: UInt16 = 0
    /// The bus of a port that is not known to be on USB. Linux has at most 64 buses.
    static let portBus: UInt16 = 0xffff

    /// A tty of which no USB device is known.
    public static let port = RecordedDevice(bus: portBus, address: 1, inEndpoint: 0x81, outEndpoint: 0x01)
}
