/// How an emulated board behaves where the real ones are not known to agree, and what goes wrong with it.
public struct EmulationOptions: Equatable, Sendable {
    /// What a ranging frequency above the sensor's limit does; no public source says.
    public enum ExcessRate: Sendable { case clamped, stopsFrames }
    /// Where a frame ends when a configuration packet is complete; never inside a row.
    public enum FrameStop: Sendable { case afterFrame, afterRow }

    public var excessRate = ExcessRate.clamped
    public var frameStop = FrameStop.afterFrame
    /// What the firmware's one-byte transfers make of 2,250,000 baud; an estimate.
    public var bytesPerSecond: UInt64 = 110_000
    /// Bytes that appear at once, as a full USB transfer does; at least 1.
    public var burstBytes = 256
    public var faults = FirmwareFaults()
    /// What the TMF882x boards alone have.
    public var tmf882x = TMF882xOptions()

    public init() {}
}

/// What can go wrong inside the board.
public struct FirmwareFaults: Equatable, Sendable {
    /// How the sensor chip answers the board.
    public enum Sensor: Sendable {
        case working
        /// A wrong id: banner, ready line, and then nothing for ever.
        case wrongId
        /// No answer: the `not detected` line again and again.
        case missing
        /// It does not take its firmware: the `Loading failed` line again and again.
        case refusingFirmware
    }

    /// Nanoseconds of silence before anything else.
    public var firstByteDelayNs: UInt64 = 0
    /// Stray bytes in the command receiver at the start, 0 ... 25.
    public var strayBytes = 0
    public var sensor = Sensor.working
    /// Every configuration from the host is refused with this status.
    public var refusalStatus: UInt8?
    /// Frames after which the board prints nothing more.
    public var silentAfterFrames: UInt64?
    /// The board restarts in the middle of the row after this many whole frames, each time.
    public var resetAfterFrames: UInt64?
    /// Each n-th frame is replaced by the error line about results.
    public var extractionErrorEvery: UInt64?
    /// In each n-th frame one bin exceeds 65,535.
    public var overflowEvery: UInt64?
    /// Every bin is cut to a multiple of this, as in a build that dropped the fraction before it scaled.
    public var histogramStep: Int64 = 1
    /// Each n-th frame has the numbers of the one before it.
    public var frozenEvery: UInt64?
    /// Every distance is 0.
    public var measuresNoDistance = false
    /// Standard deviation that is added to every distance, millimetres.
    public var distanceNoiseMm = 0
    /// Measured frames after which the ambient light is sixteen times as strong.
    public var brighterAfterFrames: UInt64?
    /// What only DEPZ boards have, each with the frames that it happens in: each n-th, n at least 1.
    public var depz: [DepzFault: UInt64] = [:]
    public var miniTof = MiniTofFaults()

    public init() {}
}
