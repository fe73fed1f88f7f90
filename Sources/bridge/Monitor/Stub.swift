import NLOSCore
import TrackMonitor
extension PairingToken {
    static func find(for endpoint: MonitorEndpoint) throws(CredentialFailure) -> PairingToken { throw .notPaired(endpoint) }
}
extension CredentialFailure { var message: Message { Message(text: "stub") } }
