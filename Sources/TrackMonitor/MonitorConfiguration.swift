public import NLOSCore

/// What a session is told before it begins.
public struct MonitorConfiguration: Sendable {
    /// The server: `host` is looked up, asked for in TLS and wanted in the certificate.
    public var endpoint: MonitorEndpoint
    /// Whose certificates count besides those of the system's authorities, and which key.
    public var trust: ServerTrust
    /// How long each step may take; the wire contract's by default.
    public var limits: MonitorLimits
    /// The wall clock also dates the server's certificates.
    public var clocks: Clocks
    /// Makes what wakes the session in time; tests bring their own, to go with their clocks.
    public var alarms: @Sendable () throws(SystemCallFailure) -> any SessionAlarms
    /// What is looked up in place of the endpoint's host, for tests: nobody's resolver knows the names of their certificates. The
    /// certificate has to be the host's all the same.
    var address: String?

    public init(
        endpoint: MonitorEndpoint, trust: ServerTrust = ServerTrust(), limits: MonitorLimits = MonitorLimits(), clocks: Clocks,
        alarms: @escaping @Sendable () throws(SystemCallFailure) -> any SessionAlarms = { () throws(SystemCallFailure) in try KernelAlarms()
        }
    ) {
        self.endpoint = endpoint
        self.trust = trust
        self.limits = limits
        self.clocks = clocks
        self.alarms = alarms
    }
}

/// Whom to believe: the system's certificate authorities, and what narrows or adds to them. Nothing here turns verification off.
///
/// The system's authorities are where OpenSSL looks for them, and that is also where `SSL_CERT_FILE` and `SSL_CERT_DIR` in the
/// environment say they are, as for every program on OpenSSL. They can name other authorities; they cannot stop the verification.
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

/// How long each step may take, seconds (wire contract B). Measured on the boot clock.
public struct MonitorLimits: Sendable {
    /// For the name and the connection together.
    public var connect = 5.0
    /// For the handshake.
    public var tls = 5.0
    /// From the request to the whole head of its answer.
    public var upgrade = 5.0
    /// From the upgrade to the authenticated message.
    public var firstMessage = 5.0
    /// Without a track message, until a notice says so; then after twice as long, and so on.
    public var quiet = 5.0
    /// Of silence, until a ping is sent.
    public var ping = 15.0
    /// Of silence, until the connection is given up.
    public var idle = 30.0
    /// From a close frame to the end of the connection.
    public var close = 3.0

    public init() {}
}
