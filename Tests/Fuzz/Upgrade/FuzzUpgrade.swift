@testable import TrackMonitor

/// Reads whatever the bytes are as the answer to an upgrade, in two pieces, and what follows a good answer as a WebSocket's frames.
///
/// The first byte says where the pieces part. What comes out may not depend on that.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard count > 0 else { return 0 }
    let bytes = UnsafeBufferPointer(start: start, count: count)
    let answer = Array(bytes.dropFirst())
    let cut = Int(bytes[0]) * answer.count / 255
    let whole = outcome([answer[...]])
    precondition(outcome([answer[..<cut], answer[cut...]]) == whole, "the answer depends on how it was cut")
    guard case .success(.accepted(let rest)) = whole else { return 0 }
    let middle = Int(bytes[0]) * rest.count / 255
    precondition(frames([rest[...]]) == frames([rest[..<middle], rest[middle...]]), "the messages depend on how they were cut")
    return 0
}

/// What RFC 6455 answers to its own sample key.
private let accept = Array("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=".utf8)

private func outcome(_ pieces: [ArraySlice<UInt8>]) -> Result<UpgradeResponse.Progress, UpgradeFailure> {
    var response = UpgradeResponse(accept: accept)
    var accepted: [UInt8]?
    for piece in pieces {
        if let first = accepted {
            accepted = first + piece
            continue
        }
        do throws(UpgradeFailure) {
            if case .accepted(let rest) = try response.push(piece) { accepted = rest }
        } catch { return settled(error) }
    }
    if let accepted { return .success(.accepted(rest: accepted)) }
    return settled(response.end(errno: 0))
}

/// How much of a body is quoted is a matter of how much of it had come.
private func settled(_ failure: UpgradeFailure) -> Result<UpgradeResponse.Progress, UpgradeFailure> {
    guard case .status(let status, _) = failure else { return .failure(failure) }
    return .failure(.status(status, excerpt: ""))
}

private func frames(_ pieces: [ArraySlice<UInt8>]) -> [String] {
    guard let layer = try? WebSocketLayer() else { return [] }
    var words: [String] = []
    for piece in pieces {
        piece.withUnsafeBytes { bytes in
            layer.feed(bytes)
            do throws(WebSocketBreach) {
                while let incoming = try layer.next() {
                    switch incoming {
                    case .text(let text): words.append("text \(text.count) \(text.reduce(0) { $0 &+ Int($1) })")
                    case .binary: words.append("binary")
                    case .ping: words.append("ping")
                    case .pong: words.append("pong")
                    case .close(let code, let reason): words.append("close \(code ?? 0) \(reason)")
                    }
                }
            } catch { words.append("\(error)") }
        }
    }
    return words
}
