import DepthValidation
import NLOSCore
import TransientSensor

/// How a validation came to its end, whichever way.
enum ValidationEnd {
    /// The tester left it before anything was opened.
    case declined(ExitStatus)
    /// No frame could be asked for.
    case notOpened(RunFailure)
    case ran(ValidationLoop.End)

    /// What the shell learns: 0 only for a completed run.
    var status: ExitStatus {
        switch self {
        case .declined(let status): status
        case .notOpened(let failure): failure.status
        case .ran(let end): end.status
        }
    }

    /// The diagnostic's account of it, of a sensor that reports distances or does not.
    func outcome(reportsDepth: Bool) -> VisibleDepthDiagnostic.Outcome {
        switch self {
        case .declined: return .cancelled([])
        case .notOpened(let failure):
            guard failure.message != nil else { return .cancelled([]) }
            return .failed(reportsDepth ? failure.publicReason : "The sensor's firmware reports no distances.", [])
        case .ran(let end):
            let phases = end.result.phases
            switch end.result.outcome {
            case .completed:
                guard phases.count == 2,
                    let completed = VisibleDepthDiagnostic.Outcome.completed(calibration: phases[0], wallScan: phases[1])
                else { return .failed("A phase ended outside of its time.", phases) }
                return completed
            case .cancelled, .shortenedRunPassed: return .cancelled(phases, end.result.outcome.publicReason)
            case .failed(let verdict): return .failed(verdict.publicReason, phases)
            }
        }
    }
}

extension ValidationLoop.End {
    fileprivate var status: ExitStatus {
        if let signal { return signal }
        if case .completed = result.outcome { return .done }
        if let failure, !failure.isAboutFrames { return ExitStatus(failure) }
        return .failed
    }
}

extension SensorError {
    /// Whether it says that no frames come, or none that can be read: that is what a run judges, not an error beside it.
    var isAboutFrames: Bool {
        switch self {
        case .unplugged, .silent, .unreadable, .noFrames: true
        default: false
        }
    }
}

extension RunFailure {
    fileprivate var publicReason: PublicSentence {
        if isBusy { return "Another program held the sensor." }
        return switch status {
        case .noSensor: "No sensor was found."
        case .denied: "The sensor could not be opened: permission denied."
        case .refused: "The zones were merged, so that distances do not belong to their zones."
        case .device: "The sensor or its firmware reported an error before the first frame."
        default: "The sensor could not be opened."
        }
    }
}
