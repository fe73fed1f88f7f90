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
        case .tls(let failure), .damaged(let failure): return failure.message(server, configuration)
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
