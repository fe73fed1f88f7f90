import NLOSCore
import Testing

@Suite struct TrackTokenTests {
    private static func token(_ count: Int) -> [UInt8] { (0..<count).map { 0x21 + UInt8($0 % 94) } }

    private func refusal(_ bytes: some Collection<UInt8>) -> TokenRefusal? {
        do throws(TokenRefusal) {
            try PairingTokenRule.check(bytes)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        arguments: [
            (0, .empty), (1, .tooShort), (31, .tooShort), (32, nil), (33, nil), (511, nil), (512, nil), (513, .tooLong),
            (100_000, .tooLong),
        ]
            as [(Int, TokenRefusal?)])
    func lengths(count: Int, verdict: TokenRefusal?) { #expect(refusal(Self.token(count)) == verdict) }

    @Test func everyByteInEveryPlace() {
        for byte in UInt8.min...UInt8.max {
            for place in [0, 15, 31] {
                var token = Self.token(32)
                token[place] = byte
                #expect(refusal(token) == (byte >= 0x21 && byte <= 0x7e ? nil : .character), "\(byte) at \(place)")
            }
        }
    }

    @Test func noMessageHoldsTheToken() {
        for refusal in TokenRefusal.allCases {
            #expect(!refusal.message.text.isEmpty)
            #expect(refusal.message.next?.contains("32 to 512") == true)
        }
        // A refusal has no place for it.
        #expect(MemoryLayout<TokenRefusal>.size == 1)
    }

    @Test func readInPlace() {
        Self.token(64).withUnsafeBytes { #expect(refusal($0) == nil) }
        #expect(refusal(Self.token(64)[8..<40]) == nil)
    }
}
