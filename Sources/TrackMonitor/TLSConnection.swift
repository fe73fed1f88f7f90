import COpenSSL
import Glibc
import NLOSCore

/// TLS between two memory buffers: what the socket brings goes in, what is for the socket comes out, and OpenSSL never touches the
/// socket itself. So a write that wants to read first, and data that OpenSSL still holds, are no special cases: after every piece that
/// goes in, everything readable is read.
final class TLSConnection {
    private let connection: OpaquePointer  // SSL
    // The connection's own, freed with it.
    private let incoming: OpaquePointer  // BIO
    private let outgoing: OpaquePointer  // BIO
    /// The first thing that did not pass; written by OpenSSL's callback while a handshake call is on the stack.
    private var failure: CertificateFailure?

    /// Takes over an `SSL` object.
    init(takingOwnership connection: OpaquePointer) throws(TLSFailure) {
        self.connection = connection
        guard let incoming = BIO_new(BIO_s_mem()) else {
            SSL_free(connection)
            throw .unavailable("TLS", reason: TLSContext.reason())
        }
        guard let outgoing = BIO_new(BIO_s_mem()) else {
            BIO_free(incoming)
            SSL_free(connection)
            throw .unavailable("TLS", reason: TLSContext.reason())
        }
        self.incoming = incoming
        self.outgoing = outgoing
        SSL_set_bio(connection, incoming, outgoing)
        SSL_set_connect_state(connection)
    }

    deinit { SSL_free(connection) }

    /// Names the one server that this connection is for, and the time to judge its certificates by (milliseconds since 1970 UTC).
    func expect(_ endpoint: MonitorEndpoint, atUnixMs now: UInt64) throws(TLSFailure) {
        let rules = SSL_get0_param(connection)
        let host = endpoint.host
        X509_VERIFY_PARAM_set_hostflags(rules, CUnsignedInt(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT))
        X509_VERIFY_PARAM_set_flags(rules, CUnsignedLong(X509_V_FLAG_TRUSTED_FIRST))
        X509_VERIFY_PARAM_set_time(rules, time_t(now / 1000))
        // Exactly one identity: both setters together would mean that both must hold.
        let named =
            endpoint.isAddress ? X509_VERIFY_PARAM_set1_ip_asc(rules, host) : X509_VERIFY_PARAM_set1_host(rules, host, host.utf8.count)
        guard named == 1, endpoint.isAddress || nlos_tls_set_server_name(connection, host) == 1 else {
            throw .unavailable("a check of the name \(escaped(host.utf8))", reason: TLSContext.reason())
        }
        let protocols: [UInt8] = [8] + Array("http/1.1".utf8)
        // The one setter here whose success is 0.
        guard SSL_set_alpn_protos(connection, protocols, CUnsignedInt(protocols.count)) == 0 else {
            throw .unavailable("ALPN", reason: TLSContext.reason())
        }
        // Only takes notes: OpenSSL's verdict is handed back as it is.
        SSL_set_verify(connection, SSL_VERIFY_PEER) { verdict, context in
            if verdict != 1, let context, let connection = X509_STORE_CTX_get_ex_data(context, SSL_get_ex_data_X509_STORE_CTX_idx()),
                let owner = SSL_get_ex_data(OpaquePointer(connection), 0)
            {
                Unmanaged<TLSConnection>.fromOpaque(owner).takeUnretainedValue().note(CertificateFailure(verifying: context))
            }
            return verdict
        }
    }

    /// Goes on with the handshake as far as the bytes that came allow. True once the server is proved to be the one that was expected.
    func handshake(pinned digest: [UInt8]?) throws(TLSFailure) -> Bool {
        ERR_clear_error()
        SSL_set_ex_data(connection, 0, Unmanaged.passUnretained(self).toOpaque())
        let result = SSL_do_handshake(connection)
        SSL_set_ex_data(connection, 0, nil)
        guard result == 1 else {
            switch SSL_get_error(connection, result) {
            case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return false
            default: throw handshakeFailure()
            }
        }
        let verdict = SSL_get_verify_result(connection)
        guard verdict == X509_V_OK else { throw .certificate(failure ?? CertificateFailure(code: verdict)) }
        let key = try publicKeyDigest()
        guard digest == nil || digest == key else { throw .wrongKey(digest: key) }
        return true
    }

    /// Hands over bytes from the socket.
    func received(_ bytes: UnsafeRawBufferPointer) throws(TLSFailure) {
        guard BIO_write(incoming, bytes.baseAddress, CInt(bytes.count)) == CInt(bytes.count) else {
            throw .other(reason: "no memory for what the server sent")
        }
    }

    enum Reading: Equatable {
        case bytes(Int)
        /// Not before more comes from the socket.
        case nothing
        /// The server has ended its side of the connection in an orderly way.
        case ended
    }

    /// Takes what can be read now.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TLSFailure) -> Reading {
        ERR_clear_error()
        let count = SSL_read(connection, buffer.baseAddress, CInt(clamping: buffer.count))
        guard count <= 0 else { return .bytes(Int(count)) }
        switch SSL_get_error(connection, count) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .nothing
        case SSL_ERROR_ZERO_RETURN: return .ended
        default: throw .other(reason: TLSContext.reason())
        }
    }

    /// Encrypts bytes for the server; all of them, as the buffer behind has no limit. Who calls sees to it that it stays small.
    func write(_ bytes: UnsafeRawBufferPointer) throws(TLSFailure) {
        guard !bytes.isEmpty else { return }
        ERR_clear_error()
        guard SSL_write(connection, bytes.baseAddress, CInt(clamping: bytes.count)) == CInt(clamping: bytes.count) else {
            throw .other(reason: TLSContext.reason())
        }
    }

    /// Says that nothing more will come from here.
    func end() {
        ERR_clear_error()
        if SSL_is_init_finished(connection) == 1 { SSL_shutdown(connection) }
        ERR_clear_error()
    }

    /// How many bytes wait for the socket.
    var waiting: Int { Int(BIO_ctrl_pending(outgoing)) }

    /// Takes bytes for the socket; 0 when none wait.
    func takeOutgoing(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        max(0, Int(BIO_read(outgoing, buffer.baseAddress, CInt(clamping: buffer.count))))
    }

    private func note(_ failure: CertificateFailure) {
        if self.failure == nil { self.failure = failure }
    }

    private func handshakeFailure() -> TLSFailure {
        let code = ERR_peek_error()
        let reason = ERR_GET_LIB(code) == ERR_LIB_SSL ? ERR_GET_REASON(code) : 0
        defer { ERR_clear_error() }
        switch reason {
        case SSL_R_CERTIFICATE_VERIFY_FAILED:
            return .certificate(failure ?? CertificateFailure(code: SSL_get_verify_result(connection)))
        case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_TLSV1_ALERT_PROTOCOL_VERSION: return .tooOld
        case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_PACKET_LENGTH_TOO_LONG: return .notTLS
        default: return .other(reason: TLSContext.reason())
        }
    }

    private func publicKeyDigest() throws(TLSFailure) -> [UInt8] {
        guard let certificate = SSL_get1_peer_certificate(connection) else { throw .other(reason: "the server has no certificate") }
        defer { X509_free(certificate) }
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &encoded)
        guard count > 0, let encoded else { throw .other(reason: "the server's public key cannot be read") }
        defer { CRYPTO_free(encoded, nil, 0) }
        var digest = [UInt8](repeating: 0, count: 32)
        guard EVP_Digest(encoded, Int(count), &digest, nil, EVP_sha256(), nil) == 1 else {
            throw .unavailable("SHA-256", reason: TLSContext.reason())
        }
        return digest
    }
}
