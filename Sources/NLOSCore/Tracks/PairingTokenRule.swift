/// What a pairing token is made of (wire contract B): 32 to 512 bytes, each a visible ASCII character, 0x21 to 0x7e.
public enum PairingTokenRule {
    public static let length = 32...512

    /// How bytes are no token. Holds none of them.
    public enum Breach: Error, Equatable, Sendable {
        case tooShort(Int)
        case tooLong
        /// A space, a line break, or anything else that is no visible ASCII character, at this place, counted from 1.
        case notVisible(at: Int)
    }

    public static func check(_ bytes: some Collection<UInt8>) throws(Breach) {
        guard bytes.count <= length.upperBound else { throw .tooLong }
        guard bytes.count >= length.lowerBound else { throw .tooShort(bytes.count) }
        for (place, byte) in bytes.enumerated() where !(0x21...0x7e).contains(byte) { throw .notVisible(at: place + 1) }
    }
}
