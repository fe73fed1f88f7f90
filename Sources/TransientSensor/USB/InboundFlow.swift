/// What becomes of transfers that come home: a plain value, so that every order of events can be tried.
///
/// ```
/// flowing --stall--> halting --all home--> halted --cleared--> flowing
///    |                  |                     |
///    +------gone, too many failures-----------+--> ending --all home--> ended
/// ```
struct InboundFlow: Equatable {
    enum Phase: Equatable {
        case flowing
        /// The endpoint stalled; the other transfers are on their way home.
        case halting
        /// All are home: the owner may clear the stall.
        case halted
        /// It is over, and bytes may still come with the transfers that are on their way home.
        case ending(SensorError)
        case ended(SensorError)
        /// The owner closes.
        case closing
    }

    /// What to do with a transfer that came home.
    enum Next: Equatable {
        case submitAgain
        case keep
        /// Keep it, and call the others home.
        case cancelOthers
    }

    /// A second stall this soon after a first is not worth another try.
    static let stallIntervalNs: UInt64 = 1_000_000_000
    /// Line errors without a good transfer in between. A cable being pulled makes many in the moment before the hub tells.
    static let failuresInARow = 1024

    let path: String
    private(set) var phase = Phase.flowing
    private(set) var inFlight = 0
    private(set) var stalls: UInt64 = 0
    private var lastStallNs: UInt64?
    private var failures = 0

    init(path: String) { self.path = path }

    /// Nothing more will happen by itself.
    var needsOwner: Bool {
        switch phase {
        case .halted, .ended: true
        case .flowing, .halting, .ending, .closing: false
        }
    }

    /// After the owner cleared a stall.
    mutating func resume() { if phase == .halted { phase = .flowing } }
    mutating func submitted() { inFlight += 1 }
    mutating func close() { phase = .closing }

    /// It cannot go on. Ends at once when nothing is in flight.
    mutating func fail(_ error: SensorError) {
        switch phase {
        case .flowing, .halting, .halted: phase = inFlight == 0 ? .ended(error) : .ending(error)
        case .ending, .ended, .closing: break
        }
    }

    /// The event loop is dead: what is in flight comes home only when the owner closes.
    mutating func abandon(_ error: SensorError) {
        if phase != .closing { phase = .ended(error) }
    }

    mutating func landed(_ end: TransferEnd, nowNs: UInt64) -> Next {
        inFlight -= 1
        let next = judge(end, nowNs)
        if inFlight == 0, next != .submitAgain { allHome() }
        return next
    }

    private mutating func judge(_ end: TransferEnd, _ nowNs: UInt64) -> Next {
        guard phase == .flowing else {
            if end == .gone, phase == .halting { phase = .ending(.unplugged(path: path)) }
            return .keep
        }
        switch end {
        case .completed, .timedOut, .cancelled, .overflowed:
            failures = 0
            return .submitAgain
        case .gone:
            phase = .ending(.unplugged(path: path))
            return .cancelOthers
        case .stalled:
            stalls += 1
            let before = lastStallNs
            lastStallNs = nowNs
            let again = before.map { nowNs < $0 + Self.stallIntervalNs } ?? false
            phase = again ? .ending(.stalledEndpoint(path: path)) : .halting
            return .cancelOthers
        case .failed:
            failures += 1
            guard failures > Self.failuresInARow else { return .submitAgain }
            phase = .ending(.usb(path: path, operation: "read", failure: .ioError))
            return .cancelOthers
        }
    }

    private mutating func allHome() {
        switch phase {
        case .halting: phase = .halted
        case .ending(let error): phase = .ended(error)
        case .flowing, .halted, .ended, .closing: break
        }
    }
}
