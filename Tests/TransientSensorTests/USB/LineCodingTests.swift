import Testing

@testable import TransientSensor

@Suite struct LineCodingTests {
    @Test(arguments: [
        (LineCoding(baud: 2_250_000), "10 55 22 00 00 00 08"), (LineCoding(baud: 921_600, parity: .odd), "00 10 0e 00 00 01 08"),
        (LineCoding(baud: 115_200), "00 c2 01 00 00 00 08"), (LineCoding(baud: .max), "ff ff ff ff 00 00 08"),
    ])
    func onTheWire(coding: LineCoding, hex: String) { #expect(coding.cdcBytes == KnownDescriptors.bytes(hex)) }

    private let asked = LineCoding(baud: 2_250_000)

    @Test(arguments: [2_250_000, 2_205_000, 2_295_000]) func rateWithinTwoPercent(got: UInt32) throws {
        try asked.check(LineCoding(baud: got).cdcBytes, path: "usb:1-4")
    }

    @Test(arguments: [9600, 2_204_999, 2_295_001, 0, .max]) func rateBeyond(got: UInt32) {
        #expect(throws: SensorError.rateRefused(path: "usb:1-4", asked: 2_250_000, got: got)) {
            try asked.check(LineCoding(baud: got).cdcBytes, path: "usb:1-4")
        }
    }

    @Test func otherParityAndShortAnswers() {
        #expect(throws: SensorError.self) { try asked.check(LineCoding(baud: 2_250_000, parity: .even).cdcBytes, path: "usb:1-4") }
        for count in 0..<7 {
            #expect(throws: SensorError.self) { try asked.check(Array(asked.cdcBytes.prefix(count)), path: "usb:1-4") }
        }
    }
}
