import NLOSCore

extension MonitorEndpoint {
    /// The name of the file with this server's token: `HOST+PORT`, and a `+` also for each colon of an IPv6 address.
    ///
    /// Different servers have different names, because no host has a `+`; and no name leads out of its folder, because none has a
    /// `/` and all have a `+`. A colon may not stand in the name of a systemd credential.
    var pairingFileName: String {
        get throws(CredentialFailure) {
            let name = "\(host.utf8.map { $0 == UInt8(ascii: ":") ? "+" : String(Unicode.Scalar($0)) }.joined())+\(port)"
            guard name.utf8.count <= Self.longestFileName else { throw .unusableName(self) }
            return name
        }
    }

    /// A file's name has at most 255 bytes; a prefix and a suffix of ours must find room besides.
    private static let longestFileName = 240

    /// What `pair` takes.
    var url: String { "wss://\(hostHeader)\(Self.path)" }
}
