import CLinux
import Glibc
import NLOSCore
import TransientSensor

/// A source that has been listened to: it hands over what was heard, and then goes on as it did.
final class HeardSource: ByteSource {
    private let source: any ByteSource
    private var heard: [(bytes: [UInt8], arrival: Arrival)]
    /// Readable for ever: what was heard can be had at once.
    private let atOnce: CInt

    init(_ source: any ByteSource, heard: [(bytes: [UInt8], arrival: Arrival)]) throws(SensorError) {
        self.source = source
        self.heard = heard
        atOnce = eventfd(1, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
        guard atOnce >= 0 else { throw .system(path: source.path, operation: "eventfd", errno: errno) }
    }

    deinit { Glibc.close(atOnce) }

    var origin: FrameSource { source.origin }
    var path: String { source.path }
    var readiness: CInt { heard.isEmpty ? source.readiness : atOnce }
    var keepsOwnTime: Bool { source.keepsOwnTime }
    var recordedDevice: RecordedDevice { source.recordedDevice }
    var bytesLost: UInt64 { source.bytesLost }
    var stalls: UInt64 { source.stalls }

    func drain(_ body: (UnsafeRawBufferPointer, Arrival) -> Void) throws(SensorError) -> Drained {
        guard !heard.isEmpty else { return try source.drain(body) }
        for (bytes, arrival) in heard { bytes.withUnsafeBytes { body($0, arrival) } }
        heard = []
        return .more
    }

    func send(_ bytes: [UInt8]) throws(SensorError) { try source.send(bytes) }
    func revive() throws(SensorError) -> Bool { try source.revive() }
    func close() { source.close() }
}
