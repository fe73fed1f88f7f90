import NLOSCore

extension Waiting {
    /// Turns the secure connection into a WebSocket. What came with the answer and belongs to the WebSocket is returned.
    ///
    /// Here the token leaves, for a server that has been proved to be the right one.
    mutating func upgrade(
        _ channel: SecureChannel, to endpoint: MonitorEndpoint, token: PairingToken, within seconds: Double
    ) throws(SessionEnd) -> [UInt8] {
        let deadline = deadline(in: seconds)
        var response = UpgradeResponse(accept: try sendRequest(to: endpoint, token, on: channel))
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            try channel.flush()
            let wake = try waitQuietly(channel.descriptor, readable: true, writable: channel.wantsToSend, until: deadline)
            var ended: CInt?
            if wake.contains(.readable), case .ended(let errno) = try channel.receive() { ended = errno }
            reading: while true {
                switch try channel.read(into: buffer) {
                case .bytes(let count):
                    do throws(UpgradeFailure) {
                        // Nothing is read past the answer: what follows it is not HTTP.
                        if case .accepted(let rest) = try response.push(buffer[..<count]) { return rest }
                    } catch { throw .upgrade(error) }
                case .nothing: break reading
                case .ended:
                    ended = ended ?? 0
                    break reading
                }
            }
            if let ended { throw .upgrade(response.end(errno: ended)) }
            if wake.contains(.deadline) { throw response.refusalSoFar.map(SessionEnd.upgrade) ?? .upgradeTimeout }
        }
    }

    /// Gives the request to TLS, and lets go of it. Returns what the server has to answer to the request's key.
    private func sendRequest(to endpoint: MonitorEndpoint, _ token: PairingToken, on channel: SecureChannel) throws(SessionEnd) -> [UInt8] {
        let request = UpgradeRequest(to: endpoint, token: token)
        try request.withBytes { bytes throws(SessionEnd) in try channel.write(bytes) }
        return request.accept
    }
}
