internal import NLOSCore

/// How long a session bears a line that is silent, that cannot be read, or on which no frame comes.
///
/// Made for firmwares whose conversation has no waits of its own; the owner tells what comes, and asks for nothing else.
struct StreamPatience: Sendable {
    private static let second: UInt64 = 1_000_000_000
    /// Longer than anything lasts, and still no overflow when it is added to a time.
    private static let ever = UInt64.max / 4

    /// What differs from firmware to firmware, nanoseconds.
    struct Limits: Sendable {
        /// Without a byte at the start: a board that was reset by its opening has to boot.
        var silentStart = 5 * second
        /// Without a byte in the stream, until a gap is told.
        var gap = second
        /// Without a byte in the stream, until the session gives up.
        var silentStream = 10 * second
        /// With bytes and without a frame, until the session gives up.
        var withoutFrames = 10 * second
    }

    let limits: Limits
    private let place: SessionPlace
    private let baud: UInt32
    private var lastByteNs: UInt64 = 0
    private var firstByteNs: UInt64?
    private var bytes: UInt64 = 0
    private var frames: UInt64 = 0
    private var isUnderstood = false
    private var silenceTold = false
    private(set) var isOver = false
    private var watch = FrameWatch()

    /// `baud` is named when nothing that arrives can be read.
    init(_ place: SessionPlace, baud: UInt32, limits: Limits = Limits()) {
        self.place = place
        self.baud = baud
        self.limits = limits
    }

    /// A frame has come: silence and restarts are gaps in something.
    var streams: Bool { frames > 0 }

    mutating func start(_ now: UInt64) { lastByteNs = now }

    mutating func bytesCame(_ count: Int, _ now: UInt64) {
        firstByteNs = firstByteNs ?? now
        bytes += UInt64(count)
        lastByteNs = now
        silenceTold = false
        watch.bytesCame(count, now, pauseNs: limits.gap)
    }

    /// What came is this firmware's.
    mutating func understood() { isUnderstood = true }

    mutating func frameCame() {
        isUnderstood = true
        frames += 1
        watch.frameCame()
    }

    /// The board has started anew and needs its time.
    mutating func boardStarted(_ now: UInt64) {
        isUnderstood = true
        watch.boardStarted(now)
    }

    /// The session is over, for this reason or another: no deadline is left.
    mutating func end() { isOver = true }

    mutating func fail(_ error: SensorError, _ emit: (SessionOutput) -> Void) {
        guard !isOver else { return }
        isOver = true
        emit(.failed(error))
    }

    /// When `tick` has something to say next.
    var deadlineNs: UInt64? {
        guard !isOver else { return nil }
        let silence = streams && !silenceTold ? min(limits.gap, silenceLimit) : silenceLimit
        return [lastByteNs + silence, unreadableNs].compactMap(\.self).min()
    }

    mutating func tick(_ now: UInt64, _ emit: (SessionOutput) -> Void) {
        guard !isOver else { return }
        if streams, let since = watch.gap(afterNs: limits.gap) { emit(.gap(.noFrames, atMonotonicNs: since)) }
        if let unreadableNs, now >= unreadableNs {
            return fail(.unreadable(path: place.path, bytes: bytes, baud: baud), emit)
        }
        if watch.isOver(limits.withoutFrames) {
            let seconds = Double(limits.withoutFrames / Self.second)
            return fail(.noFrames(path: place.path, bytes: watch.bytes, seconds: seconds), emit)
        }
        if now >= lastByteNs + silenceLimit {
            fail(.silent(path: place.path, seconds: Double(silenceLimit / Self.second)), emit)
        } else if streams, !silenceTold, now >= lastByteNs + limits.gap {
            silenceTold = true
            emit(.gap(.silence, atMonotonicNs: lastByteNs))
        }
    }

    /// A recording may be silent as long as it was; it is a gap and no reason to stop playing.
    private var silenceLimit: UInt64 {
        place.isRecorded ? Self.ever : streams ? limits.silentStream : limits.silentStart
    }

    /// A kilobyte that makes no sense is given 3 s, fewer bytes 10 s.
    private var unreadableNs: UInt64? {
        guard !isUnderstood, let firstByteNs else { return nil }
        return firstByteNs + (bytes >= 1_024 ? 3 : 10) * Self.second
    }
}
