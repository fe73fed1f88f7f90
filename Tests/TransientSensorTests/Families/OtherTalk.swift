import Testing

@testable import TransientSensor

/// What is met on serial ports and is no sensor of ours.
struct OtherTalk: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let bytes: [UInt8]

    private init(_ name: String, _ bytes: [UInt8]) {
        testDescription = name
        self.bytes = bytes
    }

    private init(_ name: String, lines: [String], ending: String = "\r\n") {
        self.init(name, Array(repeating: lines.joined(separator: ending) + ending, count: 40).joined().utf8.map { $0 })
    }

    static let all: [OtherTalk] =
        (UInt64(1)...3).map(noise) + [
            OtherTalk("all 0xFF", Array(repeating: 0xff, count: 32_768)),
            OtherTalk("all zero", Array(repeating: 0, count: 32_768)),
            OtherTalk("a counter", (0..<32_768).map { UInt8(truncatingIfNeeded: $0) }),
            // A modem manager's greeting and a modem's answer.
            OtherTalk(
                "modem", lines: ["AT", "OK", "AT+CGMI", "SIMCOM INCORPORATED", "", "OK", "AT+CPIN?", "+CME ERROR: 10", "ATZ", "ERROR"]),
            OtherTalk(
                "NMEA",
                lines: [
                    "$GPGGA,092750.000,5321.6802,N,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,*76",
                    "$GPGSA,A,3,10,07,05,02,29,04,08,13,,,,,1.72,1.03,1.38*0A",
                    "$GPGSV,3,1,11,10,63,137,17,07,61,098,15,05,59,290,20,08,54,157,30*70",
                    "$GPRMC,092750.000,A,5321.6802,N,00630.3372,W,0.02,31.66,280511,,,A*43",
                ]),
            OtherTalk(
                "ESP boot log",
                lines: [
                    "ets Jul 29 2019 12:21:46", "", "rst:0x1 (POWERON_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)", "configsip: 0, SPIWP:0xee",
                    "clk_drv:0x00,q_drv:0x00,d_drv:0x00,cs0_drv:0x00,hd_drv:0x00,wp_drv:0x00", "mode:DIO, clock div:1",
                    "load:0x3fff0030,len:1344",
                    "entry 0x400805f0", "\u{1b}[0;32mI (31) boot: ESP-IDF v5.1 2nd stage bootloader\u{1b}[0m",
                    "I (57) esp_image: segment 0: paddr=00010020 vaddr=3f400020 size=0a5ach ( 42412) map",
                ]),
            OtherTalk("columns of numbers", lines: (0..<64).map { "\($0),\($0 * 37 % 101),\($0 * 53 % 997)" }, ending: "\n"),
            OtherTalk(
                "a shell", lines: ["Debian GNU/Linux 12 board ttyS0", "", "board login: ", "Login incorrect", "D", "0 1 2", "#", "m", "s"],
                ending: "\n"),
        ]

    private static func noise(seed: UInt64) -> OtherTalk {
        var random = SeededGenerator(seed: seed)
        // The second half is poor in values, as damage on a line often is.
        let bytes: [UInt8] = (0..<65_536).map { index in
            let draw = random.next()
            return index < 32_768 ? UInt8(truncatingIfNeeded: draw) : [0x00, 0x0a, 0x20, 0x23, 0x2c, 0x30, 0x44, 0xff][Int(draw % 8)]
        }
        return OtherTalk("random bytes, seed \(seed)", bytes)
    }
}
