import Testing

@testable import bridge

@Suite struct PublicKeyPinTests {
    private static let key = (0..<32).map { UInt8($0 * 7 + 3) }
    private static let hexadecimal = "030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ced5dc"
    private static let base64 = "AwoRGB8mLTQ7QklQV15lbHN6gYiPlp2kq7K5wMfO1dw="

    @Test(
        "hexadecimal in either case and base64 with and without its padding",
        arguments: [hexadecimal, hexadecimal.uppercased(), base64, String(base64.dropLast())])
    func forms(text: String) {
        #expect(PublicKeyPin.parse(text) == Self.key)
    }

    @Test(
        "any other length or character is refused",
        arguments: [
            "", "03", String(hexadecimal.dropLast()), hexadecimal + "0", hexadecimal.replacing("f", with: "g"),
            String(hexadecimal.dropLast(24)), base64 + "=", String(base64.dropLast(2)), base64.replacing("8", with: "-"),
            // The last character carries two bits that belong to no byte.
            String(base64.dropLast(2)) + "x=", "sha256//\(base64)", " \(hexadecimal.dropFirst())", String(repeating: "\u{e9}", count: 32),
        ])
    func refusals(text: String) {
        #expect(PublicKeyPin.parse(text) == nil)
    }
}
