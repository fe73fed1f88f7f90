import NLOSCore

/// What the wire contract (B, "first message" and after) makes of a server's messages: which may be shown, and until when.
///
/// Without I/O; time comes from the clocks that it is given. A thrown end is the end of the connection.
struct TrackStream {
    private let name: String
    private let clocks: Clocks
    private let post: (MonitorEvent) -> Void
    private var accepted: Accepted?
    /// Until then the first message has to be here.
    private let firstMessageByBootNs: UInt64
    private let quiet: Double
    private var quietSinceBootNs: UInt64
    private var quietFor: Double

    /// What begins with the authenticated message.
    private struct Accepted {
        let session: AuthenticatedSession
        var gate: StreamGuard
        var display: TrackDisplay
        var skew = ClockSkewWatch()
        /// By the clocks as they were, or by the clocks as they were set since: whichever is sooner.
        var endsAtBootNs: UInt64
    }

    /// `name` is the server's, for people.
    init(name: String, limits: MonitorLimits, clocks: Clocks, post: @escaping (MonitorEvent) -> Void) {
        self.name = name
        self.clocks = clocks
        self.post = post
        let now = clocks.bootNs()
        firstMessageByBootNs = now.later(bySeconds: limits.firstMessage)
        quiet = limits.quiet
        quietFor = limits.quiet
        quietSinceBootNs = now
    }

    /// When `tick` is due, on the boot clock.
    var nextDeadlineBootNs: UInt64 {
        guard let accepted else { return firstMessageByBootNs }
        let notice = quietSinceBootNs.later(bySeconds: quietFor)
        return min(accepted.display.nextDeadlineBootNs ?? .max, accepted.endsAtBootNs, notice)
    }

    /// Lets go of what has run out.
    mutating func tick() throws(SessionEnd) {
        let now = clocks.bootNs()
        guard accepted != nil else {
            if now >= firstMessageByBootNs { throw .authenticationTimeout }
            return
        }
        try expire(now)
        guard now >= quietSinceBootNs.later(bySeconds: quietFor) else { return }
        let seconds = interval(from: quietSinceBootNs, to: now) / 1_000_000_000
        post(
            .notice(
                Message(
                    text: "connected to \(name), and no track message for \(seconds) s",
                    next: "nothing is shown until one comes; see on the server whether its sensors deliver")))
        // After a suspend one notice, not all those that were slept through.
        quietFor = 2 * max(quietFor, Double(seconds), 1)
    }

    /// A text message. Its bytes are not kept.
    mutating func text(_ bytes: UnsafeRawBufferPointer) throws(SessionEnd) {
        // In this order: a suspend between the two shortens what is shown and stretches nothing.
        let bootNs = clocks.bootNs()
        let unixMs = clocks.unixMs()
        try expire(bootNs)
        quietSinceBootNs = bootNs
        quietFor = quiet
        guard accepted != nil else { return try authenticate(bytes, unixMs: unixMs, bootNs: bootNs) }
        do throws(Rejection) {
            guard let frame = try accepted?.gate.admit(bytes, unixMs: unixMs, bootNs: bootNs) else { return }
            accepted?.display.show(frame)
            accepted?.skew.accepted()
            post(.frame(frame))
        } catch {
            if Self.isAuthenticatedMessage(bytes, error, unixMs: unixMs) { throw .authenticatedTwice }
            reject(error)
            if let notice = accepted?.skew.rejected(error, bytes, unixMs: unixMs) { post(.notice(notice)) }
        }
    }

    /// A message that is not text.
    mutating func binary() throws(SessionEnd) {
        try expire(clocks.bootNs())
        guard accepted != nil else { throw .firstMessage(.unsupportedBinary) }
        reject(.unsupportedBinary)
    }

    /// A message that may not be shown: what is on display goes at once, the guard does not move.
    mutating func reject(_ rejection: Rejection) {
        guard accepted != nil else { return }
        post(.rejected(rejection))
        clear(.rejected)
    }

    /// The wall clock was set: what was judged by it is not to be trusted any more, and the session ends no later for it.
    mutating func clockStep() throws(SessionEnd) {
        guard let accepted else { return }
        let bootNs = clocks.bootNs()
        let left = interval(from: clocks.unixMs(), to: accepted.session.expiresAtUnixMs)
        self.accepted?.endsAtBootNs = min(accepted.endsAtBootNs, bootNs.later(bySeconds: Double(left) / 1000))
        clear(.clockStep)
        post(
            .notice(
                Message(
                    text: "this machine's clock was set, so nothing that was judged by it before is shown any more",
                    next: "the next message from \(name) shows again")))
        try expire(bootNs)
    }

    /// The connection is over.
    mutating func finish(_ reason: ClearReason) { clear(reason) }

    private mutating func clear(_ reason: ClearReason) {
        if accepted?.display.clear() == true { post(.cleared(reason)) }
    }

    private mutating func expire(_ now: UInt64) throws(SessionEnd) {
        guard let accepted else { return }
        if now >= accepted.endsAtBootNs {
            clear(.sessionExpired)
            throw .sessionExpired
        }
        switch self.accepted?.display.tick(bootNs: now) {
        case .frame: post(.cleared(.expired))
        case .session(let cleared):
            if cleared { post(.cleared(.sessionExpired)) }
            throw .sessionExpired
        case nil: break
        }
    }

    private mutating func authenticate(_ bytes: UnsafeRawBufferPointer, unixMs: UInt64, bootNs: UInt64) throws(SessionEnd) {
        let session: AuthenticatedSession
        do throws(Rejection) {
            session = try AuthenticatedSession.decode(bytes, atUnixMs: unixMs)
        } catch { throw .firstMessage(error) }
        let display = TrackDisplay(session: session, unixMs: unixMs, bootNs: bootNs)
        accepted = Accepted(
            session: session, gate: StreamGuard(session: session), display: display, endsAtBootNs: display.sessionEndsAtBootNs)
        post(.authenticated(session))
    }

    /// Whether a message that is no track message is a second authenticated one, good or bad.
    private static func isAuthenticatedMessage(_ bytes: UnsafeRawBufferPointer, _ rejection: Rejection, unixMs: UInt64) -> Bool {
        // A second shape can only fit what did not fit the first.
        guard rejection == .malformed else { return false }
        do throws(Rejection) {
            _ = try AuthenticatedSession.decode(bytes, atUnixMs: unixMs)
            return true
        } catch {
            return error != .malformed && error != .invalidField("schema")
        }
    }
}
