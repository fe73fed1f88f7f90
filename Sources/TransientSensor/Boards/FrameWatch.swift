internal import NLOSCore

/// Notices a stream that goes on without frames: an endless line, damage in every frame, garbage after a good start.
///
/// Time counts from the first byte after the last frame and only as bytes come; a silent line is another matter, with limits of its own.
struct FrameWatch: Sendable {
    /// Bytes that came after the last frame, without the rest of the chunk that held its end.
    private(set) var bytes: UInt64 = 0
    private var first: UInt64?
    private var last: UInt64 = 0
    /// The time has begun anew since the last frame: once, or a byte now and then would go on for ever.
    private var excused = false
    private var told = false

    /// `pauseNs`: what comes after so long a silence may be a stream that goes on, or bytes that nobody has read in time.
    mutating func bytesCame(_ count: Int, _ now: UInt64, pauseNs: UInt64) {
        if first == nil {
            first = now
        } else if interval(from: last, to: now) >= pauseNs {
            startOver(now)
        }
        bytes += UInt64(count)
        last = now
    }

    mutating func frameCame() { self = FrameWatch() }

    /// The board has started anew: it needs its time, and that is the gap.
    mutating func boardStarted(_ now: UInt64) {
        told = true
        startOver(now)
    }

    private mutating func startOver(_ now: UInt64) {
        guard !excused else { return }
        excused = true
        first = now
    }

    /// When the stretch without frames began, once, when it is this long.
    mutating func gap(afterNs limit: UInt64) -> UInt64? {
        guard !told, let first, interval(from: first, to: last) >= limit else { return nil }
        told = true
        return first
    }

    func isOver(_ limit: UInt64) -> Bool {
        guard let first else { return false }
        return interval(from: first, to: last) >= limit
    }
}
