/// Whose the stream is, as far as a session has seen: it decides what the session undoes when it ends.
struct DepzStreamOwner: Equatable, Sendable {
    private enum Whose {
        /// No stream was seen, and none was started.
        case nobody
        /// It flowed before this session started any.
        case somebody
        /// Somebody's; this session has stopped it, to ask the sensor.
        case paused
        /// Somebody's, as it was found; this session has told it to flow again.
        case resumed
        /// It flows because this session said so.
        case session
    }

    enum Farewell {
        case nothing, stop, start
    }

    private var whose = Whose.nobody
    /// What was so before a start that has not been answered yet.
    private var beforeStart: Whose?

    /// Somebody streams, as it was found.
    var isJoined: Bool { whose == .somebody }

    var farewell: Farewell {
        switch whose {
        case .nobody, .somebody, .resumed: .nothing
        case .paused: .start
        case .session: .stop
        }
    }

    mutating func resultCame() {
        if whose == .nobody { whose = .somebody }
    }

    mutating func stopIsSent() {
        if whose == .somebody || whose == .resumed { whose = .paused }
    }

    /// `afterSilence`: whoever had started the stream, it does not flow any more. From the sending on, for the board may stream before
    /// its answer comes, or never answer.
    mutating func startIsSent(afterSilence: Bool = false) {
        beforeStart = beforeStart ?? whose
        switch whose {
        case .nobody, .session: whose = .session
        case .somebody, .paused, .resumed: whose = afterSilence ? .session : .resumed
        }
    }

    mutating func startIsAnswered(_ code: UInt8) {
        guard let before = beforeStart else { return }
        beforeStart = nil
        switch code {
        case DepzStatus.ok: break
        // It streams already: for the one who had started it.
        case DepzStatus.busy: whose = before == .session ? .session : .somebody
        default: whose = before
        }
    }
}
