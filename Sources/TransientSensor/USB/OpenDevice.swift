import CLibUSB

/// An opened device. Keeps its context alive; closing waits for nothing.
final class OpenDevice: Sendable {
    // Set once, and libusb locks inside: that is why this may cross threads.
    private nonisolated(unsafe) let handle: OpaquePointer  // libusb_device_handle
    let context: USBContext

    init(takingOwnership handle: OpaquePointer, context: USBContext) {
        self.handle = handle
        self.context = context
    }

    deinit { libusb_close(handle) }

    /// The 18 bytes of the device descriptor, as the device sent them when it was plugged in.
    var descriptor: [UInt8] {
        var facts = libusb_device_descriptor()
        guard libusb_get_device_descriptor(libusb_get_device(handle), &facts) == 0 else { return [] }
        let words = { (word: UInt16) in [UInt8(truncatingIfNeeded: word), UInt8(truncatingIfNeeded: word >> 8)] }
        return [facts.bLength, facts.bDescriptorType] + words(facts.bcdUSB)
            + [facts.bDeviceClass, facts.bDeviceSubClass, facts.bDeviceProtocol, facts.bMaxPacketSize0]
            + words(facts.idVendor) + words(facts.idProduct) + words(facts.bcdDevice)
            + [facts.iManufacturer, facts.iProduct, facts.iSerialNumber, facts.bNumConfigurations]
    }

    /// Takes the interface from its kernel driver. False when none had it.
    func detachKernelDriver(_ interface: UInt8) throws(USBFailure) -> Bool {
        let active = libusb_kernel_driver_active(handle, Int32(interface))
        // A kernel or emulation that cannot be asked has no driver to detach; a real conflict shows at the claim.
        guard active != LIBUSB_ERROR_NOT_SUPPORTED.rawValue else { return false }
        try USBFailure.check(active)
        guard active == 1 else { return false }
        let code = libusb_detach_kernel_driver(handle, Int32(interface))
        guard code != LIBUSB_ERROR_NOT_FOUND.rawValue else { return false }
        try USBFailure.check(code)
        return true
    }

    /// Gives the interface back to the kernel. Failures are the device's (gone) or the kernel's (no driver): nothing to do.
    func attachKernelDriver(_ interface: UInt8) { libusb_attach_kernel_driver(handle, Int32(interface)) }

    func claim(_ interface: UInt8) throws(USBFailure) { try USBFailure.check(libusb_claim_interface(handle, Int32(interface))) }

    /// Expected to fail after an unplug, which released it already.
    func release(_ interface: UInt8) { libusb_release_interface(handle, Int32(interface)) }

    /// A request with data to the device; the device took all of it.
    func request(_ setup: ControlSetup, sending bytes: [UInt8]) throws(USBFailure) {
        var bytes = bytes
        let count = try transfer(setup, &bytes)
        guard count == bytes.count else { throw .ioError }
    }

    /// A request that the device answers with up to `length` bytes.
    func request(_ setup: ControlSetup, reading length: Int) throws(USBFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: length)
        let count = try transfer(setup, &bytes)
        return Array(bytes.prefix(count))
    }

    private func transfer(_ setup: ControlSetup, _ bytes: inout [UInt8]) throws(USBFailure) -> Int {
        let code = libusb_control_transfer(
            handle, setup.requestType, setup.request, setup.value, setup.index, &bytes, UInt16(bytes.count), 1000)
        try USBFailure.check(code)
        return Int(code)
    }

    /// Writes some of the bytes, waiting at most `milliseconds`; returns how many the device took, also when time ran out.
    func write(_ bytes: ArraySlice<UInt8>, to endpoint: UInt8, milliseconds: UInt32) throws(USBFailure) -> Int {
        var bytes = Array(bytes)
        var taken: Int32 = 0
        let code = libusb_bulk_transfer(handle, endpoint, &bytes, Int32(bytes.count), &taken, milliseconds)
        if code == LIBUSB_ERROR_TIMEOUT.rawValue, taken > 0 { return Int(taken) }
        try USBFailure.check(code)
        return Int(taken)
    }

    /// Resets a stalled endpoint. Waits for the device: never from a transfer's callback.
    func clearHalt(_ endpoint: UInt8) throws(USBFailure) { try USBFailure.check(libusb_clear_halt(handle, endpoint)) }

    /// Prepares a transfer from a bulk endpoint of this device; submitting is its own affair.
    func prepare(
        _ transfer: UnsafeMutablePointer<libusb_transfer>, from endpoint: UInt8, into buffer: UnsafeMutableRawBufferPointer,
        _ callback: @escaping libusb_transfer_cb_fn, _ context: UnsafeMutableRawPointer
    ) {
        libusb_fill_bulk_transfer(
            transfer, handle, endpoint, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(buffer.count), callback, context, 0)
    }
}

/// The five fields of a control request, without its length.
struct ControlSetup: Equatable, Sendable {
    let requestType: UInt8
    let request: UInt8
    let value: UInt16
    let index: UInt16
}
