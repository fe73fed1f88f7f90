/// What is on display of one session, and until when: a model without a screen and without a clock of its own.
///
/// Every time is the boot clock's, in nanoseconds: it runs on during suspend and cannot be set, so no such event shows anything for
/// longer. A step of the wall clock is for the owner to notice; it answers with `clear`. An accepted frame without any visible track
/// is on display too: what is shown is that there is none, and the watermark.
public struct TrackDisplay: Sendable {
    /// When the session is over, measured when it was accepted.
    public let sessionEndsAtBootNs: UInt64
    private let sessionId: SafeLabel
    private var frame: DisplayableFrame?
    private var isOver = false

    /// For a session accepted at these readings of the two clocks, the boot clock read first.
    public init(session: AuthenticatedSession, unixMs: UInt64, bootNs: UInt64) {
        sessionId = session.sessionId
        sessionEndsAtBootNs = later(bootNs, byMs: interval(from: unixMs, to: session.expiresAtUnixMs))
    }

    /// What may be seen at this time. There is no other way to the frame, so none can be seen after its expiry or the session's end.
    public func frame(atBootNs now: UInt64) -> DisplayableFrame? {
        guard let frame, now < frame.expiresAtBootNs, now < sessionEndsAtBootNs else { return nil }
        return frame
    }

    /// When `tick` is due next; nil when nothing is to come, after the session's end.
    public var nextDeadlineBootNs: UInt64? {
        isOver ? nil : min(frame?.expiresAtBootNs ?? .max, sessionEndsAtBootNs)
    }

    /// Puts the frame in the place of what is on display. One of another session, or after the session's end, only clears.
    public mutating func show(_ frame: DisplayableFrame) {
        self.frame = !isOver && frame.sessionId == sessionId ? frame : nil
    }

    /// Takes everything off display. Whether there was anything.
    @discardableResult
    public mutating func clear() -> Bool {
        defer { frame = nil }
        return frame != nil
    }

    /// What has run out.
    public enum Expiry: Equatable, Sendable {
        /// The frame; it was on display until now.
        case frame
        /// The session, which is over for good; and whether anything was on display until now.
        case session(cleared: Bool)
    }

    /// Clears what has run out by now. Nil when nothing has; each expiry is told once.
    public mutating func tick(bootNs now: UInt64) -> Expiry? {
        guard !isOver else { return nil }
        if now >= sessionEndsAtBootNs {
            isOver = true
            return .session(cleared: clear())
        }
        guard let frame, now >= frame.expiresAtBootNs else { return nil }
        clear()
        return .frame
    }
}
