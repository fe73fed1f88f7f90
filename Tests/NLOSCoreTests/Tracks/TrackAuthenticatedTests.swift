import NLOSCore
import Testing

@Suite struct TrackAuthenticatedTests {
    private static let now = TrackFields.nowUnixMs

    private static func message(
        schema: String = #""ruview.nlos.authenticated.v1""#, session: String = #""lab-run-001""#, expires: String = "1800003600000"
    ) -> String {
        #"{"schema":\#(schema),"sessionId":\#(session),"expiresAtUnixMs":\#(expires)}"#
    }

    private func verdict(_ message: some Sequence<UInt8>, at now: UInt64 = now) -> Rejection? {
        do throws(Rejection) {
            _ = try AuthenticatedSession.decode(Array(message), atUnixMs: now)
            return nil
        } catch {
            return error
        }
    }

    @Test func theWholeMessageComesOutAsItIs() throws {
        let session = try AuthenticatedSession.decode(Array(Self.message().utf8), atUnixMs: Self.now)
        #expect(session.sessionId.text == "lab-run-001")
        #expect(session.expiresAtUnixMs == 1_800_003_600_000)
    }

    @Test(
        arguments: [
            (message(schema: #""ruview.nlos.authenticated.v\u0031""#), nil),
            (message(schema: #""ruview.nlos.track.v1""#), .invalidField("schema")),
            (message(schema: "null"), .malformed), (message(session: #""""#), .invalidField("sessionId")),
            (message(session: "\"" + String(repeating: "a", count: 64) + "\""), nil),
            (message(session: "\"" + String(repeating: "a", count: 65) + "\""), .invalidField("sessionId")),
            (message(session: #""a b""#), .invalidField("sessionId")), (message(session: #""\ud800""#), .malformed),
            (message(session: "7"), .malformed),
            (message(expires: "1800000000001"), nil), (message(expires: "1800000000000"), .stale),
            (message(expires: "1799999999999"), .stale),
            (message(expires: "0"), .stale), (message(expires: "1800003601000"), nil),
            (message(expires: "1800003601001"), .excessiveLifetime),
            (message(expires: "9007199254740991"), .excessiveLifetime), (message(expires: "9007199254740992"), .invalidField("timestamp")),
            (message(expires: "18446744073709551616"), .invalidField("timestamp")), (message(expires: "1800003600000.0"), .malformed),
            (message(expires: "-1"), .malformed), (message(expires: "1.8e12"), .malformed),
            (message(expires: "\"1800003600000\""), .malformed),
            // Two breaches: the first in order.
            (message(schema: #""x""#, session: #""""#, expires: "0"), .invalidField("schema")),
            (message(session: #""""#, expires: "9007199254740992"), .invalidField("sessionId")),
            (message(schema: #""x""#, expires: "1.0"), .malformed),
            // Exactly these keys.
            (#"{"schema":"ruview.nlos.authenticated.v1","sessionId":"a"}"#, .malformed), ("{}", .malformed), ("", .malformed),
            ("null", .malformed),
            (#"{"schema":"ruview.nlos.authenticated.v1","sessionId":"a","expiresAtUnixMs":1800003600000,"token":"x"}"#, .malformed),
            (#"{"schema":"ruview.nlos.authenticated.v1","sessionId":"a","sessionId":"a","expiresAtUnixMs":1800003600000}"#, .malformed),
            (
                #"{"schema":"ruview.nlos.authenticated.v1","sessionId":"a","\u0073essionId":"a","expiresAtUnixMs":1800003600000}"#,
                .malformed
            ),
            (#"{"expiresAtUnixMs":1800003600000,"sessionId":"a","schema":"ruview.nlos.authenticated.v1"}"#, nil),
            (message() + "{}", .malformed), (message() + "\0", .malformed), ("\u{feff}" + message(), .malformed), (message() + " \n", nil),
            (message() + String(repeating: " ", count: 262_144), .messageTooLarge), (TrackFields().text, .malformed),
        ] as [(String, Rejection?)])
    func verdicts(message: String, verdict expected: Rejection?) { #expect(verdict(message.utf8) == expected, "\(message.prefix(120))") }

    @Test func noClockTraps() {
        #expect(verdict(Self.message().utf8, at: 0) == .excessiveLifetime)
        #expect(verdict(Self.message().utf8, at: .max) == .stale)
    }

    @Test func anyByteChangedIsNeverATrap() {
        let message = Array(Self.message().utf8)
        var accepted = 0
        for place in message.indices {
            for byte in [0, 0x22, 0x2c, 0x5c, 0x7b, 0x7d, 0x80, 0xff, 0x39] as [UInt8] {
                var changed = message
                changed[place] = byte
                if verdict(changed) == nil { accepted += 1 }
            }
        }
        // Digits of the time, and letters of the session that a 9 replaces.
        #expect(accepted > 0 && accepted < 30)
    }
}
