import CPcap
import Glibc

/// One event of the kernel's USB monitor, as it stands in a capture: a 64-byte header, then the bytes that went over the bus.
///
/// Layout: `pcap_usb_header_mmapped`, link type 220, and its first 48 bytes, link type 189. libpcap gives the header in the host's byte order.
struct UsbmonRecord {
    enum Event: UInt8 {
        case submission = 0x53
        case completion = 0x43
        case failedSubmission = 0x45
    }
    enum Transfer: UInt8 { case isochronous, interrupt, control, bulk }

    var event: Event
    var transfer: Transfer
    /// With the direction bit: 0x80 and over goes to the host.
    var endpoint: UInt8
    var bus: UInt16
    var address: UInt8
    /// 0, or a negative errno.
    var status: Int32
    /// Bytes that the transfer moved, whether or not the capture has them.
    var length: UInt32
    /// The request, for the submission of a control transfer: 8 bytes as on the wire.
    var setup: UInt64?

    static let linkType = DLT_USB_LINUX_MMAPPED
    static let headerSize = MemoryLayout<pcap_usb_header_mmapped>.size

    var goesToHost: Bool { endpoint & 0x80 != 0 }

    /// Whether bytes are missing here, beyond those that `length` counts.
    ///
    /// A transfer that the host gave up (killed, unlinked, device gone) has lost nothing; a stall or a bus error may have.
    var isDamaged: Bool {
        ![0, -ENOENT, -ECONNRESET, -ESHUTDOWN, -EREMOTEIO, -ENODEV].contains(status)
    }
}

extension UsbmonRecord {
    /// Writes the header for a record made at `unixNs`, of which the capture keeps `kept` bytes.
    func encode(id: UInt64, unixNs: UInt64, kept: Int, into header: UnsafeMutableRawBufferPointer) {
        var raw = pcap_usb_header_mmapped()
        raw.id = id
        raw.event_type = event.rawValue
        raw.transfer_type = transfer.rawValue
        raw.endpoint_number = endpoint
        raw.device_address = address
        raw.bus_id = bus
        // Both flags are 0 for "present", and else a letter for people.
        raw.setup_flag = setup == nil ? CChar(UInt8(ascii: "-")) : 0
        raw.data_flag = kept > 0 ? 0 : CChar(UInt8(ascii: goesToHost ? "<" : ">"))
        raw.ts_sec = Int64(unixNs / 1_000_000_000)
        raw.ts_usec = Int32(unixNs % 1_000_000_000 / 1000)
        raw.status = status
        raw.urb_len = length
        raw.data_len = UInt32(kept)
        header.storeBytes(of: raw, as: pcap_usb_header_mmapped.self)
        if let setup {
            header.storeBytes(of: setup.littleEndian, toByteOffset: Self.setupOffset, as: UInt64.self)
        }
    }

    private static let setupOffset = MemoryLayout<pcap_usb_header_mmapped>.offset(of: \.s)!

    /// Reads a record and what the capture kept of its bytes; nil when it is no event of a kind that is known, or too short for one.
    init?(linkType: CInt, _ captured: UnsafeRawBufferPointer, kept: inout UnsafeRawBufferPointer) {
        let size = linkType == Self.linkType ? Self.headerSize : MemoryLayout<pcap_usb_header>.size
        guard captured.count >= size else { return nil }
        // The two headers begin alike, up to the request's 8 bytes.
        let raw = captured.loadUnaligned(as: pcap_usb_header.self)
        guard let event = Event(rawValue: raw.event_type), let transfer = Transfer(rawValue: raw.transfer_type) else { return nil }
        self.event = event
        self.transfer = transfer
        endpoint = raw.endpoint_number
        bus = raw.bus_id
        address = raw.device_address
        status = raw.status
        length = raw.urb_len
        setup = nil
        let count = raw.data_flag == 0 ? min(captured.count - size, Int(raw.data_len)) : 0
        kept = UnsafeRawBufferPointer(rebasing: captured[size..<size + count])
    }
}
