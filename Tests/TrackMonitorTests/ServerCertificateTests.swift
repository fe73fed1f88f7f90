import Testing
import TrackServerKit

@testable import TrackMonitor

/// Certificates that are right, or wrong in one way each. To a server whose certificate is refused not one byte of HTTP goes.
@Suite(.enabled(if: TrackServer.isInstalled, "\(TrackServer.absence)"))
struct ServerCertificateTests {
    struct Row: CustomTestStringConvertible {
        let certificate: String
        let host: String
        /// What the sentence for people says of it.
        let says: String
        init(_ certificate: String, _ host: String = "localhost", says: String = "") {
            (self.certificate, self.host, self.says) = (certificate, host, says)
        }
        var testDescription: String { "\(certificate) for \(host)" }
    }

    static let accepted = [
        Row("good"), Row("good", "127.0.0.1"), Row("name"), Row("upper-case-name"), Row("address", "127.0.0.1"),
        Row("other-address"), Row("intermediate"), Row("expired-extra"), Row("wildcard", "a.example.test"),
    ]

    static let refused = [
        Row("expired", says: "expired"), Row("not-yet-valid", says: "not yet valid"), Row("wrong-name", says: "hostname mismatch"),
        Row("name", "127.0.0.1", says: "IP address mismatch"), Row("address", says: "hostname mismatch"),
        Row("other-address", "127.0.0.1", says: "IP address mismatch"), Row("address-as-name", "127.0.0.1", says: "IP address mismatch"),
        Row("common-name-only", says: "hostname mismatch"), Row("common-name-beside-other", says: "hostname mismatch"),
        Row("embedded-nul", says: "hostname mismatch"), Row("client-purpose", says: "purpose"),
        Row("self-signed", says: "self-signed"), Row("unknown-authority", says: "self-signed certificate in certificate chain"),
        Row("missing-intermediate", says: "issuer"), Row("expired-intermediate", says: "nlos expired intermediate"),
        Row("expired-root", says: "issuer"), Row("wildcard", "example.test", says: "hostname mismatch"),
        Row("wildcard", "a.b.example.test", says: "hostname mismatch"), Row("wildcard", says: "hostname mismatch"),
        Row("partial-wildcard", "foo.example.test", says: "hostname mismatch"), Row("bare-wildcard", "a.test", says: "hostname mismatch"),
    ]

    @Test("A certificate that vouches for the server", arguments: accepted) func good(row: Row) throws {
        let served = try TrackServer.shared.get().open("plain", ["certificate": row.certificate])
        var play = try Play()
        play.host = row.host
        #expect(try play(served).words.last == "disconnected server_closed 1000")
        #expect(served.reports("request").map(\.token) == ["right"])
    }

    @Test("A certificate that does not, and the server sees no HTTP", arguments: refused) func bad(row: Row) throws {
        let served = try TrackServer.shared.get().open("plain", ["certificate": row.certificate])
        var play = try Play()
        play.host = row.host
        let played = try play(served)
        #expect(played.words == ["connecting", "disconnected tls"])
        let detail = try #require(played.disconnection).detail
        #expect((detail.text + (detail.next ?? "")).contains(row.says), "\(detail)")
        try served.wait { $0.what == "broken" }
        #expect(served.reports("request").isEmpty)
    }

    @Test("A root that is trusted and has expired is no root") func expiredRoot() throws {
        let server = try TrackServer.shared.get()
        let served = try server.open("plain", ["certificate": "expired-root"])
        var play = try Play()
        play.trust.authoritiesFile = "\(server.certificates)/expired-root-ca.pem"
        #expect(try play(served).words == ["connecting", "disconnected tls"])
        #expect(served.reports("request").isEmpty)
    }

    @Test("Without the private authority the system's store alone decides") func systemStore() throws {
        let served = try TrackServer.shared.get().open("plain")
        var play = try Play()
        play.trust = ServerTrust()
        #expect(try play(served).words == ["connecting", "disconnected tls"])
        #expect(served.reports("request").isEmpty)
    }

    @Test("Two names in one process, each with its own certificate and with the other's")
    func oneIdentityAConnection() throws {
        let server = try TrackServer.shared.get()
        for (certificate, host, good) in [
            ("name", "localhost", true), ("address", "127.0.0.1", true), ("address", "localhost", false), ("name", "127.0.0.1", false),
        ] {
            var play = try Play()
            play.host = host
            let words = try play(server.open("plain", ["certificate": certificate])).words
            #expect(words.last == (good ? "disconnected server_closed 1000" : "disconnected tls"), "\(certificate) for \(host)")
        }
    }

    @Test("A pinned key narrows trust") func pin() throws {
        let server = try TrackServer.shared.get()
        let pins = try server.pins
        for (certificate, pin, ending) in [
            ("good", "good", "disconnected server_closed 1000"), ("good", "name", "disconnected tls"),
            // Never widens it.
            ("self-signed", "self-signed", "disconnected tls"), ("wrong-name", "wrong-name", "disconnected tls"),
        ] {
            let served = try server.open("plain", ["certificate": certificate])
            var play = try Play()
            play.trust.publicKeyDigest = pins[pin]
            #expect(try play(served).words.last == ending, "\(certificate) with the pin of \(pin)")
            #expect(served.reports("request").count == (ending == "disconnected tls" ? 0 : 1))
        }
    }

    @Test("A redirect is refused, and the other host sees no connection", arguments: [301, 302, 303, 307, 308], [false, true])
    func redirect(status: Int, toItself: Bool) throws {
        let server = try TrackServer.shared.get()
        let other = try server.open("plain")
        let host = "localhost:\(other.port)"
        let served = try server.open(
            "redirect-\(status)", ["location": toItself ? "/api/v1/nlos/ws" : "https://\(host)/login?next=nobodys-business"])
        let played = try Play()(served)
        #expect(played.words == ["connecting", "disconnected redirect_refused"])
        let detail = try #require(played.disconnection).detail
        let said = detail.text + (detail.next ?? "")
        if !toItself { #expect(said.contains("https://localhost"), "\(said)") }
        #expect(!said.contains("nobodys-business"))
        #expect(served.reports("request").count == 1)
        #expect(other.reports.map(\.what) == ["listening"])
    }
}
