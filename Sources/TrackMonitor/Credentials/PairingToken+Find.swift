import Glibc
public import NLOSCore

extension PairingToken {
    /// The token for the server: the one that the service manager hands to this service, else the one that the user paired with.
    public static func find(for endpoint: MonitorEndpoint) throws(CredentialFailure) -> PairingToken {
        if let token = try managed(for: endpoint) { return token }
        guard let token = try CredentialStore.ofUser().token(for: endpoint) else { throw .notPaired(endpoint) }
        return token
    }

    /// The token in `$CREDENTIALS_DIRECTORY`, where systemd puts what a unit's `LoadCredential=` names, in the file
    /// `nlos-bridge.HOST+PORT`; nil when there is none.
    public static func managed(for endpoint: MonitorEndpoint) throws(CredentialFailure) -> PairingToken? {
        guard let path = try absolutePath(in: "CREDENTIALS_DIRECTORY"), let folder = try OpenedFile.dataDirectory(path),
            let file = try folder.managedCredential("nlos-bridge.\(endpoint.pairingFileName)")
        else { return nil }
        return try read(from: file.descriptor)
    }
}
