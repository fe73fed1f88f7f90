/// Writes JSON into a buffer of its own that is used again for every document.
///
/// Commas and colons are the writer's work; the caller states structure in order. Nothing depends on a locale, nothing is
/// pretty-printed, and once the buffer has grown to the size of a document, writing the next one allocates nothing.
///
/// The caller must balance `begin` and `end` and put a `key` before each member: the writer does not check it.
public struct JSONWriter: Sendable {
    /// What has been written since the last `removeAll`.
    public private(set) var bytes: [UInt8] = []
    /// Whether the next key or value needs a comma in front.
    private var followsValue = false

    public init() {}

    /// Forgets the text and keeps the memory.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        followsValue = false
    }

    // MARK: Structure

    public mutating func beginObject() { open(UInt8(ascii: "{")) }
    public mutating func endObject() { close(UInt8(ascii: "}")) }
    public mutating func beginArray() { open(UInt8(ascii: "[")) }
    public mutating func endArray() { close(UInt8(ascii: "]")) }

    /// The name of the next member. Plain ASCII without quotes and backslashes, so it needs no escaping.
    public mutating func key(_ name: StaticString) {
        append(upTo: name.utf8CodeUnitCount + 4) { to, comma in
            var end = to
            if comma { end.put(UInt8(ascii: ",")) }
            end.put(UInt8(ascii: "\""))
            end.put(contentsOf: name)
            end.put(UInt8(ascii: "\""))
            end.put(UInt8(ascii: ":"))
            return end
        }
        followsValue = false
    }

    /// The name of the next member where it is known only at run time; escaped like any text.
    public mutating func key(text name: String) {
        value(name)
        bytes.append(UInt8(ascii: ":"))
        followsValue = false
    }

    /// Ends a line of JSONL. The next value starts a new document.
    public mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
        followsValue = false
    }

    // MARK: Values

    public mutating func null() { literal("null") }
    public mutating func value(_ truth: Bool) { literal(truth ? "true" : "false") }

    public mutating func value(_ number: some FixedWidthInteger) {
        // A sign and 20 digits hold every 64-bit integer; no wider type is ever written.
        appendValue(upTo: 21) { DecimalDigits.write(number, to: $0) }
    }

    /// The shortest decimal that reads back to the same `Float`; `null` for what JSON has no word for.
    public mutating func value(_ number: Float) {
        guard number.isFinite else { return null() }
        appendValue(upTo: ShortestDecimal.longest) { ShortestDecimal.write(number, to: $0) }
    }

    /// The shortest decimal that reads back to the same `Double`; `null` for what JSON has no word for.
    public mutating func value(_ number: Double) {
        guard number.isFinite else { return null() }
        appendValue(upTo: ShortestDecimal.longest) { ShortestDecimal.write(number, to: $0) }
    }

    public mutating func value(_ text: String) {
        // Six bytes for each one is the most that escaping makes of it.
        var text = text
        text.withUTF8 { utf8 in
            appendValue(upTo: 6 * utf8.count + 2) { JSONEscapes.writeQuoted(utf8, to: $0) }
        }
    }

    public mutating func value(_ number: (some FixedWidthInteger)?) { if let number { value(number) } else { null() } }
    public mutating func value(_ number: Float?) { if let number { value(number) } else { null() } }
    public mutating func value(_ number: Double?) { if let number { value(number) } else { null() } }
    public mutating func value(_ truth: Bool?) { if let truth { value(truth) } else { null() } }
    public mutating func value(_ text: String?) { if let text { value(text) } else { null() } }

    /// An array of numbers in one go: the bound is checked once, not at every number.
    public mutating func value(_ numbers: Span<UInt16>) {
        numbers.withUnsafeBufferPointer { numbers in
            appendValue(upTo: HistogramDigits.longest(numbers.count) + 2) { to in
                var end = to
                end.put(UInt8(ascii: "["))
                end = HistogramDigits.write(numbers, to: end)
                // The last comma's place is the bracket's.
                if !numbers.isEmpty { end -= 1 }
                end.put(UInt8(ascii: "]"))
                return end
            }
        }
    }

    // MARK: Bytes

    private mutating func open(_ bracket: UInt8) {
        if followsValue { bytes.append(UInt8(ascii: ",")) }
        bytes.append(bracket)
        followsValue = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        followsValue = true
    }

    private mutating func literal(_ word: StaticString) {
        appendValue(upTo: 5) { to in
            var end = to
            end.put(contentsOf: word)
            return end
        }
    }

    /// Appends a value, with the comma it needs. `body` gets the place for `limit` bytes and returns the end of what it wrote.
    @inline(__always)
    private mutating func appendValue(upTo limit: Int, _ body: (OutputPointer) -> OutputPointer) {
        append(upTo: limit + 1 + DecimalDigits.slack) { to, comma in
            var start = to
            if comma { start.put(UInt8(ascii: ",")) }
            return body(start)
        }
        followsValue = true
    }

    /// `body` gets the place for `limit` bytes and whether a comma is due, and returns the end of what it wrote.
    @inline(__always)
    private mutating func append(upTo limit: Int, _ body: (OutputPointer, Bool) -> OutputPointer) {
        let comma = followsValue
        bytes.append(addingCapacity: limit) { span in
            span.withUnsafeMutableBufferPointer { buffer, count in
                guard let start = buffer.baseAddress.map({ $0 + count }) else { return }
                let end = body(start, comma)
                count += end - start
                assert(end - start <= limit)
            }
        }
    }
}

/// Where the next byte goes. Whoever hands one out has made room for all that is written through it.
typealias OutputPointer = UnsafeMutablePointer<UInt8>

extension OutputPointer {
    /// Writes one byte and moves on.
    @inline(__always)
    mutating func put(_ byte: UInt8) {
        pointee = byte
        self += 1
    }

    @inline(__always)
    mutating func put(contentsOf text: StaticString) {
        update(from: text.utf8Start, count: text.utf8CodeUnitCount)
        self += text.utf8CodeUnitCount
    }
}
