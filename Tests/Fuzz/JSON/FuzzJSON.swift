@testable import NLOSCore

/// An object with a member of every kind that messages have.
private struct Everything {
    enum Key: String, JSONKey {
        case flag, integer, double, float, text, name, list
        static let table = JSONKeyTable<Self>()
    }

    var flag = false
    var integer: UInt64?
    var double = 0.0
    var float: Float = 0
    var text = ""
    var name = TransientKind.replay
    var list: [UInt16] = []

    init(_ json: inout JSONReader) throws(MalformedJSON) {
        var members = try json.object(Key.self)
        while let key = try members.next(&json) {
            switch key {
            case .flag: flag = try json.bool()
            case .integer: integer = try json.unsigned()
            case .double: double = try json.double()
            case .float: float = try json.float()
            case .text: text = try json.text().string
            case .name: name = try json.name(of: TransientKind.self)
            case .list: try json.smallIntegers { if let number = $0 { list.append(number) } }
            }
        }
    }

    func encode(into json: inout JSONWriter) {
        json.beginObject()
        json.key("flag")
        json.value(flag)
        json.key("integer")
        json.value(integer ?? 0)
        json.key("double")
        json.value(double)
        json.key("float")
        json.value(float)
        json.key("text")
        json.value(text)
        json.key("name")
        json.value(name.rawValue)
        json.key("list")
        json.value(list.span)
        json.endObject()
    }
}

/// Any bytes as JSON: never a trap, and what is read and written reads back the same, to the bit.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // A copy of exactly this size: one byte read too far is seen.
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let everything = read(bytes) else { return 0 }
    var json = JSONWriter()
    everything.encode(into: &json)
    let line = json.bytes
    guard let again = read(line), again.text == everything.text, again.list == everything.list else { fatalError("does not read back") }
    json.removeAll()
    again.encode(into: &json)
    guard json.bytes == line else { fatalError("is not written the same again") }
    return 0
}

private func read(_ bytes: [UInt8]) -> Everything? {
    bytes.withUnsafeBytes { bytes in
        try? JSONReader.read(bytes, atMost: 4096) { json throws(MalformedJSON) in try Everything(&json) }
    }
}
