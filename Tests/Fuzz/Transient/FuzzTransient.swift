import NLOSCore

/// Any bytes as a transient message: never a trap, and what is accepted is written so that it reads back as the same frame.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTransient(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // A copy of exactly this size: one byte read too far is seen.
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let frame = try? TransientFrame.decode(bytes) else { return 0 }
    var json = JSONWriter()
    frame.encode(into: &json)
    let line = json.bytes
    guard let again = try? TransientFrame.decode(line), again == frame else { fatalError("the line does not read back") }
    json.removeAll()
    again.encode(into: &json)
    guard json.bytes == line else { fatalError("the line is not written the same again") }
    return 0
}
