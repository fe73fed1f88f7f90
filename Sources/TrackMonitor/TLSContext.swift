import COpenSSL
import Glibc

/// What a TLS connection believes: made new for each attempt, so that nothing of an earlier one is left in it.
final class TLSContext {
    private let context: OpaquePointer  // SSL_CTX

    /// Throws `.unavailable` and `.authorities`.
    init(trust: ServerTrust) throws(TLSFailure) {
        ERR_clear_error()
        guard let context = SSL_CTX_new(TLS_client_method()) else { throw .unavailable("TLS", reason: Self.reason()) }
        self.context = context
        guard nlos_tls_set_oldest_version(context, TLS1_2_VERSION) == 1 else { throw .unavailable("TLS 1.2", reason: Self.reason()) }
        nlos_tls_set_options(context)
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        guard SSL_CTX_set_default_verify_paths(context) == 1 else {
            throw .unavailable("the system's certificate authorities", reason: Self.reason())
        }
        ERR_clear_error()
        guard let file = trust.authoritiesFile else { return }
        guard SSL_CTX_load_verify_file(context, file) == 1 else { throw .authorities(file: file, reason: Self.reason()) }
    }

    deinit { SSL_CTX_free(context) }

    /// The connection keeps what it needs of the context alive.
    func makeConnection() throws(TLSFailure) -> TLSConnection {
        ERR_clear_error()
        guard let connection = SSL_new(context) else { throw .unavailable("TLS", reason: Self.reason()) }
        return try TLSConnection(takingOwnership: connection)
    }

    /// The oldest error in OpenSSL's queue, in its words, and an empty queue.
    static func reason() -> String {
        defer { ERR_clear_error() }
        let code = ERR_get_error()
        guard code != 0 else { return "OpenSSL does not say why" }
        // What the operating system said came through OpenSSL's queue as a number of its own.
        let system = nlos_err_errno(code)
        if system != 0 { return String(cString: strerror(system)) }
        guard let words = ERR_reason_error_string(code) else { return "OpenSSL error \(code)" }
        return String(cString: words)
    }
}
