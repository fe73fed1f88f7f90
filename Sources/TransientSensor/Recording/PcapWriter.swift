import CLinux
import CPcap
import Glibc

/// A pcap file being written: owns the file, and knows where every record in it ends.
final class PcapWriter {
    /// Bytes of one record after its header; more is split.
    static let largestPayload = 65_536
    /// What the kernel is given at once at most: nothing is written by halves before `flush` says so.
    private static let batchSize = 262_144
    private static let batchRecords = 4096

    private let file: String
    private let dead: OpaquePointer  // pcap_t
    private let stream: UnsafeMutablePointer<FILE>
    private let dumper: OpaquePointer  // pcap_dumper_t, which is `stream` again
    /// One record, put together here.
    private let record: UnsafeMutableRawBufferPointer
    /// Records handed to `stream` since the last flush: where each ends, and the bytes it holds.
    private var pending: [(end: Int, payload: Int)] = []
    private var flushedEnd = 0
    private var end = 0
    private var lastUnixNs: UInt64 = 0
    private var records: UInt64 = 0
    private var recordsLost: UInt64 = 0
    private var bytesLost: UInt64 = 0
    private var failure: CInt?
    private var isOpen = true

    init(file: String, replacing: Bool) throws(SensorError) {
        let descriptor = try Self.create(file, replacing: replacing)
        let dead = pcap_open_dead_with_tstamp_precision(
            UsbmonRecord.linkType, CInt(Self.batchSize), UInt32(PCAP_TSTAMP_PRECISION_NANO))
        let stream = fdopen(descriptor, "wb")
        guard let dead, let stream else {
            _ = close(descriptor)
            throw .system(path: file, operation: "open", errno: ENOMEM)
        }
        setvbuf(stream, nil, _IOFBF, Self.batchSize)
        guard let dumper = pcap_dump_fopen(dead, stream), pcap_dump_flush(dumper) == 0 else {
            let code = errno
            __fpurge(stream)
            fclose(stream)
            pcap_close(dead)
            unlink(file)  // without its header it is nothing
            throw .system(path: file, operation: "write", errno: code)
        }
        self.file = file
        self.dead = dead
        self.stream = stream
        self.dumper = dumper
        record = .allocate(byteCount: UsbmonRecord.headerSize + Self.largestPayload, alignment: 16)
        flushedEnd = Int(pcap_dump_ftell64(dumper))
        end = flushedEnd
        pending.reserveCapacity(Self.batchRecords)
    }

    deinit {
        if isOpen { _ = finish() }
        pcap_close(dead)
        record.deallocate()
    }

    /// Adds a record; times that go back are brought up to the last one.
    func append(_ event: UsbmonRecord, id: UInt64, unixNs: UInt64, _ payload: UnsafeRawBufferPointer) {
        let size = UsbmonRecord.headerSize + payload.count
        if end + recordHeaderSize + size - flushedEnd > Self.batchSize || pending.count == Self.batchRecords { flush() }
        guard failure == nil else { return countLost(payload.count) }
        lastUnixNs = max(lastUnixNs, unixNs)
        event.encode(id: id, unixNs: lastUnixNs, kept: payload.count, into: record)
        UnsafeMutableRawBufferPointer(rebasing: record[UsbmonRecord.headerSize..<size]).copyMemory(from: payload)
        // libpcap takes nanoseconds in this field of a nanosecond file.
        let time = timeval(tv_sec: Int(lastUnixNs / 1_000_000_000), tv_usec: Int(lastUnixNs % 1_000_000_000))
        var header = pcap_pkthdr(ts: time, caplen: UInt32(size), len: UInt32(size))
        pcap_dump(UnsafeMutableRawPointer(dumper).assumingMemoryBound(to: UInt8.self), &header, record.baseAddress)
        end += recordHeaderSize + size
        pending.append((end, payload.count))
    }

    func flush() {
        guard !pending.isEmpty else { return }
        if pcap_dump_flush(dumper) == 0, ferror(stream) == 0 {
            records += UInt64(pending.count)
            flushedEnd = end
        } else {
            fail(errno)
        }
        pending.removeAll(keepingCapacity: true)
    }

    func finish() -> RecordingResult {
        flush()
        isOpen = false
        if fsync(fileno(stream)) != 0, failure == nil { failure = errno }
        if fclose(stream) != 0, failure == nil { failure = errno }
        return RecordingResult(
            file: file, records: records, recordsLost: recordsLost, bytesLost: bytesLost, failure: failure)
    }

    /// Cuts the file after the last record that is in it whole, and writes no more.
    private func fail(_ code: CInt) {
        failure = code
        __fpurge(stream)  // no C standard says what a stream keeps after a failed write, and closing it would add that
        var facts = stat()
        let size = fstat(fileno(stream), &facts) == 0 ? Int(facts.st_size) : flushedEnd
        var kept = flushedEnd
        for record in pending {
            if record.end <= size {
                kept = record.end
                records += 1
            } else {
                countLost(record.payload)
            }
        }
        _ = ftruncate(fileno(stream), kept)  // where that fails too, a reader stops at the torn record
        flushedEnd = kept
        end = kept
    }

    private func countLost(_ bytes: Int) {
        recordsLost += 1
        bytesLost += UInt64(bytes)
    }

    private static func create(_ file: String, replacing: Bool) throws(SensorError) -> CInt {
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (replacing ? 0 : O_EXCL)
        let descriptor = CInt(retrying { Int(open(file, flags, 0o600)) })
        guard descriptor >= 0 else { throw .system(path: file, operation: "create", errno: errno) }
        // The lock comes before the old content goes: it may be another recorder's.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            _ = close(descriptor)
            throw .busy(path: file, node: file)
        }
        guard !replacing || ftruncate(descriptor, 0) == 0 else {
            let code = errno
            _ = close(descriptor)
            throw .system(path: file, operation: "truncate", errno: code)
        }
        return descriptor
    }
}

/// Bytes in front of every record of a classic pcap file: time, captured and real length.
private let recordHeaderSize = 16
