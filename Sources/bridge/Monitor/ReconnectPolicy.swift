import NLOSCore
import TrackMonitor

/// When to try again after a stream was lost.
///
/// The pause is chosen at random between nothing and a bound that doubles with each attempt (full jitter), so that many monitors do
/// not come back to a server all at once. Only a valid frame takes the bound back: a server that accepts and closes is no better than
/// one that refuses. Whatever the chance says, there are at most so many attempts in a minute.
struct ReconnectPolicy {
    /// Bound of the first pause, seconds.
    static let firstPause = 1.0
    /// The bound never grows beyond this, seconds.
    static let longestPause = 60.0
    static let mostAttempts = 10
    static let windowNs: UInt64 = 60_000_000_000

    /// A number from 0 up to, not including, 1.
    var random: () -> Double = { .random(in: 0..<1) }
    private var losses = 0
    /// When the last attempts began, on the monotonic clock, oldest first.
    private var attempts: [UInt64] = []

    init(random: @escaping () -> Double = { .random(in: 0..<1) }) { self.random = random }

    /// A connection is being tried now.
    mutating func attempted(nowNs: UInt64) { attempts = attempts.suffix(Self.mostAttempts - 1) + [nowNs] }

    /// A frame came that may be shown: the server is well.
    mutating func validFrame() { losses = 0 }

    /// When to try again, on the monotonic clock.
    mutating func next(nowNs: UInt64) -> UInt64 {
        let bound = losses < 6 ? Self.firstPause * Double(1 << losses) : Self.longestPause
        losses += 1
        let pause = nowNs + UInt64(max(0, min(random(), 1)) * min(bound, Self.longestPause) * 1e9)
        guard attempts.count == Self.mostAttempts, let oldest = attempts.first else { return pause }
        return max(pause, oldest + Self.windowNs)
    }
}

extension Disconnection {
    /// What the shell learns when the stream ends with this and is not tried again.
    ///
    /// A server that says goodbye, and a session whose time is over, are ends as they should be. A close frame without a code says
    /// goodbye too; one with a code other than "normal" and "going away" names a failure.
    var status: ExitStatus {
        switch reason {
        case .closedByUser, .sessionExpired: .done
        case .serverClosed: [nil, 1000, 1001].contains(closeCode) ? .done : .network
        default: .network
        }
    }
}
