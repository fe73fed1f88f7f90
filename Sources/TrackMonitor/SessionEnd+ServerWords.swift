import Glibc
import NLOSCore

/// What a server says in its own words comes out on screens and in logs, and a server knows the token.
extension SessionEnd {
    /// What the owner is told, without the server's own words where they repeat so much as a part of the token.
    func disconnection(_ configuration: MonitorConfiguration, hiding token: PairingToken) -> Disconnection {
        guard token.isRepeated(in: serverWords) else { return disconnection(configuration) }
        let told = withoutServerWords.disconnection(configuration)
        let detail = Message(text: "\(told.detail.text); its own words are not shown: the pairing token is in them", next: told.detail.next)
        return Disconnection(reason: told.reason, detail: detail, closeCode: told.closeCode, mayPass: told.mayPass)
    }

    /// The words as they came, whole: what is shown is a part of them, and escaped.
    private var serverWords: [UInt8] {
        switch self {
        case .upgrade(.redirect(_, let location)): location ?? []
        case .upgrade(.status(_, let body)): body
        case .serverClosed(_, let reason): reason
        default: []
        }
    }

    private var withoutServerWords: SessionEnd {
        switch self {
        case .upgrade(.redirect(let status, _)): .upgrade(.redirect(status: status, location: nil))
        case .upgrade(.status(let status, _)): .upgrade(.status(status, body: []))
        case .serverClosed(let code, _): .serverClosed(code: code, reason: [])
        default: self
        }
    }
}

extension PairingToken {
    /// So many bytes in a row are a part of the token that nobody sends by chance.
    private static let tellingRun = 8

    /// Whether the token, or that much of it, stands anywhere in the text.
    func isRepeated(in text: [UInt8]) -> Bool {
        let run = Self.tellingRun
        guard text.count >= run else { return false }
        return withBytes { token in
            text.withUnsafeBytes { text in
                guard let words = text.baseAddress, let secret = token.baseAddress else { return false }
                return text.indices.dropLast(run - 1).contains { place in
                    token.indices.dropLast(run - 1).contains { memcmp(words + place, secret + $0, run) == 0 }
                }
            }
        }
    }
}
