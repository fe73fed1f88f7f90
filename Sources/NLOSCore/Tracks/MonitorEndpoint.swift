/// Where a server's track stream is: an address that passed the wire contract's rules (B, "endpoint").
public struct MonitorEndpoint: Hashable, Sendable {
    /// Lower case, without a trailing dot; an IPv6 address without brackets.
    public let host: String
    public let port: UInt16
}
