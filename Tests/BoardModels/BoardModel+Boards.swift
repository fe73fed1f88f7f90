/// The boards and near misses that tests plug in. ST-LINK and Uno bytes come from public `lsusb -v` dumps (OpenOCD's
/// `doc/usb_adapters`, the Arduino Uno R3); the rest are built to be plausible neighbours on a bus.
extension BoardModel {
    private static let v2Strings: [UInt8: String] = [
        1: "STMicroelectronics", 2: "STM32 STLink", 4: "ST-Link Debug", 5: "ST-Link mass storage", 6: "ST-Link VCP Ctrl",
        7: "ST-Link VCP Data",
    ]
    private static let v3Strings: [UInt8: String] = [
        1: "STMicroelectronics", 2: "STLINK-V3", 4: "Default Config", 5: "ST-Link Debug", 6: "ST-Link mass storage",
        7: "ST-Link VCP Ctrl", 8: "ST-Link VCP Data", 9: "ST-Link Bridge", 10: "ST-Link VCP2 Ctrl", 11: "ST-Link VCP2 Data",
    ]

    private init(_ device: String, _ configuration: String, _ strings: [UInt8: String], megabits: Int) {
        self.init(
            device: Self.bytes(device), configuration: Self.bytes(configuration), strings: strings, megabits: megabits)
    }

    /// ST-LINK V2-1 with mass storage, older firmware: bulk OUT 8 bytes, bulk IN 16.
    public static let stlinkV21 = BoardModel(
        "12 01 00 02 ef 02 01 40 83 04 4b 37 00 01 01 02 03 01",
        """
        09 02 80 00 04 01 00 80 32
        09 04 00 00 03 ff ff ff 04
        07 05 81 02 40 00 00
        07 05 01 02 40 00 00
        07 05 82 02 20 00 00
        09 04 01 00 02 08 06 50 05
        07 05 83 02 40 00 00
        07 05 03 02 40 00 00
        08 0b 02 02 02 02 01 06
        09 04 02 00 01 02 02 01 06
        05 24 00 10 01
        05 24 01 00 03
        04 24 02 06
        05 24 06 02 03
        07 05 84 03 02 00 ff
        09 04 03 00 02 0a 00 00 07
        07 05 05 02 08 00 00
        07 05 85 02 10 00 00
        """, v2Strings, megabits: 12)

    /// ST-LINK V2-1 without mass storage (3752): 64-byte bulk both ways.
    public static let stlinkV21NoStorage = BoardModel(
        "12 01 00 02 ef 02 01 40 83 04 52 37 00 01 01 02 03 01",
        """
        09 02 69 00 03 01 00 80 96
        09 04 00 00 03 ff ff ff 04
        07 05 81 02 40 00 00
        07 05 01 02 40 00 00
        07 05 82 02 20 00 00
        08 0b 01 02 02 02 01 06
        09 04 01 00 01 02 02 01 06
        05 24 00 10 01
        05 24 01 00 02
        04 24 02 06
        05 24 06 01 02
        07 05 84 03 08 00 10
        09 04 02 00 02 0a 00 00 07
        07 05 05 02 40 00 00
        07 05 85 02 40 00 00
        """, v2Strings, megabits: 12)

    private static let v3Common = """
        09 04 00 00 03 ff ff ff 05
        07 05 81 02 00 02 00
        07 05 01 02 00 02 00
        07 05 82 02 00 02 00
        09 04 01 00 02 08 06 50 06
        07 05 83 02 00 02 00
        07 05 03 02 00 02 00
        08 0b 02 02 02 02 01 07
        09 04 02 00 01 02 02 01 07
        05 24 00 10 01
        05 24 01 00 03
        04 24 02 06
        05 24 06 02 03
        07 05 84 03 0a 00 10
        09 04 03 00 02 0a 00 00 08
        07 05 05 02 00 02 00
        07 05 85 02 00 02 00

        """

    /// ST-LINK V3E (374e), high speed: 512-byte bulk.
    public static let stlinkV3E = BoardModel(
        "12 01 00 02 ef 02 01 40 83 04 4e 37 00 01 01 02 03 01", "09 02 80 00 04 01 04 80 fa\n" + v3Common, v3Strings, megabits: 480)

    /// ST-LINK V3SET (374f): as V3E, and a bridge interface.
    public static let stlinkV3Set = BoardModel(
        "12 01 00 02 ef 02 01 40 83 04 4f 37 00 01 01 02 03 01",
        "09 02 97 00 05 01 04 80 fa\n" + v3Common + """
            09 04 04 00 02 ff ff ff 09
            07 05 86 02 00 02 00
            07 05 06 02 00 02 00
            """, v3Strings, megabits: 480)

    /// ST-LINK V3 with two serial ports (3753); the first is the target's.
    public static let stlinkV3TwoPorts = BoardModel(
        "12 01 00 02 ef 02 01 40 83 04 53 37 00 01 01 02 03 01",
        """
        09 02 c2 00 06 01 04 80 96
        09 04 00 00 03 ff ff ff 05
        07 05 81 02 00 02 00
        07 05 01 02 00 02 00
        07 05 82 02 00 02 00
        08 0b 01 02 02 02 01 07
        09 04 01 00 01 02 02 01 07
        05 24 00 10 01
        05 24 01 00 02
        04 24 02 06
        05 24 06 01 02
        07 05 84 03 0a 00 10
        09 04 02 00 02 0a 00 00 08
        07 05 05 02 00 02 00
        07 05 85 02 00 02 00
        09 04 03 00 02 ff ff ff 09
        07 05 86 02 00 02 00
        07 05 06 02 00 02 00
        08 0b 04 02 02 02 01 0a
        09 04 04 00 01 02 02 01 0a
        05 24 00 10 01
        05 24 01 00 05
        04 24 02 06
        05 24 06 04 05
        07 05 83 03 0a 00 10
        09 04 05 00 02 0a 00 00 0b
        07 05 07 02 00 02 00
        07 05 87 02 00 02 00
        """, v3Strings, megabits: 480)

    /// A Linux CDC-ACM gadget under an ST-LINK id: bulk IN listed before OUT, other addresses, no send break.
    public static let cdcGadget = BoardModel(
        "12 01 00 02 ef 02 01 40 83 04 4b 37 00 01 01 02 03 01",
        """
        09 02 4b 00 02 01 00 80 32
        08 0b 00 02 02 02 01 06
        09 04 00 00 01 02 02 01 04
        05 24 00 10 01
        05 24 01 00 01
        04 24 02 02
        05 24 06 00 01
        07 05 82 03 0a 00 20
        09 04 01 00 02 0a 00 00 05
        07 05 81 02 40 00 00
        07 05 01 02 40 00 00
        """,
        [
            1: "STMicroelectronics", 2: "STM32 STLink", 4: "CDC Abstract Control Model (ACM)", 5: "CDC ACM Data",
            6: "CDC Serial",
        ], megabits: 12)

    /// Arduino Uno R3: a serial board, but no ST-LINK.
    public static let unoR3 = BoardModel(
        "12 01 10 01 02 00 00 08 41 23 43 00 01 00 01 02 dc 01",
        """
        09 02 3e 00 02 01 00 c0 32
        09 04 00 00 01 02 02 01 00
        05 24 00 01 10
        04 24 02 06
        05 24 06 00 01
        07 05 82 03 08 00 ff
        09 04 01 00 02 0a 00 00 00
        07 05 04 02 40 00 01
        07 05 83 02 40 00 01
        """, [1: "Arduino (www.arduino.cc)"], megabits: 12)

    /// Some STM32 firmware's own serial port (0483:5740): ST's vendor id, not an ST-LINK.
    public static let stm32VirtualPort: BoardModel = {
        var model = unoR3
        model.device.replaceSubrange(8..<12, with: [0x83, 0x04, 0x40, 0x57])
        model.device[16] = 3
        model.strings = [1: "STMicroelectronics", 2: "STM32 Virtual ComPort"]
        return model
    }()

    /// A DEPZ board: no descriptor of one is public; this is what an STM32 with a serial port of its own shows.
    public static func depz(product: UInt16) -> BoardModel {
        var model = cdcGadget
        model.device.replaceSubrange(8..<12, with: [0xcf, 0x1b, UInt8(product & 0xff), UInt8(product >> 8)])
        model.strings = [1: "DEPZ", 2: "DEPZ sensor"]
        return model
    }

    /// ST-LINK V2 (3748): a debugger without a serial port.
    public static let stlinkV2 = BoardModel(
        "12 01 00 02 00 00 00 40 83 04 48 37 00 01 01 02 03 01",
        """
        09 02 27 00 01 01 00 80 32
        09 04 00 00 03 ff ff ff 04
        07 05 81 02 40 00 00
        07 05 02 02 40 00 00
        07 05 83 02 40 00 00
        """, [1: "STMicroelectronics", 2: "STM32 STLink", 4: "ST Link"], megabits: 12)

    /// An ST-LINK in its boot loader (0483:df11): device firmware upgrade, one interface.
    public static let stlinkDFU = BoardModel(
        "12 01 00 01 00 00 00 40 83 04 11 df 00 22 01 02 03 01",
        """
        09 02 1b 00 01 01 00 c0 32
        09 04 00 00 00 fe 01 02 04
        09 21 0b ff 00 00 08 1a 01
        """, [1: "STMicroelectronics", 2: "STM32  BOOTLOADER", 4: "@Internal Flash"], megabits: 12)

    /// CH340: vendor class, 8-byte control endpoint, no serial number.
    public static let ch340 = BoardModel(
        "12 01 10 01 ff 00 00 08 86 1a 23 75 64 02 00 02 00 01",
        """
        09 02 27 00 01 01 00 80 31
        09 04 00 00 03 ff 01 02 00
        07 05 82 02 20 00 00
        07 05 02 02 20 00 00
        07 05 81 03 08 00 01
        """, [2: "USB Serial"], megabits: 12)

    /// FTDI FT232R: vendor class, one port.
    public static let ftdi = BoardModel(
        "12 01 00 02 00 00 00 08 03 04 01 60 00 06 01 02 03 01",
        """
        09 02 20 00 01 01 00 a0 2d
        09 04 00 00 02 ff ff ff 02
        07 05 81 02 40 00 00
        07 05 02 02 40 00 00
        """, [1: "FTDI", 2: "FT232R USB UART"], megabits: 12)

    /// A keyboard made of an STM32: ST's vendor id, and nothing of a sensor.
    public static let stm32Keyboard = BoardModel(
        "12 01 00 02 00 00 00 40 83 04 10 57 00 02 01 02 03 01",
        """
        09 02 22 00 01 01 00 a0 32
        09 04 00 00 01 03 01 01 00
        09 21 11 01 00 01 22 3f 00
        07 05 81 03 08 00 0a
        """, [1: "STMicroelectronics", 2: "HID Keyboard"], megabits: 12)

    /// A four-port hub, to plug other boards into.
    public static let hub = BoardModel(
        "12 01 00 02 09 00 01 40 24 04 14 24 00 00 00 00 00 01",
        """
        09 02 19 00 01 01 00 e0 01
        09 04 00 00 01 09 00 00 00
        07 05 81 03 01 00 0c
        """, [:], megabits: 480)

    public static let rootHub = BoardModel(
        "12 01 00 02 09 00 01 40 6b 1d 02 00 01 06 03 02 01 01",
        """
        09 02 19 00 01 01 00 e0 00
        09 04 00 00 01 09 00 00 00
        07 05 81 03 04 00 0c
        """, [3: "Linux xhci-hcd", 2: "xHCI Host Controller"], megabits: 480)
}
