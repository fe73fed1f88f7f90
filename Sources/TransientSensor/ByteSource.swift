public import NLOSCore

/// When bytes reached this machine, on both clocks that a frame carries.
public struct Arrival: Equatable, Sendable {
    public var monotonicNs: UInt64
    public var unixMs: UInt64

    public init(monotonicNs: UInt64, unixMs: UInt64) {
        self.monotonicNs = monotonicNs
        self.unixMs = unixMs
    }

    public static func now(_ clocks: Clocks) -> Arrival {
        Arrival(monotonicNs: clocks.monotonicNs(), unixMs: clocks.unixMs())
    }
}

/// What a source has delivered at one call of `drain`.
public enum Drained: Equatable, Sendable {
    /// Nothing more for now: wait until `readiness` is readable.
    case idle
    /// There may be more at once; the caller decides when to go on.
    case more
    /// No byte will ever come again, and nothing went wrong: a recording is over.
    case finished
}

/// Something that speaks a sensor's bytes: a USB board, a tty, a recording, a simulated board.
///
/// A source belongs to one thread, its owner's, and never blocks it: the owner waits for `readiness` together with
/// whatever else it waits for, then drains. A source may own a thread inside (USB does), which only fills its queue.
public protocol ByteSource: AnyObject {
    /// What frames made of these bytes may say of where they came from; a fact that the source finds out, never an argument.
    var origin: FrameSource { get }
    /// How messages and `probe --json` name it: `usb:1-4`, `tty:/dev/ttyACM0`, `sim:matte-wall`, `replay:FILE`.
    var path: String { get }
    /// A descriptor that `poll` finds readable while `drain` has work to do. Valid until `close` or `revive`: ask for it anew
    /// before every wait.
    var readiness: CInt { get }
    /// Whether the arrivals carry a time of their own (recorded or virtual): then waiting is no loss, a slow reader may hold
    /// the source back, and time goes on only with the bytes.
    var keepsOwnTime: Bool { get }
    /// How a recording names the device.
    var recordedDevice: RecordedDevice { get }
    /// Bytes that this side lost because nobody drained in time; never reset.
    var bytesLost: UInt64 { get }
    /// Times that the device's endpoint stalled; never reset. Each is a hole in the bytes.
    var stalls: UInt64 { get }

    /// Hands over what has arrived, in order, in a bounded amount. The bytes are only valid inside `body`.
    ///
    /// An empty buffer marks a hole: between the bytes before it and the bytes after it some are missing, so that the
    /// frame that is open there cannot be kept (`FirmwareSession.lostBytes`). It never means an end.
    ///
    /// Throws `unplugged` and its kin once everything received before has been handed over.
    func drain(_ body: (UnsafeRawBufferPointer, Arrival) -> Void) throws(SensorError) -> Drained
    /// Sends bytes to the firmware, in full or not at all. A recording refuses.
    func send(_ bytes: [UInt8]) throws(SensorError)
    /// Closes the device and opens it again in the same place, with the same settings: what wakes a debug probe that has
    /// gone silent. `origin`, `path` and the totals stay what they were, `readiness` may become another descriptor.
    ///
    /// It takes as long as an opening does, and waits for the device meanwhile. A hole stands between the bytes from before and
    /// those from after it. When it throws, nothing is open any more, and `drain` and `send` throw the same error from then on.
    /// False from a source that has no device: nothing was done.
    func revive() throws(SensorError) -> Bool
    /// Gives everything back (for USB: the data interface before the control interface, then the kernel driver). Idempotent.
    func close()
}

extension ByteSource {
    public var keepsOwnTime: Bool { false }
    public var recordedDevice: RecordedDevice { .port }
    public var stalls: UInt64 { 0 }
    public func revive() throws(SensorError) -> Bool { false }
}
