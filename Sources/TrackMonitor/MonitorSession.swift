public import NLOSCore

/// What a session is told before it begins.
public struct MonitorConfiguration: Sendable {
    public var endpoint: MonitorEndpoint
    public var trust: ServerTrust
    public var limits: MonitorLimits
    public var clocks: Clocks

    public init(endpoint: MonitorEndpoint, trust: ServerTrust = ServerTrust(), limits: MonitorLimits = MonitorLimits(), clocks: Clocks) {
        self.endpoint = endpoint
        self.trust = trust
        self.limits = limits
        self.clocks = clocks
    }
}

/// Whom to believe: the system's certificate authorities, and what narrows or adds to them. Nothing here turns verification off.
public struct ServerTrust: Sendable {
    /// A PEM file of further certificate authorities.
    public var authoritiesFile: String?
    /// SHA-256 of the server's public key (SubjectPublicKeyInfo), 32 bytes: besides a good certificate this key is wanted.
    public var publicKeyDigest: [UInt8]?

    public init(authoritiesFile: String? = nil, publicKeyDigest: [UInt8]? = nil) {
        self.authoritiesFile = authoritiesFile
        self.publicKeyDigest = publicKeyDigest
    }
}

/// How long each step may take, seconds (wire contract B).
public struct MonitorLimits: Sendable {
    public var connect = 5.0
    public var tls = 5.0
    public var upgrade = 5.0
    public var firstMessage = 5.0
    /// Of silence, until a ping is sent.
    public var ping = 15.0
    /// Of silence, until the connection is given up.
    public var idle = 30.0
    /// From a close frame to the end of the connection.
    public var close = 3.0

    public init() {}
}

/// One connection to a server, on a thread of its own: from the name to the last event.
///
/// The owner waits for `readiness` among its own events and takes what has happened with `next`.
public final class MonitorSession: Sendable {
    /// Starts at once. The token is used for this connection's upgrade and for nothing else.
    public init(_ configuration: MonitorConfiguration, token: PairingToken) {}

    /// Readable while an event waits.
    public var readiness: CInt { -1 }

    /// The next event; nil when none waits.
    public func next() -> MonitorEvent? { nil }

    /// Ends the connection; `disconnected` with `closed_by_user` is the last event, within `MonitorLimits.close`.
    public func stop() {}
}
