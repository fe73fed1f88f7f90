/// A JSON document as a tree, for the diagnostic's check: small enough (its bytes are counted first) to be kept whole.
indirect enum DiagnosticNode {
    case object([(key: String, value: DiagnosticNode)])
    case array([DiagnosticNode])
    case text(String)
    case number(Double, isWhole: Bool)
    case truth(Bool)
    case null

    /// Levels of nesting that are followed; the contract has three.
    private static let deepest = 32

    /// The document's one value. Strict JSON: UTF-8, no key twice, finite numbers, nothing around it but white space.
    static func read(_ bytes: [UInt8], atMost limit: Int) throws(Rejection) -> DiagnosticNode {
        // `withUnsafeBytes` passes errors on untyped.
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(Rejection) in
                try JSONReader.read(buffer, atMost: limit) { json throws(MalformedJSON) in try DiagnosticNode(&json, depth: 0) }
            }
        }
        return try result.get()
    }

    private init(_ json: inout JSONReader, depth: Int) throws(MalformedJSON) {
        guard depth < Self.deepest else { throw MalformedJSON() }
        json.skipSpace()
        guard json.next < json.end else { throw MalformedJSON() }
        switch json.next.pointee {
        case UInt8(ascii: "{"): self = .object(try Self.members(&json, depth: depth + 1))
        case UInt8(ascii: "["):
            var elements: [DiagnosticNode] = []
            var array = try json.array()
            while try array.next(&json) { elements.append(try DiagnosticNode(&json, depth: depth + 1)) }
            self = .array(elements)
        case UInt8(ascii: "\""): self = .text(try json.text().string)
        case UInt8(ascii: "t"), UInt8(ascii: "f"): self = .truth(try json.bool())
        case UInt8(ascii: "n"):
            for byte in "null".utf8 {
                guard json.next < json.end, json.next.pointee == byte else { throw MalformedJSON() }
                json.next += 1
            }
            self = .null
        default:
            let start = json.next
            let value = try json.double()
            let digits = UnsafeBufferPointer(start: start, count: json.next - start)
            self = .number(value, isWhole: digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        }
    }

    private static func members(
        _ json: inout JSONReader, depth: Int
    ) throws(MalformedJSON) -> [(key: String, value: DiagnosticNode)] {
        var members: [(key: String, value: DiagnosticNode)] = []
        var seen: Set<String> = []
        try json.token(UInt8(ascii: "{"))
        guard !json.skipToken(UInt8(ascii: "}")) else { return [] }
        repeat {
            let key = try json.text().string
            guard seen.insert(key).inserted else { throw MalformedJSON() }
            try json.token(UInt8(ascii: ":"))
            members.append((key, try DiagnosticNode(&json, depth: depth)))
        } while json.skipToken(UInt8(ascii: ","))
        try json.token(UInt8(ascii: "}"))
        return members
    }
}
