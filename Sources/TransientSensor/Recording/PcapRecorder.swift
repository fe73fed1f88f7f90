import Glibc
public import NLOSCore

/// How a recording ended.
public struct RecordingResult: Equatable, Sendable {
    public let file: String
    /// Events that the file holds, whole.
    public let records: UInt64
    /// Events that could not be kept, and the bytes in them.
    public let recordsLost: UInt64
    public let bytesLost: UInt64
    /// The errno of the write that failed: `ENOSPC` is a full disk.
    public let failure: Int32?

    /// Whether everything that was handed in is on the disk.
    public var complete: Bool { recordsLost == 0 && failure == nil }
}

/// Keeps a sensor's bytes as a USB capture: classic pcap, nanoseconds, link type 220, which Wireshark opens.
///
/// Written are bulk IN completions (what the board said), bulk OUT submissions (what it was sent), and first the device descriptor, where it is known.
/// Whatever happens to the disk, the file can be read up to its last whole record, and what it does not have is counted; the capture goes on.
///
/// Times are the wall clock's at the start plus what the monotonic clock says has passed: a clock that is set in mid-run does not bend them.
public struct PcapRecorder: ~Copyable {
    private let device: RecordedDevice
    private let output: PcapWriter
    private let clocks: Clocks
    private let start: Arrival
    private var nextID: UInt64 = 1

    /// Creates the file, readable by its owner only, and fails when there is one already unless `replacing` it was asked for.
    ///
    /// - Parameter origin: the source's own. What is synthetic is recorded on bus 0, and is `synthetic` whenever it is replayed.
    /// - Throws: `system` (with `EEXIST` for a file that is there), `busy` when another recorder writes to it.
    public init(
        file: String, device: RecordedDevice, origin: FrameSource, replacing: Bool = false, clocks: Clocks
    ) throws(SensorError) {
        var device = device
        if origin == .synthetic { device.bus = RecordedDevice.syntheticBus }
        self.device = device
        self.clocks = clocks
        start = .now(clocks)
        output = try PcapWriter(file: file, replacing: replacing)
        recordDescriptor()
        flush()
    }

    /// Bytes that the board sent. An empty buffer marks a hole, as in `ByteSource.drain`; a replay meets it in the same place.
    public mutating func received(_ bytes: UnsafeRawBufferPointer, at arrival: Arrival) {
        guard !bytes.isEmpty else {
            return write(.completion, .bulk, device.inEndpoint, bytes, status: -EOVERFLOW, at: arrival.monotonicNs)
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(PcapWriter.largestPayload))
            rest = rest.dropFirst(piece.count)
            write(.completion, .bulk, device.inEndpoint, piece, at: arrival.monotonicNs)
        }
    }

    /// Bytes that the board was sent.
    public mutating func sent(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            write(.submission, .bulk, device.outEndpoint, bytes, status: -EINPROGRESS, at: clocks.monotonicNs())
        }
    }

    /// Gives what was handed in to the kernel. Call it once a batch: what was not flushed does not survive a crash of this program.
    public mutating func flush() { output.flush() }

    /// Writes everything to the disk and closes the file.
    public consuming func finish() -> RecordingResult { output.finish() }

    /// The exchange that tells the reader which device this is: GET_DESCRIPTOR (device, 18 bytes) and its answer.
    private mutating func recordDescriptor() {
        guard device.descriptor.count == 18 else { return }
        let now = start.monotonicNs
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        // bmRequestType 0x80, bRequest 6, wValue 0x0100, wIndex 0, wLength 18: the bytes in wire order, from the lowest.
        let request: UInt64 = 0x0012_0000_0100_0680
        write(.submission, .control, 0x80, none, length: 18, status: -EINPROGRESS, setup: request, at: now)
        nextID -= 1  // a submission and its completion share their id
        device.descriptor.withUnsafeBytes { write(.completion, .control, 0x80, $0, at: now) }
    }

    private mutating func write(
        _ event: UsbmonRecord.Event, _ transfer: UsbmonRecord.Transfer, _ endpoint: UInt8, _ bytes: UnsafeRawBufferPointer,
        length: UInt32? = nil, status: Int32 = 0, setup: UInt64? = nil, at monotonicNs: UInt64
    ) {
        let record = UsbmonRecord(
            event: event, transfer: transfer, endpoint: endpoint, bus: device.bus, address: device.address, status: status,
            length: length ?? UInt32(bytes.count), setup: setup)
        let unixNs = start.unixMs * 1_000_000 + interval(from: start.monotonicNs, to: monotonicNs)
        output.append(record, id: nextID, unixNs: unixNs, bytes)
        nextID += 1
    }
}
