import COpenSSL
import NLOSCore

/// Which certificate of a chain did not pass, and why.
struct CertificateFailure: Equatable {
    /// OpenSSL's number, `X509_V_ERR_...`.
    let code: Int
    /// 0 for the server's own, 1 for the authority that signed it, and so on.
    let depth: Int
    /// Escaped and shortened; empty where the certificate names nobody.
    let subject: String
    /// Of the certificate's own time, UTC; nil where it cannot be read.
    let notBefore: String?
    let notAfter: String?

    /// Whether the dates are to blame, and so perhaps this machine's clock.
    var isDate: Bool {
        Int32(truncatingIfNeeded: code) == X509_V_ERR_CERT_HAS_EXPIRED || Int32(truncatingIfNeeded: code) == X509_V_ERR_CERT_NOT_YET_VALID
    }

    /// Whether nobody whom this machine trusts has signed the chain.
    var isUntrusted: Bool {
        [
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE,
            X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_CERT_UNTRUSTED,
        ].contains(Int32(truncatingIfNeeded: code))
    }

    var isName: Bool {
        [X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH].contains(Int32(truncatingIfNeeded: code))
    }

    /// OpenSSL's words for the reason.
    var words: String { String(cString: X509_verify_cert_error_string(code)) }

    /// Who the certificate is, for people.
    var who: String {
        let role = depth == 0 ? "the server's certificate" : "certificate \(depth) above the server's"
        return subject.isEmpty ? role : "\(role) (\(subject))"
    }

    /// The certificate that OpenSSL looks at while its verification fails.
    init(verifying context: OpaquePointer) {
        let certificate = X509_STORE_CTX_get_current_cert(context)
        code = Int(X509_STORE_CTX_get_error(context))
        depth = Int(X509_STORE_CTX_get_error_depth(context))
        subject = certificate.map(Self.subject) ?? ""
        notBefore = certificate.flatMap { Self.text(X509_get0_notBefore($0)) }
        notAfter = certificate.flatMap { Self.text(X509_get0_notAfter($0)) }
    }

    /// A failure that OpenSSL reports after the handshake without a certificate at hand.
    init(code: Int) {
        (self.code, depth, subject, notBefore, notAfter) = (code, 0, "", nil, nil)
    }

    private static func subject(of certificate: OpaquePointer) -> String {
        var line = [CChar](repeating: 0, count: 256)
        guard X509_NAME_oneline(X509_get_subject_name(certificate), &line, CInt(line.count)) != nil else { return "" }
        return shortened(line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, to: 120)
    }

    private static func text(_ time: UnsafePointer<ASN1_TIME>?) -> String? {
        var fields = tm()
        guard let time, ASN1_TIME_to_tm(time, &fields) == 1 else { return nil }
        // Nobody who lives today is kept out by a date before 1970.
        return utcTime(unixMs: UInt64(clamping: timegm(&fields)) * 1000)
    }
}
