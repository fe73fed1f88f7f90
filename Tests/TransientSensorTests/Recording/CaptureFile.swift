/// A capture put together by hand, byte by byte, so that it can be wrong on purpose.
struct CaptureFile {
    var bigEndian = false
    var nanoseconds = true
    var linkType: UInt32 = 220
    var snapshot: UInt32 = 262_144
    private(set) var bytes: [UInt8] = []

    init(bigEndian: Bool = false, nanoseconds: Bool = true, linkType: UInt32 = 220, snapshot: UInt32 = 262_144) {
        (self.bigEndian, self.nanoseconds, self.linkType, self.snapshot) = (bigEndian, nanoseconds, linkType, snapshot)
        add(nanoseconds ? UInt32(0xa1b2_3c4d) : 0xa1b2_c3d4)
        add(UInt16(2))
        add(UInt16(4))
        add(UInt32(0))
        add(UInt32(0))
        add(snapshot)
        add(linkType)
    }

    /// One event as the kernel's monitor describes it. `declared` and `captured` are what it says of its own size, when that is a lie.
    mutating func event(
        _ type: Character = "C", transfer: UInt8 = 3, endpoint: UInt8 = 0x82, device: UInt8 = 7, bus: UInt16 = 1, status: Int32 = 0,
        data: [UInt8] = [], length: UInt32? = nil, declared: UInt32? = nil, captured: UInt32? = nil, seconds: UInt32 = 1_700_000_000,
        fraction: UInt32 = 0
    ) {
        let headerSize = linkType == 220 ? 64 : 48
        add(seconds)
        add(fraction)
        add(captured ?? UInt32(headerSize + data.count))
        add(captured ?? UInt32(headerSize + data.count))
        let start = bytes.count
        add(UInt64(1))
        bytes += [type.asciiValue!, transfer, endpoint, device]
        add(bus)
        bytes += [UInt8(ascii: "-"), data.isEmpty ? UInt8(ascii: "<") : 0]
        add(UInt64(seconds))
        add(fraction)
        add(UInt32(bitPattern: status))
        add(length ?? UInt32(data.count))
        add(declared ?? UInt32(data.count))
        bytes += [UInt8](repeating: 0, count: headerSize - (bytes.count - start))
        bytes += data
    }

    mutating func descriptor(vendorId: UInt16, productId: UInt16, device: UInt8 = 7, bus: UInt16 = 1) {
        let ids = [vendorId, productId].flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
        event(transfer: 2, endpoint: 0x80, device: device, bus: bus, data: [18, 1, 0, 2, 0xef, 2, 1, 64] + ids + [0, 1, 1, 2, 3, 1])
    }

    mutating func add(_ raw: [UInt8]) { bytes += raw }

    private mutating func add(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: bigEndian ? value.bigEndian : value.littleEndian) { bytes += $0 }
    }
}
