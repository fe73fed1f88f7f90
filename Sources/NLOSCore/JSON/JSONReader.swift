/// The message is not the JSON that its contract describes.
struct MalformedJSON: Error {}

/// Reads one JSON message strictly, in one pass, without allocating and without recursion.
///
/// A pull reader: a message's decoder asks for what its contract says comes next, so whatever else stands there (another type,
/// an unknown key, one level of nesting too many) is refused on the spot, and how deep a message may nest is how deep its decoder
/// goes. Grammar: RFC 8259, nothing more. White space may stand around the object, as that grammar allows; nothing else may.
///
/// ```
/// var members = try json.object(PointKey.self)        // enum PointKey: String, JSONKey { case x, y … }
/// while let key = try members.next(&json) {
///     switch key {
///     case .x: x = try json.float()
///     case .y: y = try json.float()
///     }
/// }                                                   // here every key has been seen exactly once
/// ```
///
/// Values come out as they stand on the wire. Their ranges are for the decoder to check when the whole message is known to be
/// well-formed, because the contract puts `malformed` before `invalid_field`.
struct JSONReader: ~Copyable {
    /// The first byte that is not read yet. Never beyond `end`, and nothing is loaded at `end`.
    var next: UnsafePointer<UInt8>
    let end: UnsafePointer<UInt8>

    private init(_ bytes: UnsafeBufferPointer<UInt8>, from start: UnsafePointer<UInt8>) {
        next = start
        end = start + bytes.count
    }

    /// Checks the size, lets `decode` read the message's one object, and checks that nothing but white space follows it.
    ///
    /// `bytes` must stay valid as long as a `JSONText` from this message is in use.
    static func read<Message: ~Copyable>(
        _ bytes: UnsafeRawBufferPointer, atMost limit: Int,
        _ decode: (inout JSONReader) throws(MalformedJSON) -> Message
    ) throws(Rejection) -> Message {
        guard bytes.count <= limit else { throw .messageTooLarge }
        let bytes = bytes.assumingMemoryBound(to: UInt8.self)
        guard let start = bytes.baseAddress else { throw .malformed }
        var reader = JSONReader(bytes, from: start)
        do throws(MalformedJSON) {
            let message = try decode(&reader)
            reader.skipSpace()
            guard reader.next == reader.end else { throw MalformedJSON() }
            return message
        } catch {
            throw .malformed
        }
    }

    /// How many bytes of the message are still to come.
    var unread: Int { end - next }

    // MARK: Structure

    /// Opens an object that has exactly the keys of `Key`.
    @inline(__always)
    mutating func object<Key: JSONKey>(_: Key.Type) throws(MalformedJSON) -> JSONMembers<Key> {
        try token(UInt8(ascii: "{"))
        return JSONMembers()
    }

    /// Opens an array.
    @inline(__always)
    mutating func array() throws(MalformedJSON) -> JSONElements {
        try token(UInt8(ascii: "["))
        return JSONElements()
    }

    /// `true` or `false`.
    mutating func bool() throws(MalformedJSON) -> Bool {
        skipSpace()
        if word("true") { return true }
        if word("false") { return false }
        throw MalformedJSON()
    }

    // MARK: Bytes

    /// The next byte that is not white space is this one, and it is read.
    @inline(__always)
    mutating func token(_ byte: UInt8) throws(MalformedJSON) {
        guard skipToken(byte) else { throw MalformedJSON() }
    }

    /// Reads the next byte that is not white space if it is this one.
    @inline(__always)
    mutating func skipToken(_ byte: UInt8) -> Bool {
        skipSpace()
        guard next < end, next.pointee == byte else { return false }
        next += 1
        return true
    }

    @inline(__always)
    mutating func skipSpace() {
        guard next < end, next.pointee <= 0x20 else { return }
        skipRunOfSpace()
    }

    /// Blanks eight at a time: a message may be padded to the longest there is.
    @inline(never)
    private mutating func skipRunOfSpace() {
        while next < end {
            if nextWord == 0x2020_2020_2020_2020 {
                next += 8
            } else {
                guard Self.isSpace(next.pointee) else { return }
                next += 1
            }
        }
    }

    @inline(__always)
    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09
    }

    /// The next eight bytes, the first one lowest; nil where fewer are left.
    @inline(__always)
    var nextWord: UInt64? {
        guard end - next >= 8 else { return nil }
        return UInt64(littleEndian: UnsafeRawPointer(next).loadUnaligned(as: UInt64.self))
    }

    private mutating func word(_ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard end - next >= count else { return false }
        for offset in 0..<count where next[offset] != word.utf8Start[offset] { return false }
        next += count
        return true
    }
}

/// The elements of an array that is being read.
struct JSONElements {
    private var begun = false

    init() {}

    /// Whether another element follows; then the next read is that element. False when the array has ended.
    @inline(__always)
    mutating func next(_ json: inout JSONReader) throws(MalformedJSON) -> Bool {
        // A value that follows "," is read as a value, so "]" after a comma is refused by that read.
        if json.skipToken(UInt8(ascii: "]")) { return false }
        if begun { try json.token(UInt8(ascii: ",")) }
        begun = true
        return true
    }
}
