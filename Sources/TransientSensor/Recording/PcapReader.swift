import CPcap
import Glibc
import NLOSCore

/// A USB capture being read from its start to its end. Owns the file.
///
/// The bytes are anybody's: libpcap checks the file's own structure, this checks what it leaves open.
final class PcapReader {
    /// One event, when it was, and what the capture kept of its bytes; they are valid until the next one is read.
    struct Event {
        let record: UsbmonRecord
        let unixNs: UInt64
        let bytes: UnsafeRawBufferPointer
    }

    /// How the file ended, once it did.
    enum End: Equatable {
        case whole
        /// In the middle of a record, as when the program that wrote it was killed.
        case torn
    }

    /// The largest record that a capture may declare: libpcap sets memory aside for it.
    static let largestRecord: CInt = 1 << 20

    private let file: String
    private let handle: OpaquePointer  // pcap_t
    private let linkType: CInt
    private(set) var end: End?

    /// Reads from where `descriptor` stands, through a duplicate of it. Throws `badRecording`.
    init(descriptor: CInt, file: String) throws(SensorError) {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0, let stream = fdopen(copy, "rb") else {
            let code = errno
            if copy >= 0 { _ = close(copy) }
            throw .system(path: file, operation: "open", errno: code)
        }
        var text = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
        guard let handle = pcap_fopen_offline_with_tstamp_precision(stream, UInt32(PCAP_TSTAMP_PRECISION_NANO), &text) else {
            fclose(stream)
            throw .badRecording(file: file, why: "it is not a capture: \(printable(text))")
        }
        self.file = file
        self.handle = handle
        linkType = pcap_datalink(handle)
        guard linkType == UsbmonRecord.linkType || linkType == DLT_USB_LINUX else {
            throw .badRecording(file: file, why: "it is a capture of link type \(linkType), not of USB (189 or 220)")
        }
        guard pcap_snapshot(handle) <= Self.largestRecord else {
            throw .badRecording(file: file, why: "its records may be larger than \(Self.largestRecord) bytes")
        }
    }

    deinit { pcap_close(handle) }

    /// The next event of a kind that is known; nil at the end. Throws `badRecording` where the file makes no sense.
    func next() throws(SensorError) -> Event? {
        while end == nil {
            var header: UnsafeMutablePointer<pcap_pkthdr>?
            var start: UnsafePointer<UInt8>?
            switch pcap_next_ex(handle, &header, &start) {
            case 1:
                guard let header, let start else { continue }
                let captured = UnsafeRawBufferPointer(start: start, count: Int(header.pointee.caplen))
                var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
                if let record = UsbmonRecord(linkType: linkType, captured, kept: &bytes) {
                    return Event(record: record, unixNs: nanoseconds(header.pointee.ts), bytes: bytes)
                }
            case PCAP_ERROR_BREAK:
                end = .whole
            default:
                let why = pcap_geterr(handle).map { String(cString: $0) } ?? ""
                guard why.hasPrefix("truncated ") else {
                    throw .badRecording(file: file, why: escaped(why.utf8))
                }
                end = .torn
            }
        }
        return nil
    }
}

/// The time of a record whose file was opened with nanoseconds. The format's seconds have 32 bits without a sign; libpcap reads one into them.
private func nanoseconds(_ time: timeval) -> UInt64 {
    UInt64(UInt32(truncatingIfNeeded: time.tv_sec)) * 1_000_000_000 + UInt64(max(0, min(time.tv_usec, 999_999_999)))
}

private func printable(_ text: [CChar]) -> String {
    escaped(text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) })
}
