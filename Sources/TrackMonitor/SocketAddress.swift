import Glibc

/// One address of a server, as the resolver gave it.
struct SocketAddress: Equatable, Sendable {
    let family: CInt
    /// The bytes of the address structure of that family.
    let bytes: [UInt8]

    /// Every address in the list, in its order.
    static func all(in list: UnsafeMutablePointer<addrinfo>?) -> [SocketAddress] {
        sequence(first: list) { $0?.pointee.ai_next }.compactMap { entry in
            guard let entry, let address = entry.pointee.ai_addr else { return nil }
            return SocketAddress(
                family: entry.pointee.ai_family,
                bytes: Array(UnsafeRawBufferPointer(start: address, count: Int(entry.pointee.ai_addrlen))))
        }
    }

    /// Gives the C library's view of it.
    func withAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result? {
        bytes.withUnsafeBytes { bytes in
            bytes.assumingMemoryBound(to: sockaddr.self).baseAddress.map { body($0, socklen_t(bytes.count)) }
        }
    }

    /// In numbers, for people.
    var text: String {
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let code = withAddress { getnameinfo($0, $1, &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST) }
        guard code == 0 else { return "an address" }
        return String(decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
