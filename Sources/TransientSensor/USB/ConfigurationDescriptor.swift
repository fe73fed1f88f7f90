/// One endpoint of an interface, as far as a serial port needs it.
struct EndpointDescriptor: Equatable, Sendable {
    let address: UInt8
    /// Transfer type in the two low bits.
    let attributes: UInt8
    /// Bytes; bits 11 and up of the field on the wire are not part of it.
    let maxPacketSize: Int

    var isInput: Bool { address & 0x80 != 0 }
    var isBulk: Bool { attributes & 3 == 2 }
}

/// One alternate setting of an interface.
struct InterfaceDescriptor: Equatable, Sendable {
    let number: UInt8
    let alternate: UInt8
    let kind: USBInterface.Kind
    var endpoints: [EndpointDescriptor] = []
    /// Class-specific interface descriptors (type 0x24), whole, in order.
    var functional: [[UInt8]] = []
}

/// Interfaces that the device says belong together (IAD).
struct InterfaceAssociation: Equatable, Sendable {
    let first: UInt8
    let count: UInt8

    func contains(_ number: UInt8) -> Bool { number >= first && Int(number) < Int(first) + Int(count) }
}

/// One configuration of a device.
struct ConfigurationDescriptor: Equatable, Sendable {
    let value: UInt8
    var interfaces: [InterfaceDescriptor] = []
    var associations: [InterfaceAssociation] = []

    /// Reads what the kernel's `descriptors` file holds: the device descriptor, then each configuration with all it contains.
    ///
    /// The bytes are the device's own words. Reading goes from length byte to length byte and ends at the first one that
    /// cannot be right; what was whole before it counts. Unknown descriptors are stepped over.
    static func parse(_ bytes: [UInt8]) -> [ConfigurationDescriptor] {
        var configurations: [ConfigurationDescriptor] = []
        for descriptor in split(bytes) {
            if descriptor[1] == 0x02, descriptor.count >= 9 {
                configurations.append(ConfigurationDescriptor(value: descriptor[5]))
            } else if !configurations.isEmpty {
                configurations[configurations.count - 1].take(descriptor)
            }
        }
        return configurations
    }

    /// Descriptor after descriptor, each whole and at least two bytes long.
    static func split(_ bytes: [UInt8]) -> [[UInt8]] {
        var descriptors: [[UInt8]] = []
        var rest = bytes[...]
        while let length = rest.first, length >= 2, Int(length) <= rest.count {
            descriptors.append(Array(rest.prefix(Int(length))))
            rest = rest.dropFirst(Int(length))
        }
        return descriptors
    }

    private mutating func take(_ descriptor: [UInt8]) {
        switch descriptor[1] {
        case 0x04 where descriptor.count >= 9:
            let kind = USBInterface.Kind(deviceClass: descriptor[5], subclass: descriptor[6], protocol: descriptor[7])
            interfaces.append(InterfaceDescriptor(number: descriptor[2], alternate: descriptor[3], kind: kind))
        case 0x05 where descriptor.count >= 7 && !interfaces.isEmpty:
            let size = (Int(descriptor[4]) | Int(descriptor[5]) << 8) & 0x7ff
            interfaces[interfaces.count - 1].endpoints.append(
                EndpointDescriptor(address: descriptor[2], attributes: descriptor[3], maxPacketSize: size))
        case 0x0b where descriptor.count >= 8:
            associations.append(InterfaceAssociation(first: descriptor[2], count: descriptor[3]))
        case 0x24 where !interfaces.isEmpty:
            interfaces[interfaces.count - 1].functional.append(descriptor)
        default:
            break
        }
    }
}
