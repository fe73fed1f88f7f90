import Glibc
import NLOSCore

extension UpgradeFailure {
    /// What happened, with which server, and what to do next.
    func message(_ server: String) -> Message {
        switch self {
        case .unauthorized:
            Message(
                text: "\(server): the server does not accept the pairing token (401)",
                next: "pair again with its present token: nlos-bridge pair wss://\(server)/api/v1/nlos/ws")
        case .forbidden:
            Message(
                text: "\(server): the server refuses this client (403)",
                next: "see in the log of the server and of the proxy why, before you try again")
        case .redirect(let status, let location):
            Message(
                text:
                    "\(server): the server redirects to \(Self.target(location)) (\(status)); that is not followed, as the pairing token would go there",
                next: "give the address of the server itself, if you trust that place, and pair with it")
        case .status(let status, let body):
            Message(
                text: "\(server): no WebSocket there: status \(status)"
                    + (body.isEmpty ? "" : ", \"\(shortened(body, to: UpgradeResponse.excerptLength))\""),
                next: "check that the TLS proxy passes /api/v1/nlos/ws on to the RuView server, with its Upgrade header")
        case .headTooLarge:
            Message(text: "\(server): the head of its answer is over 16 KiB", next: "check that the address leads to a RuView server")
        case .malformed(let what):
            Message(
                text: "\(server): its answer is not proper HTTP: \(what)",
                next: "check that the address leads to a RuView server, and update its proxy")
        case .wrongHeader(let name, let needed):
            Message(
                text: "\(server): its answer to the upgrade is wrong in the header \(name); needed: \(needed)",
                next: "check that the TLS proxy passes the upgrade on to the RuView server and answers nothing by itself")
        case .closed(errno: 0):
            Message(
                text: "\(server): the server ended the connection instead of answering the upgrade",
                next: "see in the proxy's log whether it reaches the RuView server")
        case .closed(let errno):
            Message(
                text: "\(server): the connection broke before the upgrade was answered: \(String(cString: strerror(errno)))",
                next: "see in the proxy's log why")
        }
    }

    /// Scheme and host of where a redirect points; nothing else of it is shown, as a path may hold what is nobody's business.
    static func target(_ location: [UInt8]?) -> String {
        guard let location else { return "an unnamed place" }
        let slashes = Array("://".utf8)
        let scheme = location.prefix { isSchemeByte($0) }
        let rest = location[scheme.endIndex...]
        let authority: ArraySlice<UInt8>
        if !scheme.isEmpty, rest.starts(with: slashes) {
            authority = rest.dropFirst(3)
        } else if location.starts(with: "//".utf8) {
            authority = location.dropFirst(2)
        } else {
            return "another place on the same server"
        }
        let whole = authority.prefix { !"/?#\\".utf8.contains($0) }
        let host = whole.lastIndex(of: UInt8(ascii: "@")).map { whole[($0 + 1)...] } ?? whole
        let prefix = scheme.isEmpty || !rest.starts(with: slashes) ? "" : shortened(scheme, to: 16) + "://"
        return prefix + shortened(host, to: 100)
    }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        switch byte | 0x20 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): true
        default: (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "+-.".utf8.contains(byte)
        }
    }
}
