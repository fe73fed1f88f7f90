import CLibUSB
import Glibc

/// A libusb context of our own: nothing is shared with another part of the process.
final class USBContext: Sendable {
    // Set once, and libusb locks inside: that is why this may cross threads.
    private nonisolated(unsafe) let handle: OpaquePointer  // libusb_context

    init() throws(SensorError) {
        var handle: OpaquePointer?
        // libusb starts a thread of its own, which must not take the program's signals.
        let code = withSignalsBlocked { libusb_init(&handle) }
        guard code == 0, let handle else {
            throw .usb(path: "usb", operation: "libusb_init", failure: USBFailure(returned: code))
        }
        self.handle = handle
        // Failures are returned to us and told in our own words.
        nlos_libusb_set_log_level(handle, Int32(bitPattern: LIBUSB_LOG_LEVEL_NONE.rawValue))
    }

    deinit { libusb_exit(handle) }

    /// Waits for events and handles them, until `wake` is called or for at most this long. Nil unless it failed.
    func handleEvents(seconds: Int = 60) -> USBFailure? {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        let code = libusb_handle_events_timeout_completed(handle, &limit, nil)
        return code == 0 || code == LIBUSB_ERROR_INTERRUPTED.rawValue ? nil : USBFailure(returned: code)
    }

    /// Makes `handleEvents` return. One that comes before the wait is not lost.
    func wake() { libusb_interrupt_event_handler(handle) }

    /// Opens the device with these numbers; nil when it is not there any more.
    func open(busNumber: Int, deviceNumber: Int) throws(USBFailure) -> OpenDevice? {
        try withDevices { devices throws(USBFailure) -> OpenDevice? in
            for device in devices
            where Int(libusb_get_bus_number(device)) == busNumber && Int(libusb_get_device_address(device)) == deviceNumber {
                var opened: OpaquePointer?
                try USBFailure.check(libusb_open(device, &opened))
                return opened.map { OpenDevice(takingOwnership: $0, context: self) }
            }
            return nil
        }
    }

    /// Facts of the known boards that libusb sees, for machines without udev. Opens nothing.
    func listDevices() throws(SensorError) -> [DeviceFacts] {
        do {
            return try withDevices { devices in devices.compactMap(Self.facts) }
        } catch {
            throw .usb(path: "usb", operation: "libusb_get_device_list", failure: error)
        }
    }

    private func withDevices<Result>(_ body: ([OpaquePointer]) throws(USBFailure) -> Result) throws(USBFailure) -> Result {
        var list: UnsafeMutablePointer<OpaquePointer?>?
        let count = libusb_get_device_list(handle, &list)
        try USBFailure.check(Int32(clamping: count))
        defer { libusb_free_device_list(list, 1) }
        return try body(UnsafeBufferPointer(start: list, count: count).compactMap { $0 })
    }

    private static func facts(of device: OpaquePointer) -> DeviceFacts? {
        var descriptor = libusb_device_descriptor()
        let ports = [UInt8](unsafeUninitializedCapacity: 7) { buffer, count in
            count = Int(max(0, libusb_get_port_numbers(device, buffer.baseAddress, Int32(buffer.count))))
        }
        guard libusb_get_device_descriptor(device, &descriptor) == 0,
            KnownBoard.find(vendorId: descriptor.idVendor, productId: descriptor.idProduct) != nil,
            let busPath = BusPath(bus: Int(libusb_get_bus_number(device)), ports: ports.map(Int.init))
        else { return nil }
        let (bus, address) = (Int(libusb_get_bus_number(device)), Int(libusb_get_device_address(device)))
        var facts = DeviceFacts(
            busPath: busPath, vendorId: descriptor.idVendor, productId: descriptor.idProduct,
            node: "/dev/bus/usb/\(decimal(bus))/\(decimal(address))", busNumber: bus, deviceNumber: address)
        switch libusb_speed(rawValue: UInt32(libusb_get_device_speed(device))) {
        case LIBUSB_SPEED_LOW: facts.speedMbps = 1.5
        case LIBUSB_SPEED_FULL: facts.speedMbps = 12
        case LIBUSB_SPEED_HIGH: facts.speedMbps = 480
        case LIBUSB_SPEED_SUPER: facts.speedMbps = 5000
        default: break
        }
        var configuration: UnsafeMutablePointer<libusb_config_descriptor>?
        if libusb_get_active_config_descriptor(device, &configuration) == 0, let configuration {
            facts.configuration = ConfigurationDescriptor(configuration.pointee)
            libusb_free_config_descriptor(configuration)
        }
        return facts
    }

    /// Three digits, as in the names below `/dev/bus/usb`.
    private static func decimal(_ number: Int) -> String {
        String(repeating: "0", count: max(0, 3 - String(number).utf8.count)) + String(number)
    }
}

extension ConfigurationDescriptor {
    /// From libusb's own reading of the same bytes. It does not keep interface associations apart, so those are missing.
    fileprivate init(_ parsed: libusb_config_descriptor) {
        self.init(value: parsed.bConfigurationValue)
        for interface in UnsafeBufferPointer(start: parsed.interface, count: Int(parsed.bNumInterfaces)) {
            for setting in UnsafeBufferPointer(start: interface.altsetting, count: Int(interface.num_altsetting)) {
                interfaces.append(InterfaceDescriptor(setting))
            }
        }
    }
}

extension InterfaceDescriptor {
    fileprivate init(_ parsed: libusb_interface_descriptor) {
        let kind = USBInterface.Kind(
            deviceClass: parsed.bInterfaceClass, subclass: parsed.bInterfaceSubClass, protocol: parsed.bInterfaceProtocol)
        self.init(number: parsed.bInterfaceNumber, alternate: parsed.bAlternateSetting, kind: kind)
        endpoints = UnsafeBufferPointer(start: parsed.endpoint, count: Int(parsed.bNumEndpoints)).map {
            EndpointDescriptor(
                address: $0.bEndpointAddress, attributes: $0.bmAttributes, maxPacketSize: Int($0.wMaxPacketSize & 0x7ff))
        }
        functional = ConfigurationDescriptor.split(Array(UnsafeBufferPointer(start: parsed.extra, count: Int(parsed.extra_length))))
            .filter { $0[1] == 0x24 }
    }
}

/// Runs `body` with every signal blocked for this thread and for the threads it starts.
func withSignalsBlocked<Result>(_ body: () -> Result) -> Result {
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    return body()
}
