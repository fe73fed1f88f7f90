public import NLOSCore

/// How the width and place of the bins came to be known; a text row does not carry them.
public enum BinTimingBasis: String, Sendable {
    /// This run sent the configuration and saw it take effect.
    case configured
    /// The user stated it; nothing was sent.
    case declared
    /// The board was asked in this session and said it.
    case reported
    /// The board was seen to start in this session and nobody configured it since.
    case firmwareDefault = "firmware_default"
    /// The data sheet's value for what this firmware runs; the board does not measure it.
    case nominal
    /// The stream's shape is that of a well-known setting, and nothing more is known. Said aloud wherever it is used.
    case assumed
}

/// Place and width of histogram bins.
public struct BinTiming: Equatable, Sendable {
    /// Picoseconds: the physical bin times the subsample factor.
    public let binWidthPs: Float
    /// First physical bin.
    public let startBin: UInt16
    public let basis: BinTimingBasis

    public init(binWidthPs: Float, startBin: UInt16, basis: BinTimingBasis) {
        self.binWidthPs = binWidthPs
        self.startBin = startBin
        self.basis = basis
    }
}

/// Why a stretch of the stream is missing. The raw value is the name in summaries.
public enum GapReason: String, CaseIterable, Sendable {
    /// The board's banner or ready line came in mid-stream.
    case boardReset = "board_reset"
    /// A USB overflow, a stall or a full queue ate bytes.
    case bytesLost = "bytes_lost"
    /// The line was silent though the device was present.
    case silence
    /// The firmware said that it lost one frame itself.
    case firmwareLost = "firmware_lost"
    /// Bytes came and made no frame: an endless line, damage in every frame, another line rate.
    case noFrames = "no_frames"
    /// The device's own count of its frames went on by more than one.
    case framesMissing = "frames_missing"
}

/// What a firmware session tells its owner.
public enum SessionOutput: Equatable, Sendable {
    case frame(FirmwareFrame)
    case rejected(FrameFault)
    case log(FirmwareLine)
    case gap(GapReason, atMonotonicNs: UInt64)
    /// Bytes to write to the board now.
    case send([UInt8])
    /// Something to tell the user that is no failure, e.g. that the receiver is being realigned.
    case notice(Message)
    /// The session cannot go on.
    case failed(SensorError)
}

/// Totals of one session. Every loss has a name.
public struct StreamCounters: Equatable, Sendable {
    public var bytesReceived: UInt64 = 0
    /// Bytes before the first whole frame, and bytes of frames and lines that could not be kept.
    public var bytesSkipped: UInt64 = 0
    public var framesDecoded: UInt64 = 0
    public var rejected: [FrameFault: UInt64] = [:]
    /// Frames that never came, by the device's own count; nil where it keeps none.
    public var framesMissing: UInt64?

    public init() {}
}

/// One firmware's conversation: configuration, verification by effect, frames, faults.
///
/// A plain value: bytes and time in, outputs out; it owns no descriptor and reads no clock.
public protocol FirmwareSession: Sendable {
    var counters: StreamCounters { get }
    /// Nil until the stream's shape is known, or when nothing says how wide its bins are.
    var timing: BinTiming? { get }
    var shape: FrameShape? { get }
    /// What the firmware called itself in this session.
    var firmwareVersion: SafeLabel? { get }
    /// Where the stream tells that it is another one than the profile's.
    var fieldOfView: FieldOfView? { get }
    /// What stops a stream that this session has started: sent when the device is given back. Empty where nothing was started.
    var farewell: [UInt8] { get }
    /// When `tick` wants to be called next, on the monotonic clock.
    var deadlineNs: UInt64? { get }

    mutating func start(nowNs: UInt64, _ emit: (SessionOutput) -> Void)
    mutating func push(_ chunk: UnsafeRawBufferPointer, _ arrival: Arrival, _ emit: (SessionOutput) -> Void)
    /// Bytes are known to be missing between the last push and the next one.
    mutating func lostBytes(nowNs: UInt64, _ emit: (SessionOutput) -> Void)
    mutating func tick(nowNs: UInt64, _ emit: (SessionOutput) -> Void)
    /// No byte will come any more: what is complete goes out, the rest is counted.
    mutating func finish(_ emit: (SessionOutput) -> Void)
}

extension FirmwareSession {
    public var fieldOfView: FieldOfView? { nil }
    public var farewell: [UInt8] { [] }
}
