import CLinux
import Glibc
public import NLOSCore

/// How fast a recording is played back.
public enum ReplayPace: Sendable {
    /// Each piece as long after the first one as it came then.
    case recorded
    /// As fast as it is taken.
    case fast
}

/// A USB capture played back: one that `PcapRecorder` wrote, or one of the kernel's monitor made with tcpdump or Wireshark.
///
/// Its bytes never count as live. What was recorded on bus 0, which no real device has, was made up by a program and stays `synthetic`.
/// Pieces arrive at the times of the recording: `monotonicNs` counts from 1 at the first event, `unixMs` is the wall clock of then.
public final class PcapReplay: ByteSource {
    public let origin: FrameSource
    public let path: String
    public let readiness: CInt
    public let keepsOwnTime = true
    /// Bytes that the capture says were moved and does not have.
    public private(set) var bytesLost: UInt64 = 0
    /// What the recorded device was, where the capture has its descriptor.
    public let ids: USBIDs?
    /// Whether the file ends in the middle of an event, as after a crash: everything before it was handed over. Known once `drain` said `finished`.
    public var isTorn: Bool { capture.end == .torn }

    private let descriptor: CInt
    private let capture: PcapReader
    private let stream: RecordedStream
    private let pace: ReplayPace
    private let clocks: Clocks
    /// When the first event was, on the recording's clock, and when it was played, on this machine's.
    private var beginning: (unixNs: UInt64, playedNs: UInt64)?
    private var lastArrivalNs: UInt64 = 1
    /// The event that is due next.
    private var next: PcapReader.Event?
    private var lastSent: [UInt8]?
    private var isOpen = true

    /// The longest write to a board that is kept for `takeSent`.
    private static let longestSent = 4096

    /// Opens a capture and finds the sensor in it, for which it is read once from end to end.
    ///
    /// - Parameter isBoard: whether ids are those of a sensor board; such a device is preferred to all others in the capture.
    /// - Throws: `system` where the file cannot be read, `badRecording` where it is no USB capture with a sensor's bytes in it.
    public init(file: String, pace: ReplayPace, clocks: Clocks, isBoard: (USBIDs) -> Bool) throws(SensorError) {
        let descriptor = CInt(retrying { Int(open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) })
        guard descriptor >= 0 else { throw .system(path: file, operation: "open", errno: errno) }
        let timer = timerfd_create(CLOCK_MONOTONIC, CInt(TFD_CLOEXEC) | CInt(TFD_NONBLOCK))
        do throws(SensorError) {
            guard timer >= 0 else { throw .system(path: file, operation: "timerfd_create", errno: errno) }
            var facts = stat()
            guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
                throw .badRecording(file: file, why: "it is not a regular file")
            }
            stream = try RecordedStream(
                choosingFrom: PcapReader(descriptor: descriptor, file: file), file: file, isBoard: isBoard)
            guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw .system(path: file, operation: "lseek", errno: errno) }
            capture = try PcapReader(descriptor: descriptor, file: file)
        } catch {
            _ = Glibc.close(descriptor)
            if timer >= 0 { _ = Glibc.close(timer) }
            throw error
        }
        self.descriptor = descriptor
        self.pace = pace
        self.clocks = clocks
        readiness = timer
        path = "replay:\(file)"
        origin = stream.device.bus == RecordedDevice.syntheticBus ? .synthetic : .replay
        ids = stream.ids
        wake(afterNs: 0)
    }

    deinit { close() }

    /// One event of the recording, when it is due.
    public func drain(_ body: (UnsafeRawBufferPointer, Arrival) -> Void) throws(SensorError) -> Drained {
        guard isOpen, let event = try due() else { return isOpen && next != nil ? .idle : .finished }
        next = nil
        let arrival = arrival(of: event)
        let record = event.record
        if record.event == .submission {
            lastSent = Array(event.bytes.prefix(Self.longestSent))
        } else {
            if !event.bytes.isEmpty { body(event.bytes, arrival) }
            let missing = UInt64(record.length) - min(UInt64(record.length), UInt64(event.bytes.count))
            bytesLost += missing
            if missing > 0 || record.isDamaged { body(UnsafeRawBufferPointer(start: nil, count: 0), arrival) }
        }
        return .more
    }

    /// What the host sent to the board, in the recording, just before whatever the next `drain` hands over: once, and nil when that was nothing.
    ///
    /// This is how a replay learns of a configuration. At most 4,096 bytes of it.
    public func takeSent() -> [UInt8]? {
        defer { lastSent = nil }
        return lastSent
    }

    /// What the host sent first, when the recording begins with it: how a configured capture's bins lie.
    ///
    /// Plays at most `lookBytes` of the sensor's bytes for it. Nil when fewer than `count` bytes were sent by then.
    public static func firstSent(_ count: Int, in file: String, clocks: Clocks, isBoard: (USBIDs) -> Bool) throws(SensorError) -> [UInt8]? {
        let look = try PcapReplay(file: file, pace: .fast, clocks: clocks, isBoard: isBoard)
        defer { look.close() }
        var sent: [UInt8] = []
        var seen = 0
        while sent.count < count, seen < lookBytes {
            let drained = try look.drain { bytes, _ in seen += bytes.count }
            sent += look.takeSent() ?? []
            if drained == .finished { break }
        }
        return sent.count >= count ? Array(sent.prefix(count)) : nil
    }

    private static let lookBytes = 1 << 20

    public func send(_ bytes: [UInt8]) throws(SensorError) { throw .cannotSend(path: path) }

    public func close() {
        guard isOpen else { return }
        isOpen = false
        next = nil
        _ = Glibc.close(readiness)
        _ = Glibc.close(descriptor)
    }

    /// The next event of the sensor's conversation, if its time has come; arms the timer otherwise.
    private func due() throws(SensorError) -> PcapReader.Event? {
        while next == nil, let event = try capture.next() {
            if concerns(event.record) { next = event }
        }
        guard let event = next else { return nil }
        guard pace == .recorded, let beginning else { return event }
        let offset = interval(from: beginning.unixNs, to: event.unixNs)
        let passed = interval(from: beginning.playedNs, to: clocks.monotonicNs())
        guard offset > passed else { return event }
        wake(afterNs: offset - passed)
        return nil
    }

    /// What the sensor said on its endpoint, and what the host sent to the same device.
    private func concerns(_ record: UsbmonRecord) -> Bool {
        guard record.transfer == .bulk, record.bus == stream.device.bus, record.address == stream.device.address else { return false }
        return record.goesToHost ? record.event == .completion && record.endpoint == stream.endpoint : record.event == .submission
    }

    /// Never earlier than the one before, whatever the capture's clock did.
    private func arrival(of event: PcapReader.Event) -> Arrival {
        let beginning = self.beginning ?? (event.unixNs, clocks.monotonicNs())
        self.beginning = beginning
        lastArrivalNs = max(lastArrivalNs, interval(from: beginning.unixNs, to: event.unixNs) + 1)
        return Arrival(monotonicNs: lastArrivalNs, unixMs: event.unixNs / 1_000_000)
    }

    /// Makes `readiness` readable then; it stays so until the next call.
    private func wake(afterNs: UInt64) {
        // A time of 0 would switch the timer off; one of many years is as good as never.
        _ = nlos_timer_arm(readiness, max(1, min(afterNs, 1 << 60)))
    }
}
