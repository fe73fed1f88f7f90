import NLOSCore

/// Any text as a server's address, and any bytes as a token: never a trap, and an address that is accepted reads back as itself.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEndpoint(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    try? PairingTokenRule.check(bytes)
    // Bytes that are no text are repaired on the way: an address comes from a command line or a file as a String.
    guard let endpoint = try? MonitorEndpoint(String(decoding: bytes, as: UTF8.self)) else { return 0 }
    let plain = "wss://\(endpoint.credentialName)/api/v1/nlos/ws"
    guard let again = try? MonitorEndpoint(plain), again == endpoint else { fatalError("\(plain) does not read back") }
    guard endpoint.port > 0, !endpoint.host.isEmpty,
        endpoint.host.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !"@/?#%\\[]".utf8.contains($0) && !(0x41...0x5a).contains($0) })
    else { fatalError("\(plain) was accepted") }
    return 0
}
