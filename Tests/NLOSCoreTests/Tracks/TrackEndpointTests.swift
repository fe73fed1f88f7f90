import NLOSCore
import Testing

@Suite struct TrackEndpointTests {
    private static let path = "/api/v1/nlos/ws"

    private func refusal(_ text: String) -> EndpointRefusal? {
        do throws(EndpointRefusal) {
            _ = try MonitorEndpoint(text)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        arguments: [
            // address, credential name, Host header, whether it is an IP address
            ("wss://ruview.example/api/v1/nlos/ws", "ruview.example:443", "ruview.example", false),
            ("wss://ruview.example:443/api/v1/nlos/ws", "ruview.example:443", "ruview.example", false),
            ("wss://ruview.example:8443/api/v1/nlos/ws", "ruview.example:8443", "ruview.example:8443", false),
            ("wss://RuView.EXAMPLE/api/v1/nlos/ws", "ruview.example:443", "ruview.example", false),
            ("WSS://ruview.example/api/v1/nlos/ws", "ruview.example:443", "ruview.example", false),
            ("wss://ruview.example./api/v1/nlos/ws", "ruview.example:443", "ruview.example", false),
            ("wss://ruview.example.:8443/api/v1/nlos/ws", "ruview.example:8443", "ruview.example:8443", false),
            ("wss://localhost:1/api/v1/nlos/ws", "localhost:1", "localhost:1", false),
            ("wss://a:65535/api/v1/nlos/ws", "a:65535", "a:65535", false),
            ("wss://xn--bcher-kva.example/api/v1/nlos/ws", "xn--bcher-kva.example:443", "xn--bcher-kva.example", false),
            ("wss://my_proxy/api/v1/nlos/ws", "my_proxy:443", "my_proxy", false),
            ("wss://1.2.3.4.example/api/v1/nlos/ws", "1.2.3.4.example:443", "1.2.3.4.example", false),
            ("wss://192.0.2.7/api/v1/nlos/ws", "192.0.2.7:443", "192.0.2.7", true),
            ("wss://0.0.0.255:9000/api/v1/nlos/ws", "0.0.0.255:9000", "0.0.0.255:9000", true),
            ("wss://127.0.0.1./api/v1/nlos/ws", "127.0.0.1:443", "127.0.0.1", true),
            ("wss://[::1]/api/v1/nlos/ws", "[::1]:443", "[::1]", true), ("wss://[::]/api/v1/nlos/ws", "[::]:443", "[::]", true),
            ("wss://[0:0:0:0:0:0:0:1]:8443/api/v1/nlos/ws", "[::1]:8443", "[::1]:8443", true),
            ("wss://[2001:DB8::7]/api/v1/nlos/ws", "[2001:db8::7]:443", "[2001:db8::7]", true),
            ("wss://[2001:0db8:0000:0001:0000:0000:0000:0001]/api/v1/nlos/ws", "[2001:db8:0:1::1]:443", "[2001:db8:0:1::1]", true),
            ("wss://[1:0:0:2:0:0:3:4]/api/v1/nlos/ws", "[1::2:0:0:3:4]:443", "[1::2:0:0:3:4]", true),
            ("wss://[1:0:2:3:4:5:6:7]/api/v1/nlos/ws", "[1:0:2:3:4:5:6:7]:443", "[1:0:2:3:4:5:6:7]", true),
            ("wss://[1::3:4:5:6:7:8]/api/v1/nlos/ws", "[1:0:3:4:5:6:7:8]:443", "[1:0:3:4:5:6:7:8]", true),
            ("wss://[fe80::]/api/v1/nlos/ws", "[fe80::]:443", "[fe80::]", true),
            ("wss://[::ffff:192.0.2.7]/api/v1/nlos/ws", "[::ffff:c000:207]:443", "[::ffff:c000:207]", true),
        ])
    func accepted(text: String, credential: String, header: String, isAddress: Bool) throws {
        let endpoint = try MonitorEndpoint(text)
        #expect(endpoint.credentialName == credential)
        #expect(endpoint.hostHeader == header)
        #expect(endpoint.isAddress == isAddress)
        #expect(!endpoint.host.contains("["))
    }

    @Test(
        arguments: [
            ("", .scheme), ("wss:", .scheme), ("wss:/h/api/v1/nlos/ws", .scheme), ("ruview.example", .scheme),
            ("//h/api/v1/nlos/ws", .scheme),
            ("ws://h/api/v1/nlos/ws", .scheme), ("https://h/api/v1/nlos/ws", .scheme), ("http://h/api/v1/nlos/ws", .scheme),
            ("wsss://h/api/v1/nlos/ws", .scheme), ("wss ://h/api/v1/nlos/ws", .control), ("file:///api/v1/nlos/ws", .scheme),
            ("wss://", .noHost), ("wss:///api/v1/nlos/ws", .noHost), ("wss://:443/api/v1/nlos/ws", .noHost),
            ("wss://./api/v1/nlos/ws", .noHost),
            ("wss://user@h/api/v1/nlos/ws", .userInfo), ("wss://user:pass@h/api/v1/nlos/ws", .userInfo),
            ("wss://@h/api/v1/nlos/ws", .userInfo),
            ("wss://h@/api/v1/nlos/ws", .userInfo), ("wss://h:443@evil.example/api/v1/nlos/ws", .userInfo),
            ("wss://h/api/v1/nlos/ws#", .fragment), ("wss://h/api/v1/nlos/ws#x", .fragment), ("wss://h#/api/v1/nlos/ws", .fragment),
            ("wss://h/api/v1/nlos/ws?", .query), ("wss://h/api/v1/nlos/ws?token=abc", .query),
            ("wss://h/api/v1/nlos/ws?ticket=abc", .query),
            ("wss://h?/api/v1/nlos/ws", .query), ("wss://h/api/v1/nlos/%77s", .percentEncoding),
            ("wss://%68/api/v1/nlos/ws", .percentEncoding),
            ("wss://[fe80::1%25eth0]/api/v1/nlos/ws", .percentEncoding), ("wss://[fe80::1%eth0]/api/v1/nlos/ws", .percentEncoding),
            ("wss://h:/api/v1/nlos/ws", .port), ("wss://h:0/api/v1/nlos/ws", .port), ("wss://h:65536/api/v1/nlos/ws", .port),
            ("wss://h:99999/api/v1/nlos/ws", .port), ("wss://h:100000/api/v1/nlos/ws", .port), ("wss://h:0443/api/v1/nlos/ws", .port),
            ("wss://h:+443/api/v1/nlos/ws", .port), ("wss://h:-1/api/v1/nlos/ws", .port), ("wss://h:https/api/v1/nlos/ws", .port),
            ("wss://h:443x/api/v1/nlos/ws", .port), ("wss://[::1]:/api/v1/nlos/ws", .port), ("wss://[::1]:0/api/v1/nlos/ws", .port),
            ("wss://h:99999999999999999999/api/v1/nlos/ws", .port), ("wss://h:\u{0664}43/api/v1/nlos/ws", .port),
            ("wss://h", .path), ("wss://h/", .path), ("wss://h/api/v1/nlos/ws/", .path), ("wss://h/api/v1/nlos", .path),
            ("wss://h//api/v1/nlos/ws", .path), ("wss://h/API/v1/nlos/ws", .path), ("wss://h/api/v1/nlos/../nlos/ws", .path),
            ("wss://h/api/v1/nlos/ws;x", .path), ("wss://h/api/v1/nlos/ws\\", .path), ("wss://h/./api/v1/nlos/ws", .path),
            ("wss://h/api/v1/nlos/wś", .path), ("wss://h\\/api/v1/nlos/ws", .host), ("wss://good.example\\.evil/api/v1/nlos/ws", .host),
            ("wss://a..b/api/v1/nlos/ws", .host), ("wss://.a/api/v1/nlos/ws", .host), ("wss://a../api/v1/nlos/ws", .host),
            ("wss://-a/api/v1/nlos/ws", .host), ("wss://a-/api/v1/nlos/ws", .host), ("wss://a,b/api/v1/nlos/ws", .host),
            ("wss://a*/api/v1/nlos/ws", .host), ("wss://a'b/api/v1/nlos/ws", .host), ("wss://a]/api/v1/nlos/ws", .host),
            ("wss://bücher.example/api/v1/nlos/ws", .internationalName), ("wss://ruv\u{0456}ew.example/api/v1/nlos/ws", .internationalName),
            ("wss://ruview\u{3002}example/api/v1/nlos/ws", .internationalName), ("wss://\u{ff52}uview/api/v1/nlos/ws", .internationalName),
            ("wss://127.1/api/v1/nlos/ws", .address), ("wss://2130706433/api/v1/nlos/ws", .address),
            ("wss://0x7f.1/api/v1/nlos/ws", .address),
            ("wss://0x7f000001/api/v1/nlos/ws", .address), ("wss://127.0.0.01/api/v1/nlos/ws", .address),
            ("wss://256.0.0.1/api/v1/nlos/ws", .address),
            ("wss://1.2.3.4.5/api/v1/nlos/ws", .address), ("wss://1.2.3/api/v1/nlos/ws", .address),
            ("wss://example.0x1/api/v1/nlos/ws", .address),
            ("wss://::1/api/v1/nlos/ws", .noHost), ("wss://fe80::1/api/v1/nlos/ws", .address),
            ("wss://2001:db8::7/api/v1/nlos/ws", .address),
            ("wss://[::1/api/v1/nlos/ws", .address), ("wss://[]/api/v1/nlos/ws", .address), ("wss://[::1]x/api/v1/nlos/ws", .address),
            ("wss://[::1]443/api/v1/nlos/ws", .address), ("wss://[:::]/api/v1/nlos/ws", .address),
            ("wss://[1::2::3]/api/v1/nlos/ws", .address),
            ("wss://[1:2:3:4:5:6:7]/api/v1/nlos/ws", .address), ("wss://[1:2:3:4:5:6:7:8:9]/api/v1/nlos/ws", .address),
            ("wss://[1:2:3:4:5:6:7:8::]/api/v1/nlos/ws", .address), ("wss://[12345::]/api/v1/nlos/ws", .address),
            ("wss://[g::]/api/v1/nlos/ws", .address),
            ("wss://[:1]/api/v1/nlos/ws", .address), ("wss://[1:]/api/v1/nlos/ws", .address), ("wss://[1.2.3.4]/api/v1/nlos/ws", .address),
            ("wss://[1.2.3.4::]/api/v1/nlos/ws", .address), ("wss://[::1.2.3]/api/v1/nlos/ws", .address),
            ("wss://[::1.2.3.256]/api/v1/nlos/ws", .address),
            ("wss://[1:2:3:4:5:6:7:1.2.3.4]/api/v1/nlos/ws", .address), ("wss://[v1.x]/api/v1/nlos/ws", .address),
            (" wss://h/api/v1/nlos/ws", .control), ("wss://h/api/v1/nlos/ws ", .control), ("wss://h/api/v1/nlos/ws\n", .control),
            ("wss://h\0/api/v1/nlos/ws", .control), ("wss://h\r\nHost: evil/api/v1/nlos/ws", .control),
            ("wss://h\t/api/v1/nlos/ws", .control),
            ("wss://h\u{7f}/api/v1/nlos/ws", .control), ("wss://h\u{1b}[31m/api/v1/nlos/ws", .control),
        ] as [(String, EndpointRefusal)])
    func refused(text: String, verdict: EndpointRefusal) { #expect(refusal(text) == verdict) }

    @Test func lengths() {
        func text(host: Int) -> String { "wss://" + String(repeating: "a", count: host) + Self.path }
        #expect(refusal(text(host: 63)) == nil)
        #expect(refusal(text(host: 64)) == .host)
        let labels = Array(repeating: String(repeating: "a", count: 49), count: 5).joined(separator: ".")  // 249
        #expect(refusal("wss://\(labels).abc\(Self.path)") == nil)
        #expect(refusal("wss://\(labels).abc.\(Self.path)") == nil)
        #expect(refusal("wss://\(labels).abcd\(Self.path)") == .host)
        let fixed = text(host: 0).utf8.count
        #expect(refusal(text(host: 2048 - fixed)) == .host)
        #expect(refusal(text(host: 2049 - fixed)) == .tooLong)
        #expect(refusal(String(repeating: " ", count: 1_000_000)) == .tooLong)
    }

    @Test("what was typed is never repeated, and what to type is said") func messages() throws {
        for refusal in EndpointRefusal.allCases {
            #expect(!refusal.message.text.isEmpty)
            #expect(refusal.message.next?.isEmpty == false)
            let words = refusal.message.text + (refusal.message.next ?? "")
            #expect(words.utf8.allSatisfy { (0x20...0x7e).contains($0) })
        }
        // No case carries anything.
        #expect(MemoryLayout<EndpointRefusal>.size == 1)
        #expect(EndpointRefusal.internationalName.message.next?.contains("xn--") == true)
    }

    @Test func spellingsOfOnePlaceAreOne() throws {
        let one = try MonitorEndpoint("wss://RUVIEW.example.:443\(Self.path)")
        #expect(one == (try MonitorEndpoint("wss://ruview.example\(Self.path)")))
        #expect(one != (try MonitorEndpoint("wss://ruview.example:8443\(Self.path)")))
        #expect(one != (try MonitorEndpoint("wss://www.ruview.example\(Self.path)")))
    }
}
