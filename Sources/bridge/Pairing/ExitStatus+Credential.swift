import TrackMonitor

extension ExitStatus {
    init(_ failure: CredentialFailure) {
        self = if failure.isDenial { .denied } else if case .notPaired = failure { .network } else { .failed }
    }
}
