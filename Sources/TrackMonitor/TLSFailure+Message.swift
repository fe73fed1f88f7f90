import Glibc
import NLOSCore

extension TLSFailure {
    /// What happened, with which server, and what to do next.
    func message(_ server: String, _ configuration: MonitorConfiguration) -> Message {
        switch self {
        case .unavailable(let what, let reason):
            Message(text: "\(server): OpenSSL here cannot do \(what): \(reason)", next: "reinstall openssl and ca-certificates")
        case .authorities(let file, let reason):
            Message(
                text: "\(server): cannot take certificate authorities from \(file): \(reason)",
                next: "give a PEM file that can be read, with at least one certificate")
        case .certificate(let failure): failure.message(server, configuration)
        case .wrongKey(let digest):
            Message(
                text: "\(server): the certificate is good, but its key is not the pinned one; SHA-256 of the key there: \(hex(digest))",
                next: "find out from the server's operator whether the key was changed, before you pin another")
        case .tooOld:
            Message(
                text: "\(server): the server has nothing newer than TLS 1.1",
                next: "switch TLS 1.2 or 1.3 on in its proxy ('ssl_protocols TLSv1.2 TLSv1.3;')")
        case .notTLS:
            Message(
                text: "\(server): what answers there does not speak TLS",
                next: "give the port of the TLS proxy, not of the plain server behind it")
        case .closed(errno: 0):
            Message(text: "\(server): the server ended the connection during the TLS handshake", next: "see in the proxy's log why")
        case .closed(let errno):
            Message(
                text: "\(server): the connection broke during the TLS handshake: \(String(cString: strerror(errno)))",
                next: "check the network, and the proxy's log")
        case .other(let reason):
            Message(
                text: "\(server): TLS failed: \(reason)",
                next: "see in the proxy's log why; 'openssl s_client -connect \(server)' shows what it offers")
        }
    }
}

extension CertificateFailure {
    fileprivate func message(_ server: String, _ configuration: MonitorConfiguration) -> Message {
        let dates = notBefore.map { " It counts from \($0) to \(notAfter ?? "an unreadable date")." } ?? ""
        let text = "\(server): refused: \(who): \(words).\(dates)"
        if isDate {
            let now = utcTime(unixMs: configuration.clocks.unixMs())
            return Message(
                text: "\(text) This machine's clock says \(now).",
                next: "if that is not the time, set this machine's clock ('timedatectl'); else have the certificate renewed")
        }
        if isName {
            return Message(
                text: text,
                next:
                    "use a name or an IP address that stands in the certificate's subject alternative names, or have one made for \(configuration.endpoint.host)"
            )
        }
        if isUntrusted {
            return Message(
                text: text, next: "if an authority of your own signed it, name that one's file with --ca-file; else install ca-certificates"
            )
        }
        return Message(text: text, next: "have the certificate mended; 'openssl s_client -connect \(server) -showcerts' shows the chain")
    }
}

private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
