import CLibUSB

/// One reusable transfer from a bulk endpoint, and its buffer.
///
/// While it is in flight the buffer is the kernel's and nothing here may be touched but `cancel`. Its owner keeps it
/// until it is home, so libusb gets an unretained pointer.
final class TransferSlot {
    private let transfer: UnsafeMutablePointer<libusb_transfer>
    private let buffer: UnsafeMutableRawBufferPointer
    // libusb looks at the handle even when it frees a transfer: the device must not close before.
    private let device: OpenDevice
    private unowned let owner: InboundTransfers

    /// Nil when memory ran out.
    init?(from endpoint: EndpointDescriptor, size: Int, of device: OpenDevice, owner: InboundTransfers) {
        guard let transfer = libusb_alloc_transfer(0) else { return nil }
        self.transfer = transfer
        buffer = .allocate(byteCount: size, alignment: 16)
        self.device = device
        self.owner = owner
        let callback: libusb_transfer_cb_fn = { transfer in
            guard let context = transfer?.pointee.user_data else { return }
            let slot = Unmanaged<TransferSlot>.fromOpaque(context).takeUnretainedValue()
            slot.owner.landed(slot)
        }
        device.prepare(transfer, from: endpoint.address, into: buffer, callback, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        libusb_free_transfer(transfer)
        buffer.deallocate()
    }

    func submit() throws(USBFailure) { try USBFailure.check(libusb_submit_transfer(transfer)) }

    /// A request: the transfer comes home in its own time. One that is home already takes no notice.
    func cancel() { libusb_cancel_transfer(transfer) }

    /// How it came home.
    var end: TransferEnd { TransferEnd(status: transfer.pointee.status) }
    /// What it brought.
    var received: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: buffer[..<min(max(0, Int(transfer.pointee.actual_length)), buffer.count)])
    }
}
