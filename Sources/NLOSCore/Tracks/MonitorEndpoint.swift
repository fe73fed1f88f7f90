/// Where a server's track stream is: an address that passed the wire contract's rules (B, "endpoint").
public struct MonitorEndpoint: Hashable, Sendable {
    public static let path = "/api/v1/nlos/ws"
    /// Bytes.
    public static let longestText = 2_048
    public static let defaultPort: UInt16 = 443

    /// Lower case, without a trailing dot; an IPv6 address without brackets, in its shortest form.
    public let host: String
    public let port: UInt16
    /// The host is an IP address: nothing to look up, and no name to send in the TLS greeting.
    public let isAddress: Bool

    /// Reads `wss://HOST[:PORT]/api/v1/nlos/ws`. Anything more, less or else is refused, by the first rule that it breaks.
    public init(_ text: String) throws(EndpointRefusal) {
        let bytes = Array(text.utf8.prefix(Self.longestText + 1))
        guard bytes.count <= Self.longestText else { throw .tooLong }
        // Terminals and logs show such bytes as something else, or not at all.
        guard bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7f }) else { throw .control }
        let scheme = Array("wss://".utf8)
        guard Self.lowercased(bytes.prefix(scheme.count)) == scheme else { throw .scheme }
        let rest = bytes.dropFirst(scheme.count)
        let authority = rest.prefix { !Self.endOfAuthority.contains($0) }
        let tail = rest[authority.endIndex...]
        guard !authority.contains(UInt8(ascii: "@")) else { throw .userInfo }
        guard !rest.contains(UInt8(ascii: "#")) else { throw .fragment }
        guard !rest.contains(UInt8(ascii: "?")) else { throw .query }
        guard !rest.contains(UInt8(ascii: "%")) else { throw .percentEncoding }

        let (name, digits) = try Self.split(authority)
        let host = try EndpointHost(name)
        port = try digits.map { digits throws(EndpointRefusal) in try Self.port(digits) } ?? Self.defaultPort
        guard tail.elementsEqual(Self.path.utf8) else { throw .path }
        self.host = host.text
        isAddress = host.isAddress
    }

    /// What a stored token is bound to: `host:port`, an IPv6 address in brackets.
    public var credentialName: String { "\(bracketed):\(port)" }

    /// The value of the HTTP header `Host`: without the port where it is the usual one.
    public var hostHeader: String { port == Self.defaultPort ? bracketed : credentialName }

    private var bracketed: String { host.contains(":") ? "[\(host)]" : host }

    private static let endOfAuthority = Array("/?#".utf8)

    /// Host and port; no port where there is no colon. A host in brackets keeps them.
    private static func split(
        _ authority: ArraySlice<UInt8>
    ) throws(EndpointRefusal) -> (host: ArraySlice<UInt8>, port: ArraySlice<UInt8>?) {
        let isBracketed = authority.first == UInt8(ascii: "[")
        guard let end = authority.firstIndex(of: UInt8(ascii: isBracketed ? "]" : ":")) else {
            if isBracketed { throw .address }
            return (authority, nil)
        }
        let host = isBracketed ? authority[...end] : authority[..<end]
        let behind = authority[host.endIndex...]
        guard let colon = behind.first else { return (host, nil) }
        guard colon == UInt8(ascii: ":") else { throw .address }
        return (host, behind.dropFirst())
    }

    private static func port(_ digits: ArraySlice<UInt8>) throws(EndpointRefusal) -> UInt16 {
        // Two colons and no brackets: an IPv6 address rather than a port.
        guard !digits.contains(UInt8(ascii: ":")) else { throw .address }
        guard let first = digits.first, first != UInt8(ascii: "0"), digits.count <= 5,
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = UInt16(String(decoding: digits, as: UTF8.self))
        else { throw .port }
        return port
    }

    static func lowercased(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        bytes.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    }
}
