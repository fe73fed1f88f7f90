import CLinux
import Glibc
import Testing

@testable import TransientSensor

@Suite struct LineSettingsTests {
    /// B21: the number itself stands in the settings, marked as a number.
    @Test(arguments: [2_250_000, 2_000_000, 1_000_000, 921_600, 115_200] as [UInt32])
    func theRateIsANumber(baud: UInt32) {
        let raw = LineSettings(raw: LineCoding(baud: baud)).kernel
        #expect(raw.c_cflag & NLOS_CBAUD == NLOS_BOTHER)
        #expect(raw.c_ospeed == baud)
        #expect(raw.c_ispeed == baud)
        #expect(raw.c_cflag & UInt32(CSIZE) == UInt32(CS8))
        #expect(raw.c_cflag & UInt32(CSTOPB) == 0)
        #expect(raw.c_iflag == 0)
        #expect(raw.c_oflag == 0)
        #expect(raw.c_lflag == 0)
    }

    @Test(
        arguments: [(.none, 0), (.odd, UInt32(PARENB | PARODD)), (.even, UInt32(PARENB))] as [(LineCoding.Parity, UInt32)])
    func parity(_ parity: LineCoding.Parity, flags: UInt32) {
        let raw = LineSettings(raw: LineCoding(baud: 921_600, parity: parity)).kernel
        #expect(raw.c_cflag & UInt32(PARENB | PARODD) == flags)
    }

    /// 2 % is still carried: the board's own divider is 1.75 % off.
    @Test(
        arguments: [
            (2_250_000, 2_250_000, true), (2_250_000, 2_205_000, true), (2_250_000, 2_204_999, false),
            (2_250_000, 2_295_000, true), (2_250_000, 2_295_001, false), (2_250_000, 9_600, false), (2_250_000, 0, false),
            (UInt32.max, UInt32.max, true), (UInt32.max, 0, false),
        ] as [(UInt32, UInt32, Bool)])
    func aDriverThatTakesAnotherRate(asked: UInt32, taken: UInt32, carried: Bool) {
        let rate = LineSettings(raw: LineCoding(baud: taken)).rate(against: asked)
        #expect(rate == taken)
        #expect(LineCoding(baud: asked).tolerates(rate) == carried)
    }
}
