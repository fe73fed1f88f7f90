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
    let words = frames([rest[...]])
    precondition(words == frames([rest[..<middle], rest[middle...]]), "the messages depend on how they were cut")
    // Who stops in the middle of a piece, as at the end of a session, finds what follows all the same.
    let last = frames([rest[..<middle], rest[middle...]], skippingAfter: 1)
    precondition(last.elementsEqual(words.suffix(last.count)), "what was skipped changes what follows")
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
    return .failure(.status(status, body: []))
}

/// `skippingAfter`: so many messages of the first piece are taken and then the rest of it is skipped; what came of it is left out.
private func frames(_ pieces: [ArraySlice<UInt8>], skippingAfter count: Int? = nil) -> [String] {
    guard let layer = try? WebSocketLayer() else { return [] }
    var words: [String] = []
    for (index, piece) in pieces.enumerated() {
        piece.withUnsafeBytes { bytes in
            layer.feed(bytes)
            do throws(WebSocketBreach) {
                if index == 0, let count {
                    for _ in 0..<count { _ = try layer.next() }
                    _ = try layer.skip()
                    return
                }
                while let incoming = try layer.next() {
                    switch incoming {
                    case .text(let text): words.append("text \(text.count) \(text.reduce(0) { $0 &+ Int($1) })")
                    case .binary: words.append("binary")
                    case .ping: words.append("ping")
                    case .pong: words.append("pong")
                    case .close(let code, let reason): words.append("close \(code ?? 0) \(reason)")
                    }
                }
            } catch {
                if index > 0 || count == nil { words.append("\(error)") }
            }
        }
    }
    return words
}
