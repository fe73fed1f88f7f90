/// UART settings as CDC carries them: seven bytes.
public struct LineCoding: Equatable, Sendable, CustomStringConvertible {
    public var baud: UInt32
    /// 0: one, 1: one and a half, 2: two stop bits.
    public var stopBits: UInt8
    /// 0 none, 1 odd, 2 even, 3 mark, 4 space.
    public var parity: UInt8
    public var dataBits: UInt8

    public init(baud: UInt32, stopBits: UInt8 = 0, parity: UInt8 = 0, dataBits: UInt8 = 8) {
        self.baud = baud
        self.stopBits = stopBits
        self.parity = parity
        self.dataBits = dataBits
    }

    /// What `cdc_acm` sets when it binds.
    public static let kernelDefault = LineCoding(baud: 9600)

    public init?(wire: [UInt8]) {
        guard wire.count == 7 else { return nil }
        self.init(
            baud: wire[0..<4].reversed().reduce(0) { $0 << 8 | UInt32($1) }, stopBits: wire[4], parity: wire[5], dataBits: wire[6])
    }

    public var wire: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: baud >> (8 * $0)) } + [stopBits, parity, dataBits] }

    public var description: String {
        let letter = parity < 5 ? String(Array("NOEMS")[Int(parity)]) : "?"
        return "\(baud) \(dataBits)\(letter)\(["1", "1.5", "2"][min(Int(stopBits), 2)])"
    }
}

/// One thing that a host program did to a board.
public enum HostAction: Equatable, Sendable {
    case opened
    /// The last descriptor of that opening went away, by close or by death of the process.
    case closed
    case claimed(UInt8)
    case claimRefused(UInt8, errno: Int32)
    case released(UInt8)
    /// Used without a claim: the kernel claims by itself and grumbles. A fault of the program.
    case claimedImplicitly(UInt8)
    /// A kernel driver had to let go of the interface.
    case detached(UInt8)
    /// The kernel driver is bound again.
    case attached(UInt8)
    case attachFailed(UInt8)
    case setLineCoding(LineCoding)
    case getLineCoding
    case setLineState(dtr: Bool, rts: Bool)
    case sendBreak(milliseconds: UInt16)
    /// A control request that the board refused: bmRequestType, bRequest, wIndex.
    case stalledRequest(type: UInt8, request: UInt8, index: UInt16)
    case clearedHalt(endpoint: UInt8)
    case discarded(endpoint: UInt8)
    case reset
    case setInterface(UInt8, alternate: UInt8)
    case setConfiguration(Int32)
    /// An ioctl that the emulation does not know; it was answered with ENOTTY.
    case unknownIoctl(UInt)
}

/// What host programs did to a board since it was plugged in (or since `clearLog`).
public struct HostLog: Sendable {
    public var actions: [HostAction] = []
    /// Everything written to bulk OUT endpoints of serial ports, in order.
    public var written: [UInt8] = []
    /// Every interface that was claimed, detached, attached or moved data.
    public var touched: Set<UInt8> = []
    /// Bulk IN transfers (URBs) submitted; how deep the queue was at most; sizes seen.
    public var inTransfers = 0
    public var deepestQueue = 0
    public var inTransferSizes: Set<Int> = []
    /// Fetches (REAPURBNDELAY) that found nothing: many of them mean that somebody spins instead of waiting.
    public var fruitlessFetches = 0
    /// Fed bytes that no transfer took in time, see `EmulatedBoard.queueLimit`.
    public var bytesDropped = 0

    public init() {}

    public func count(_ action: HostAction) -> Int { actions.count { $0 == action } }
    public func contains(_ action: HostAction) -> Bool { actions.contains(action) }
    /// The line codings set, in order.
    public var lineCodings: [LineCoding] {
        actions.compactMap { if case .setLineCoding(let coding) = $0 { coding } else { nil } }
    }
}
