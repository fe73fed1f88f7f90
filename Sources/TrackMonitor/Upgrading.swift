import NLOSCore

extension Waiting {
    /// Turns the secure connection into a WebSocket. What came with the answer and belongs to the WebSocket is returned.
    ///
    /// The token leaves here, for a server that has been proved to be the right one.
    mutating func upgrade(
        _ channel: SecureChannel, to endpoint: MonitorEndpoint, token: PairingToken, within seconds: Double
    ) throws(SessionEnd) -> [UInt8] {
        let deadline = deadline(in: seconds)
        let request = UpgradeRequest(to: endpoint, token: token)
        var response = UpgradeResponse(accept: request.accept)
        do throws(TLSFailure) {
            try request.withBytes { bytes throws(TLSFailure) in try channel.tls.write(bytes) }
        } catch { throw .tls(error) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            try channel.flush()
            let wake = try waitQuietly(channel.descriptor, readable: true, writable: channel.wantsToSend, until: deadline)
            var ended: CInt?
            if wake.contains(.readable), case .ended(let errno) = try channel.receive() { ended = errno }
            do throws(UpgradeFailure) {
                reading: while true {
                    switch try channel.read(into: buffer) {
                    case .bytes(let count):
                        // Everything that came is handed on before anything else is read: after a `101` the rest is not HTTP.
                        if case .accepted(let rest) = try response.push(buffer[..<count]) { return rest }
                    case .nothing: break reading
                    case .ended:
                        ended = ended ?? 0
                        break reading
                    }
                }
                if let ended { throw response.end(errno: ended) }
            } catch { throw .upgrade(error) }
            if wake.contains(.deadline) { throw response.timedOut.map(SessionEnd.upgrade) ?? .upgradeTimeout }
        }
    }
}
