@testable import NLOSCore

/// Reads a whole message with `decode`; nil when it is malformed.
func read<Value>(_ text: some Sequence<UInt8>, _ decode: (inout JSONReader) throws(MalformedJSON) -> Value) -> Value? {
    // Exactly the message's bytes on the heap: a sanitizer sees one read too many.
    Array(text).withUnsafeBytes { bytes in
        try? JSONReader.read(bytes, atMost: 1 << 20, decode)
    }
}
