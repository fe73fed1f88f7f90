public import NLOSCore

/// How a run ended. There is exactly one, and it never changes.
public enum ValidationOutcome: Equatable, Sendable {
    /// Every check was met in the full 45 seconds.
    case completed(Completion)
    /// Every check was met in a shortened run, which proves nothing and is never `completed`.
    case shortenedRunPassed
    /// Stopped by the user.
    case cancelled
    case failed(Verdict)

    /// The diagnostic's `completionStatus`: `completed`, `cancelled` or `failed`.
    ///
    /// A shortened run that met its checks was ended before its 45 seconds were over, and says so: `cancelled`.
    public var completionStatus: String {
        switch self {
        case .completed: "completed"
        case .shortenedRunPassed, .cancelled: "cancelled"
        case .failed: "failed"
        }
    }

    /// The diagnostic's `failureReason`: a sentence that names no device, path, host or single distance; nil when there is none.
    public var publicReason: PublicSentence? {
        switch self {
        case .completed, .cancelled: nil
        case .shortenedRunPassed: "Shortened demonstration: the full 45 seconds were not run."
        case .failed(let verdict): verdict.publicReason
        }
    }
}

/// The proof that a run of the standard plan met every check. Only the run itself makes one.
public struct Completion: Equatable, Sendable {
    /// Nil for a shortened plan.
    init?(of plan: PhasePlan) {
        guard plan == .standard else { return nil }
    }
}

/// Why a run failed, for people.
public struct Verdict: Equatable, Sendable {
    public let failure: ValidationFailure
    /// What was measured, as in `frame rate 7.5 a second`.
    public let measured: String
    /// What was needed, as in `at least 13.5 a second (90 % of 15)`.
    public let needed: String
    public let likelyCause: String
    public let whatToDo: String
    /// For the diagnostic: a sentence of this program's source, so that no name and no distance can be in it. Of what was measured
    /// it holds at most the time at which the light changed, seconds into the run.
    public let publicReason: PublicSentence
}

/// Everything a run has to show for itself when it is over.
public struct ValidationResult: Equatable, Sendable {
    public let outcome: ValidationOutcome
    /// At most two: the phases that began, in order. A phase that was cut short is here with what it had.
    public let phases: [PhaseSummary]
    /// Each figure beside its threshold, for the table at the end.
    public let rows: [SummaryRow]
    /// What a reader should know beside the figures.
    public let notes: [String]
    public let isShortened: Bool
}

/// One figure of the table at the end.
public struct SummaryRow: Equatable, Sendable {
    /// Nil for a figure of the whole run.
    public let phase: Phase?
    public let figure: String
    public let measured: String
    /// Nil for a figure that nothing is asked of.
    public let needed: String?
    /// Nil where nothing is asked, or too little was measured to say.
    public let isMet: Bool?
}
