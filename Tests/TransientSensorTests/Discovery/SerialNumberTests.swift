import Testing

@testable import TransientSensor

@Suite struct SerialNumberTests {
    /// As the kernel would write these UTF-16 units into its `serial` file.
    private func file(_ units: [UInt16]) -> [UInt8] { Array(String(decoding: units, as: UTF16.self).utf8) }

    @Test func textStaysText() {
        #expect(SerialNumber(Array("066EFF373535503457062922".utf8))?.text == "066EFF373535503457062922")
        #expect(SerialNumber(Array("ABC-12".utf8))?.text == "ABC-12")
        #expect(SerialNumber(Array("ABCDEF012345".utf8))?.text == "ABCDEF012345")
        #expect(SerialNumber([]) == nil)
    }

    @Test func twelveRawUnitsBecomeHexadecimal() {
        let units: [UInt16] = [0x1b, 0x5b, 0x32, 0x4a, 0xff, 0x80, 0x07, 0x41, 0x42, 0x43, 0x31, 0x0a]
        #expect(SerialNumber(file(units))?.text == "1B5B324AFF8007414243310A")
    }

    @Test(arguments: 0...255) func everyRawByteIsShownSafely(value: UInt8) throws {
        // The kernel cuts at a NUL unit, so that one cannot be rebuilt; it is shown escaped.
        let units = value == 0 ? Array(repeating: 0x1b, count: 5) : [UInt16(value)] + Array(repeating: 0x1b, count: 11)
        let serial = try #require(SerialNumber(file(units)))
        #expect(serial.shown.utf8.allSatisfy { (0x20...0x7e).contains($0) })
        #expect((serial.text == nil) == (value == 0))
    }

    @Test func bytesThatAreNoTextHaveNone() throws {
        for bytes in [[0xff, 0xfe], [0x41, 0x1b], Array("größe".utf8), Array("пятница13-ое".utf8)] as [[UInt8]] {
            let serial = try #require(SerialNumber(bytes))
            #expect(serial.text == nil)
            #expect(serial.bytes == bytes)
            #expect(serial.shown.utf8.allSatisfy { (0x20...0x7e).contains($0) })
        }
    }
}
