/// The two interfaces of one CDC-ACM serial port and the endpoints its bytes go through.
struct CDCPair: Equatable, Sendable {
    /// Interface that takes the class requests; its number is their wIndex.
    let control: UInt8
    /// Interface with the bulk endpoints.
    let data: UInt8
    let input: EndpointDescriptor
    let output: EndpointDescriptor
}

extension ConfigurationDescriptor {
    /// Every serial port, in the device's order. No number is assumed: it all follows from the descriptors.
    var serialPairs: [CDCPair] {
        var pairs: [CDCPair] = []
        for control in interfaces where control.isACMControl {
            guard let pair = pair(for: control), !pairs.contains(where: { $0.data == pair.data }) else { continue }
            pairs.append(pair)
        }
        return pairs
    }

    /// The union descriptor's word counts first; boards without one name the data interface elsewhere, or put it right behind.
    private func pair(for control: InterfaceDescriptor) -> CDCPair? {
        let association = associations.first { $0.contains(control.number) }
        let associated = interfaces.filter { association?.contains($0.number) ?? false }.map(\.number)
        let candidates = control.unionSubordinates + control.callManagementData + associated + [control.number &+ 1]
        for number in candidates where number != control.number {
            // Only a data interface will do: a wrong word of the device must never lead to its storage or its debugger.
            guard let data = interfaces.first(where: { $0.number == number && $0.isCDCData }),
                let input = data.endpoints.first(where: { $0.isBulk && $0.isInput && $0.maxPacketSize > 0 }),
                let output = data.endpoints.first(where: { $0.isBulk && !$0.isInput && $0.maxPacketSize > 0 })
            else { continue }
            return CDCPair(control: control.number, data: number, input: input, output: output)
        }
        return nil
    }
}

extension InterfaceDescriptor {
    fileprivate var isACMControl: Bool { alternate == 0 && kind.deviceClass == 0x02 && kind.subclass == 0x02 }
    fileprivate var isCDCData: Bool { alternate == 0 && kind.deviceClass == 0x0a }

    /// Union: length, 0x24, 0x06, master, subordinates.
    fileprivate var unionSubordinates: [UInt8] {
        functional.filter { $0.count >= 5 && $0[2] == 0x06 }.flatMap { $0.dropFirst(4) }
    }

    /// Call Management: length, 0x24, 0x01, capabilities, data interface.
    fileprivate var callManagementData: [UInt8] {
        functional.filter { $0.count >= 5 && $0[2] == 0x01 }.map { $0[4] }
    }
}
