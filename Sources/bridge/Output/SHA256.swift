import COpenSSL
import Glibc
import NLOSCore

/// A running SHA-256, by OpenSSL.
final class SHA256 {
    private let context: OpaquePointer  // EVP_MD_CTX

    init() {
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
            preconditionFailure("OpenSSL has no SHA-256 or no memory")
        }
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    func update(_ bytes: UnsafeRawBufferPointer) {
        EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }

    /// The digest of everything so far in 64 lower-case hexadecimal digits. Ends the use of this object.
    func finish() -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        EVP_DigestFinal_ex(context, &digest, nil)
        return hexadecimal(digest)
    }

    /// The digest of a file's bytes.
    static func ofFile(_ path: String) throws(SystemFailure) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemFailure(operation: "open", errno: errno) }
        defer { close(descriptor) }
        let digest = SHA256()
        let size = 1 << 16
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = read(descriptor, buffer.baseAddress, size)
            if count == 0 { return digest.finish() }
            guard count > 0 else { throw SystemFailure(operation: "read", errno: errno) }
            digest.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }
}

func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    var text = ""
    for byte in bytes {
        let digits = String(byte, radix: 16)
        text += digits.utf8.count == 1 ? "0\(digits)" : digits
    }
    return text
}
