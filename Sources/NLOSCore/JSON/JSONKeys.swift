/// The keys of one kind of object, or the names that one string may have: an enum whose raw values they are, at most 64 of them.
///
/// Each needs a table of its own, made once: `static let table = JSONKeyTable<Self>()`.
protocol JSONKey: RawRepresentable<String>, CaseIterable, Sendable {
    static var table: JSONKeyTable<Self> { get }
}

/// The names as bytes, in the order of the cases.
struct JSONKeyTable<Key: JSONKey>: Sendable {
    struct Entry {
        let key: Key
        /// The name in quotes, as every writer spells it that escapes nothing without need, and a colon.
        let token: UnsafePointer<UInt8>
        /// Without the colon.
        let nameCount: Int
        /// The token's first eight bytes, the first one lowest, and which of them there are without the colon and with it.
        let head, nameMask, keyMask: UInt64
    }

    // Written once, before the table is anybody's; from then on only read.
    private nonisolated(unsafe) let start: UnsafePointer<Entry>
    let count: Int

    /// Lives as long as the program: a table belongs to a type.
    init() {
        let entries = Key.allCases.map { key in
            let token = Array("\"\(key.rawValue)\":".utf8)
            let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: token.count)
            bytes.initialize(from: token, count: token.count)
            let head = token.prefix(8).reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
            let mask = { (count: Int) in ~0 as UInt64 >> UInt64(64 - 8 * min(8, count)) }
            return Entry(
                key: key, token: bytes, nameCount: token.count - 1, head: head, nameMask: mask(token.count - 1), keyMask: mask(token.count))
        }
        precondition((1...64).contains(entries.count), "one bit of a word for each key")
        let start = UnsafeMutablePointer<Entry>.allocate(capacity: entries.count)
        start.initialize(from: entries, count: entries.count)
        self.start = UnsafePointer(start)
        count = entries.count
    }

    /// The bits of all the keys.
    @inline(__always)
    var all: UInt64 { ~0 >> UInt64(64 - count) }

    @inline(__always)
    subscript(index: Int) -> Entry {
        assert((0..<count).contains(index))
        return start[index]
    }

    /// The place of the key with this name, however it is spelled.
    func index(of name: JSONText) -> Int? {
        (0..<count).first { name == self[$0].key.rawValue }
    }
}

/// The members of an object that is being read: each key of `Key` exactly once, in any order, and no other.
struct JSONMembers<Key: JSONKey> {
    private let table = Key.table
    private var seen: UInt64 = 0
    /// The key that follows if the writer keeps the order of the cases.
    private var expected = 0

    init() {}

    /// The next member's key; then the next read is its value. Nil when the object has ended with every key seen.
    @inline(__always)
    mutating func next(_ json: inout JSONReader) throws(MalformedJSON) -> Key? {
        if seen != 0 {
            guard json.skipToken(UInt8(ascii: ",")) else {
                try json.token(UInt8(ascii: "}"))
                guard seen == table.all else { throw MalformedJSON() }
                return nil
            }
        }
        json.skipSpace()
        let index = if expected < table.count, json.skipKey(table[expected]) { expected } else { try spelledKey(&json) }
        let bit: UInt64 = 1 << UInt64(index)
        guard seen & bit == 0 else { throw MalformedJSON() }
        seen |= bit
        expected = index + 1
        return table[index].key
    }

    /// A key out of order, with escapes, or with space behind it. An object without members ends up here too, and has no key.
    @inline(never)
    private func spelledKey(_ json: inout JSONReader) throws(MalformedJSON) -> Int {
        let index = try json.index(in: table)
        try json.token(UInt8(ascii: ":"))
        return index
    }
}

extension JSONReader {
    /// One of the names of an enum. Any other string is malformed, for the contract counts enums as shape.
    @inline(__always)
    mutating func name<Name: JSONKey>(of _: Name.Type) throws(MalformedJSON) -> Name {
        let table = Name.table
        return table[try index(in: table)].key
    }

    /// The place of the name that follows.
    @inline(__always)
    fileprivate mutating func index<Key>(in table: JSONKeyTable<Key>) throws(MalformedJSON) -> Int {
        skipSpace()
        for index in 0..<table.count where skipName(table[index]) { return index }
        guard let index = table.index(of: try text()) else { throw MalformedJSON() }
        return index
    }

    /// Reads the name when exactly its usual spelling follows.
    @inline(__always)
    private mutating func skipName<Key>(_ entry: JSONKeyTable<Key>.Entry) -> Bool {
        skip(entry.token, count: entry.nameCount, head: entry.head, mask: entry.nameMask)
    }

    /// The same with the colon behind a key.
    @inline(__always)
    fileprivate mutating func skipKey<Key>(_ entry: JSONKeyTable<Key>.Entry) -> Bool {
        skip(entry.token, count: entry.nameCount + 1, head: entry.head, mask: entry.keyMask)
    }

    @inline(__always)
    private mutating func skip(_ token: UnsafePointer<UInt8>, count: Int, head: UInt64, mask: UInt64) -> Bool {
        guard let word = nextWord else { return skipAtEnd(token, count: count) }
        guard (word ^ head) & mask == 0 else { return false }
        if count > 8 {
            guard end - next >= count, Self.equal(next, token, count: count) else { return false }
        }
        next += count
        return true
    }

    /// The same at the message's end, where fewer than eight bytes are left.
    @inline(never)
    private mutating func skipAtEnd(_ token: UnsafePointer<UInt8>, count: Int) -> Bool {
        guard end - next >= count else { return false }
        for offset in 0..<count where next[offset] != token[offset] { return false }
        next += count
        return true
    }

    /// Compares names longer than a word, a word at a time behind the first one; the last word overlaps the one before.
    @inline(__always)
    private static func equal(_ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, count: Int) -> Bool {
        for offset in stride(from: 8, to: count - 8, by: 8) where word(left + offset) != word(right + offset) { return false }
        return word(left + count - 8) == word(right + count - 8)
    }

    @inline(__always)
    private static func word(_ bytes: UnsafePointer<UInt8>) -> UInt64 {
        UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self)
    }
}
