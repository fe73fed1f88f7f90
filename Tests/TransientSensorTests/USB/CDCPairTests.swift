import Testing

@testable import TransientSensor

@Suite struct CDCPairTests {
    @Test(arguments: [
        (KnownDescriptors.stlinkV21, 2, 3, 0x85, 16, 0x05, 8), (KnownDescriptors.stlinkV21WithoutStorage, 1, 2, 0x85, 64, 0x05, 64),
        (KnownDescriptors.stlinkV3Set, 2, 3, 0x85, 512, 0x05, 512), (KnownDescriptors.unoR3, 0, 1, 0x83, 64, 0x04, 64),
    ])
    func portOfRealBoard(
        descriptors: [UInt8], control: UInt8, data: UInt8, input: UInt8, inputSize: Int, output: UInt8, outputSize: Int
    ) throws {
        let configuration = try #require(ConfigurationDescriptor.parse(descriptors).first)
        let pair = try #require(configuration.serialPairs.first)
        #expect(configuration.serialPairs.count == 1)
        #expect(pair.control == control && pair.data == data)
        #expect(pair.input.address == input && pair.input.maxPacketSize == inputSize)
        #expect(pair.output.address == output && pair.output.maxPacketSize == outputSize)
    }

    @Test func vendorChipHasNoPort() throws {
        #expect(try #require(ConfigurationDescriptor.parse(KnownDescriptors.ch340).first).serialPairs.isEmpty)
    }

    /// A configuration of storage (0), control (1, with these descriptors), a data interface (2) and another (3), IN first.
    private func configuration(_ functional: String, association: String = "") throws -> ConfigurationDescriptor {
        let hex = """
            09 02 00 00 04 01 00 80 32
            09 04 00 00 02 08 06 50 00  07 05 81 02 40 00 00  07 05 01 02 40 00 00
            \(association)
            09 04 01 00 01 02 02 01 00  \(functional)  07 05 82 03 08 00 10
            09 04 02 00 02 0a 00 00 00  07 05 83 02 40 00 00  07 05 03 02 40 00 00
            09 04 03 00 02 0a 00 00 00  07 05 84 02 40 00 00  07 05 04 02 40 00 00
            """
        return try #require(ConfigurationDescriptor.parse(KnownDescriptors.bytes(hex)).first)
    }

    struct Row: CustomTestStringConvertible {
        let testDescription: String
        let functional: String
        var association = ""
        let data: UInt8
    }

    @Test(arguments: [
        Row(testDescription: "union before call management", functional: "05 24 01 00 02  05 24 06 01 03", data: 3),
        Row(testDescription: "call management without union", functional: "05 24 01 00 03", data: 3),
        Row(testDescription: "association without both", functional: "", association: "08 0b 01 03 02 02 01 00", data: 2),
        Row(testDescription: "next number without a word", functional: "", data: 2),
        Row(testDescription: "union names the storage: never", functional: "05 24 06 01 00", data: 2),
        Row(testDescription: "union names itself", functional: "05 24 06 01 01", data: 2),
        Row(testDescription: "union names what is not there", functional: "05 24 06 01 77", data: 2),
        Row(testDescription: "union with two subordinates", functional: "06 24 06 01 00 03", data: 3),
        Row(testDescription: "union cut short", functional: "04 24 06 01", data: 2),
    ])
    func fallbacks(row: Row) throws {
        let pairs = try configuration(row.functional, association: row.association).serialPairs
        #expect(pairs.map(\.data) == [row.data])
        #expect(pairs.map(\.control) == [1])
    }

    @Test func everyCutIsSafeAndInventsNothing() {
        for cut in 0...KnownDescriptors.stlinkV21.count {
            let configurations = ConfigurationDescriptor.parse(Array(KnownDescriptors.stlinkV21.prefix(cut)))
            // Only the last descriptor, the bulk IN endpoint, makes the port complete.
            #expect(configurations.flatMap(\.serialPairs).isEmpty == (cut < KnownDescriptors.stlinkV21.count))
        }
    }

    @Test func everyChangedByteIsSafe() {
        var ports = 0
        for index in KnownDescriptors.stlinkV21.indices {
            for value in [0, 1, 2, 0x7f, 0x80, 0xff] as [UInt8] {
                var damaged = KnownDescriptors.stlinkV21
                damaged[index] = value
                for pair in ConfigurationDescriptor.parse(damaged).flatMap(\.serialPairs) {
                    #expect(pair.input.isInput && pair.input.isBulk && pair.input.maxPacketSize > 0)
                    #expect(pair.control != pair.data)
                    ports += 1
                }
            }
        }
        #expect(ports > 0)
    }

    @Test func endpointOfNoSizeIsNoPort() {
        var silent = KnownDescriptors.stlinkV21
        silent[silent.count - 3] = 0
        #expect(ConfigurationDescriptor.parse(silent).flatMap(\.serialPairs).isEmpty)
    }
}
