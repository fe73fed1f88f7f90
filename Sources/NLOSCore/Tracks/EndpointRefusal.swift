/// The first rule of the wire contract (B, "endpoint") that an address breaks.
///
/// No case carries what was typed: a password or a ticket may stand in it.
public enum EndpointRefusal: Error, Equatable, CaseIterable, Sendable {
    case tooLong
    /// A space or a control character.
    case control
    case scheme
    case userInfo, fragment, query, percentEncoding
    case noHost
    /// Not a host name.
    case host
    /// A name outside ASCII.
    case internationalName
    /// Meant as an IP address, and none.
    case address
    case port
    case path

    /// What is wrong and what to type, for people.
    public var message: Message {
        let form = "type wss://HOST/api/v1/nlos/ws, or wss://HOST:PORT/api/v1/nlos/ws"
        return switch self {
        case .tooLong: Message(text: "the server's address is longer than 2,048 bytes", next: form)
        case .control: Message(text: "the server's address holds a space or a control character", next: form)
        case .scheme: Message(text: "the server's address does not begin with wss://, and nothing else is encrypted", next: form)
        case .userInfo:
            Message(
                text: "the server's address names a user or a password; the only secret is the pairing token",
                next: "store the token with 'nlos-bridge pair', and \(form)")
        case .fragment: Message(text: "the server's address has a part behind '#'", next: form)
        case .query:
            Message(
                text: "the server's address has a part behind '?'; a token must not stand in an address, where logs keep it",
                next: "store the token with 'nlos-bridge pair', and \(form)")
        case .percentEncoding: Message(text: "the server's address has a part spelled with '%'; nothing in it needs that", next: form)
        case .noHost: Message(text: "the server's address names no host", next: form)
        case .host: Message(text: "the host in the server's address is not a host name", next: form)
        case .internationalName:
            Message(
                text: "the host in the server's address holds letters outside ASCII, and some look like others",
                next: "type the host's ASCII form, which begins with xn--, as its owner publishes it")
        case .address:
            Message(
                text: "the host in the server's address looks like an IP address and is none",
                next: "type four numbers as in wss://192.0.2.7/api/v1/nlos/ws, or IPv6 in brackets as in wss://[2001:db8::7]/api/v1/nlos/ws"
            )
        case .port: Message(text: "the port in the server's address is not a number from 1 to 65535", next: form)
        case .path: Message(text: "the path in the server's address is not /api/v1/nlos/ws", next: form)
        }
    }
}
