import Glibc
import NLOSCore

extension SessionEnd {
    /// What the owner is told.
    func disconnection(_ configuration: MonitorConfiguration) -> Disconnection {
        var closeCode: UInt16?
        if case .serverClosed(let code, _) = self { closeCode = code }
        return Disconnection(reason: reason, detail: message(configuration), closeCode: closeCode, mayPass: mayPass)
    }

    /// What happened, with which server, and what to do next. What the server said is escaped and cut, and no secret is in it.
    func message(_ configuration: MonitorConfiguration) -> Message {
        let endpoint = configuration.endpoint
        let limits = configuration.limits
        let server = endpoint.credentialName
        switch self {
        case .stopped: return Message(text: "\(server): the connection was ended here")
        case .system(let failure):
            return Message(
                text: "\(server): this machine could not go on: \(failure.operation): \(failure.reason)",
                next: "see 'ulimit -n' and the free memory, then try again")
        case .nameNotFound(let code, let errno):
            let why = code == EAI_SYSTEM ? String(cString: strerror(errno)) : String(cString: gai_strerror(code))
            return Message(
                text: "\(server): the name has no address: \(why)",
                next: "check the spelling, and with 'getent hosts \(endpoint.host)' what this machine knows")
        case .nameTimeout:
            return Message(
                text: "\(server): nobody said within \(seconds(limits.connect)) what the address of this name is",
                next: "check this machine's network and name servers: 'getent hosts \(endpoint.host)'")
        case .unreachable(let address, let errno, let addresses):
            let which = addresses > 1 ? "none of \(addresses) addresses answers; the last, \(address)" : address
            return Message(
                text: "\(server): no connection to \(which): \(String(cString: strerror(errno)))",
                next: errno == ECONNREFUSED
                    ? "start the server or its TLS proxy there, or correct the port"
                    : "check the network, the address and the firewalls between")
        case .tls(let failure): return failure.message(server, configuration)
        case .tlsTimeout:
            return Message(
                text: "\(server): the TLS handshake was not done within \(seconds(limits.tls))",
                next: "check that the TLS proxy listens on this port, and not the plain server behind it")
        case .upgrade(let failure): return failure.message(server)
        case .upgradeTimeout:
            return Message(
                text: "\(server): no answer to the WebSocket upgrade within \(seconds(limits.upgrade))",
                next: "see in the proxy's log whether it reaches the RuView server")
        case .lost(errno: 0):
            return Message(
                text: "\(server): the connection ended without a close frame", next: "see in the logs of the server and of the proxy why")
        case .lost(let errno):
            return Message(
                text: "\(server): the connection broke: \(String(cString: strerror(errno)))",
                next: "check the network, and whether the server runs")
        case .webSocket(let breach):
            return Message(
                text: "\(server): broke the WebSocket protocol: \(breach.words) (told it so with code \(breach.closeCode))",
                next: "see whether something between here and the server rewrites its frames, and update the server")
        case .authenticationTimeout:
            return Message(
                text: "\(server): no authenticated message within \(seconds(limits.firstMessage)) of the upgrade",
                next: "see on the server whether it knows this token, and whether the address leads to a RuView server")
        case .firstMessage(let rejection): return Self.message(onFirst: rejection, server)
        case .authenticatedTwice:
            return Message(
                text: "\(server): sent a second authenticated message in one session",
                next: "connect again; if it comes back, update the server")
        case .idle(let limit):
            return Message(
                text: "\(server): nothing came for \(seconds(limit)), not even an answer to a ping",
                next: "check the network, and whether the server runs")
        case .sessionExpired:
            return Message(text: "\(server): the session is over, as its server had announced", next: "connect again for a new one")
        case .serverClosed(let code, let reason):
            let saying = reason.isEmpty ? "" : ", saying \"\(shortened(reason, to: 120))\""
            return Message(
                text: "\(server): the server closed the connection \(code.map { "with code \($0)" } ?? "without a code")\(saying)",
                next: "connect again; --reconnect does so by itself")
        }
    }

    private static func message(onFirst rejection: Rejection, _ server: String) -> Message {
        let clocks = "the clocks of this machine and of the server differ too much"
        switch rejection {
        case .stale:
            return Message(
                text: "\(server): its authenticated message is already over, or \(clocks)",
                next: "set both clocks by NTP; 'timedatectl' says whether this one is")
        case .excessiveLifetime:
            return Message(
                text: "\(server): its session would last longer than an hour, or \(clocks)",
                next: "set both clocks by NTP; 'timedatectl' says whether this one is")
        default:
            let verdict = rejection.field.map { "\(rejection.name) \($0)" } ?? rejection.name
            return Message(
                text: "\(server): its first message is not a ruview.nlos.authenticated.v1 message (\(verdict))",
                next: "check that the address leads to a RuView server of this version")
        }
    }
}

/// A limit, for people.
private func seconds(_ limit: Double) -> String {
    let tenths = Int(exactly: (min(max(limit, 0), 1e6) * 10).rounded()) ?? 0
    return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
}

extension UpgradeFailure {
    fileprivate func message(_ server: String) -> Message {
        switch self {
        case .unauthorized:
            Message(
                text: "\(server): the server does not accept the pairing token (401)",
                next: "pair again with its present token: nlos-bridge pair wss://\(server)/api/v1/nlos/ws")
        case .forbidden:
            Message(
                text: "\(server): the server refuses this client (403)",
                next: "see in the log of the server and of the proxy why, before you try again")
        case .redirect(let status, let target):
            Message(
                text: "\(server): the server redirects to \(target) (\(status)); that is not followed, as the pairing token would go there",
                next: "give the address of the server itself, if you trust that place, and pair with it")
        case .status(let status, let excerpt):
            Message(
                text: "\(server): no WebSocket there: status \(status)" + (excerpt.isEmpty ? "" : ", \"\(excerpt)\""),
                next: "check that the TLS proxy passes /api/v1/nlos/ws on to the RuView server, with its Upgrade header")
        case .headTooLarge:
            Message(text: "\(server): the head of its answer is over 16 KiB", next: "check that the address leads to a RuView server")
        case .malformed(let what):
            Message(
                text: "\(server): its answer is not proper HTTP: \(what)",
                next: "check that the address leads to a RuView server, and update its proxy")
        case .wrongHeader(let name, let needed):
            Message(
                text: "\(server): its answer to the upgrade is wrong in the header \(name); needed: \(needed)",
                next: "check that the TLS proxy passes the upgrade on to the RuView server and answers nothing by itself")
        case .closed(errno: 0):
            Message(
                text: "\(server): the server ended the connection instead of answering the upgrade",
                next: "see in the proxy's log whether it reaches the RuView server")
        case .closed(let errno):
            Message(
                text: "\(server): the connection broke before the upgrade was answered: \(String(cString: strerror(errno)))",
                next: "see in the proxy's log why")
        }
    }
}

extension TLSFailure {
    fileprivate func message(_ server: String, _ configuration: MonitorConfiguration) -> Message {
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
            let now = UTCTime.text(unixMs: configuration.clocks.unixMs())
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

extension WebSocketBreach {
    /// What the server did.
    var words: String {
        switch self {
        case .masked: "it masked a frame"
        case .reservedBits: "it set reserved bits of a frame"
        case .reservedOpcode(let opcode): "it sent a frame of the unknown kind \(opcode)"
        case .controlFrame: "it fragmented a control frame or made it longer than 125 bytes"
        case .lengthForm: "it wrote a frame's length in an impossible form"
        case .order: "it sent a message inside another, or the continuation of none"
        case .messageTooLarge: "it sent a message of more than 262144 bytes"
        case .emptyFragments: "it sent empty fragments without end"
        case .text: "it sent text that is not UTF-8"
        case .closeCode(let code): "it sent a close frame with \(code.map { "the forbidden code \($0)" } ?? "half a code")"
        }
    }
}
