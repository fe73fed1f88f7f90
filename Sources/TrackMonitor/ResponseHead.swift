import NLOSCore

/// The head of an HTTP response: its status and its header fields, after the rules of RFC 9112.
///
/// Stricter than it has to be where leniency lets two readers see different messages: a line ends with CR LF and nothing else, and no
/// field goes on in the next line. Servers and proxies in use write neither.
struct ResponseHead: Equatable {
    let status: Int
    /// Names in lower case; values without the white space around them. In the order of the response.
    private let fields: [(name: String, value: ArraySlice<UInt8>)]

    /// Reads a whole head, up to and without its empty line.
    init(_ head: ArraySlice<UInt8>) throws(UpgradeFailure) {
        var lines = try Self.lines(of: head)
        guard let first = lines.first else { throw .malformed("no status line") }
        status = try Self.status(of: first)
        lines.removeFirst()
        var fields: [(String, ArraySlice<UInt8>)] = []
        fields.reserveCapacity(lines.count)
        for line in lines { fields.append(try Self.field(of: line)) }
        self.fields = fields
    }

    static func == (one: ResponseHead, other: ResponseHead) -> Bool {
        one.status == other.status && one.fields.elementsEqual(other.fields) { $0.name == $1.name && $0.value == $1.value }
    }

    /// Every value of that name, which is given in lower case.
    func values(_ name: String) -> [ArraySlice<UInt8>] {
        fields.lazy.filter { $0.name == name }.map(\.value)
    }

    /// The members of the comma-separated list that all fields of that name make together, in lower case.
    func tokens(_ name: String) -> [String] {
        values(name).flatMap { $0.split(separator: UInt8(ascii: ",")) }
            .map { lowercase(trimmed($0)) }.filter { !$0.isEmpty }
    }

    private static func lines(of head: ArraySlice<UInt8>) throws(UpgradeFailure) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var start = head.startIndex
        for (index, byte) in zip(head.indices, head) where byte == UInt8(ascii: "\n") {
            guard index > start, head[index - 1] == UInt8(ascii: "\r") else { throw .malformed("a line that ends without CR LF") }
            lines.append(head[start..<index - 1])
            start = index + 1
        }
        if start < head.endIndex { lines.append(head[start...]) }
        return lines
    }

    /// `HTTP/1.1 101 Switching Protocols`; the words may be missing.
    private static func status(of line: ArraySlice<UInt8>) throws(UpgradeFailure) -> Int {
        let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0].starts(with: "HTTP/1.".utf8), parts[0].count == 8 else {
            throw .malformed("no HTTP/1 status line")
        }
        // An older version cannot switch protocols, but it can say what is wrong.
        guard let minor = parts[0].last, minor == UInt8(ascii: "1") || minor == UInt8(ascii: "0") else {
            throw .malformed("an unknown version of HTTP")
        }
        guard parts[1].count == 3, parts[1].allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            throw .malformed("a status that is not three digits")
        }
        guard parts.count < 3 || parts[2].allSatisfy(isTextByte) else { throw .malformed("a control character in the status line") }
        let status = parts[1].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        guard status != 101 || minor == UInt8(ascii: "1") else { throw .malformed("a switch of protocols by HTTP/1.0") }
        return status
    }

    private static func field(of line: ArraySlice<UInt8>) throws(UpgradeFailure) -> (String, ArraySlice<UInt8>) {
        guard let first = line.first, first != UInt8(ascii: " "), first != UInt8(ascii: "\t") else {
            throw .malformed("a header field that goes on in a second line")
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw .malformed("a header line without a colon") }
        let name = line[..<colon]
        guard !name.isEmpty, name.allSatisfy(isTokenByte) else { throw .malformed("a header name with other characters than a name has") }
        let value = trimmed(line[(colon + 1)...])
        guard value.allSatisfy(isTextByte) else { throw .malformed("a control character in a header field") }
        return (lowercase(name), value)
    }
}

/// RFC 9110, 5.6.2.
private func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}

/// What a field value may hold (RFC 9110, 5.5).
private func isTextByte(_ byte: UInt8) -> Bool { byte == 0x09 || byte >= 0x20 && byte != 0x7f }

private func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) }) else {
        return bytes.prefix(0)
    }
    return bytes[first...last]
}

/// ASCII letters only: what lower-casing means in a protocol.
private func lowercase(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
}
