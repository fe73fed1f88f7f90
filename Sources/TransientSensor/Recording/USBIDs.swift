/// A device's vendor and product numbers.
public struct USBIDs: Hashable, Sendable {
    public let vendorId: UInt16
    public let productId: UInt16

    public init(vendorId: UInt16, productId: UInt16) {
        self.vendorId = vendorId
        self.productId = productId
    }

    /// Nil when the bytes are no device descriptor (18 bytes, of type 1).
    init?(deviceDescriptor bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 18, bytes[0] == 18, bytes[1] == 1 else { return nil }
        vendorId = UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt16.self))
        productId = UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: 10, as: UInt16.self))
    }
}
