/// The host of an endpoint: a DNS name, an IPv4 address, or an IPv6 address in brackets; checked, and in one spelling.
struct EndpointHost {
    let text: String
    let isAddress: Bool

    init(_ spelled: ArraySlice<UInt8>) throws(EndpointRefusal) {
        if spelled.first == UInt8(ascii: "[") {
            guard let address = IPv6Address(spelled.dropFirst().dropLast()) else { throw .address }
            (text, isAddress) = (address.description, true)
            return
        }
        guard spelled.allSatisfy({ $0 < 0x80 }) else { throw .internationalName }
        var name = MonitorEndpoint.lowercased(spelled)[...]
        if name.last == UInt8(ascii: ".") { name = name.dropLast() }
        guard !name.isEmpty else { throw .noHost }
        let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard name.count <= 253, labels.allSatisfy(Self.isLabel) else { throw .host }
        text = String(decoding: name, as: UTF8.self)
        // A name that ends in a number is what some resolvers take for an address in a spelling of their own ("127.1", "0x7f.1").
        isAddress = labels.last.map(Self.isNumber) ?? false
        guard !isAddress || IPv4Address(name) != nil else { throw .address }
    }

    private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
        let hyphen = UInt8(ascii: "-")
        return (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
            && label.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), hyphen, UInt8(ascii: "_"): true
                default: false
                }
            }
    }

    private static func isNumber(_ label: ArraySlice<UInt8>) -> Bool {
        label.starts(with: "0x".utf8) || label.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

/// Four numbers of 0 to 255 without leading zeros, which some read as octal.
struct IPv4Address {
    let bytes: [UInt8]

    init?(_ text: ArraySlice<UInt8>) {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        bytes = parts.compactMap { part in
            guard part.allSatisfy(digits.contains), part.count == 1 || part.first != UInt8(ascii: "0") else { return nil }
            return UInt8(String(decoding: part, as: UTF8.self))
        }
        guard bytes.count == 4 else { return nil }
    }
}

/// Eight groups of 16 bits. Zones (`%eth0`) are no part of it.
struct IPv6Address: CustomStringConvertible {
    private let groups: [UInt16]

    init?(_ text: ArraySlice<UInt8>) {
        let colon = UInt8(ascii: ":")
        var halves: [[UInt16]] = []
        var rest = text
        // At most one "::", which stands for one group of zeros or more.
        if let gap = text.indices.dropLast().first(where: { text[$0] == colon && text[$0 + 1] == colon }) {
            guard let front = Self.groups(text[..<gap], mayEndInIPv4: false) else { return nil }
            halves.append(front)
            rest = text[(gap + 2)...]
        }
        guard let back = Self.groups(rest, mayEndInIPv4: true) else { return nil }
        halves.append(back)
        let count = halves.reduce(0) { $0 + $1.count }
        guard halves.count == 1 ? count == 8 : count < 8 else { return nil }
        groups = halves.count == 1 ? back : halves[0] + Array(repeating: 0, count: 8 - count) + back
    }

    /// The groups between single colons; none where there is no text.
    private static func groups(_ text: ArraySlice<UInt8>, mayEndInIPv4: Bool) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        var groups: [UInt16] = []
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if mayEndInIPv4, index == parts.count - 1, let address = IPv4Address(part)?.bytes {
                groups += [UInt16(address[0]) << 8 | UInt16(address[1]), UInt16(address[2]) << 8 | UInt16(address[3])]
                continue
            }
            guard (1...4).contains(part.count), part.allSatisfy({ JSONReader.hexDigit($0) != nil }),
                let group = UInt16(String(decoding: part, as: UTF8.self), radix: 16)
            else { return nil }
            groups.append(group)
        }
        return groups
    }

    /// Lower case, no leading zeros, the first longest run of two or more zero groups as "::" (RFC 5952).
    var description: String {
        var best = 0..<0
        var start = 0
        for (index, group) in groups.enumerated() {
            guard group == 0 else {
                start = index + 1
                continue
            }
            if index + 1 - start > max(1, best.count) { best = start..<(index + 1) }
        }
        let spelled = { (part: ArraySlice<UInt16>) in part.map { String($0, radix: 16) }.joined(separator: ":") }
        return best.isEmpty ? spelled(groups[...]) : spelled(groups[..<best.lowerBound]) + "::" + spelled(groups[best.upperBound...])
    }
}
