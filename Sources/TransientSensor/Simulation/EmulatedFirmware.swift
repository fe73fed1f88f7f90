/// How the host finds an emulated board.
public enum Joining: Sendable {
    /// At power-up or the press of the reset button.
    case atReset
    /// Streaming its default, somewhere inside a frame; a board that waits for commands has been told to measure.
    case midStream
}

/// What an emulated board is to be.
public struct EmulatorPlan: Sendable {
    public var scene: SimulatedScene
    public var options: EmulationOptions
    /// The same seed and the same input give the same bytes.
    public var seed: UInt64
    /// The board's first moment, nanoseconds of whatever clock `advance` is given.
    public var startNs: UInt64
    public var joining: Joining

    public init(
        scene: SimulatedScene, options: EmulationOptions = EmulationOptions(), seed: UInt64, startNs: UInt64 = 0,
        joining: Joining = .atReset
    ) {
        self.scene = scene
        self.options = options
        self.seed = seed
        self.startNs = startNs
        self.joining = joining
    }
}

/// A board's firmware as a value: bytes and time in, bytes out. It reads no clock and does no I/O.
public protocol EmulatedFirmware: Sendable {
    /// Whole frames sent since the start.
    var framesPrinted: UInt64 { get }
    /// Host bytes that the board's receiver had no room for.
    var bytesOverrun: UInt64 { get }
    /// When `advance` has something to do next; nil when nothing will happen by itself.
    var nextEventNs: UInt64? { get }

    /// The reset button. `advance` to this time first.
    mutating func reset(atNs: UInt64)
    /// What the host set on its side. Where the board has another one, garbage goes both ways, byte for byte.
    mutating func setLineCoding(_ coding: LineCoding, dataBits: UInt8, stopBits: UInt8)
    /// The host raised or dropped DTR. `advance` to this time first.
    mutating func setDTR(_ isUp: Bool, atNs: UInt64)
    /// Bytes from the host. They take effect when `advance` passes `atNs`.
    mutating func receive(_ bytes: some Collection<UInt8>, atNs: UInt64)
    /// Lets time pass up to and including `toNs` and hands out what the board sends meanwhile, in order.
    mutating func advance(toNs now: UInt64, _ emit: (UnsafeRawBufferPointer) -> Void)
}

extension EmulatedFirmware {
    /// 8 data bits and one stop bit.
    public mutating func setLineCoding(_ coding: LineCoding) { setLineCoding(coding, dataBits: 8, stopBits: 0) }

    /// Most boards take no notice.
    public mutating func setDTR(_ isUp: Bool, atNs: UInt64) {}
}
