/// Why there is no trustworthy connection to a server.
enum TLSFailure: Error, Equatable {
    /// OpenSSL cannot set up what is asked of it: what, and its reason.
    case unavailable(String, reason: String)
    /// The file of further authorities cannot be used.
    case authorities(file: String, reason: String)
    case certificate(CertificateFailure)
    /// Its certificate is good, and its key is not the pinned one; SHA-256 of the key it has.
    case wrongKey(digest: [UInt8])
    /// It has nothing newer than TLS 1.1.
    case tooOld
    /// What it says is not TLS.
    case notTLS
    /// It ended the connection in mid-handshake: an errno, or 0.
    case closed(errno: CInt)
    /// Anything else, in OpenSSL's words.
    case other(reason: String)
}
