import NLOSCore
import Testing

@testable import TransientSensor

@Suite struct AttachedSensorTests {
    @Test func nucleoAtRest() {
        let sensor = AttachedSensor.made(of: .nucleo())
        #expect(sensor.path == "usb:1-4")
        #expect(sensor.id == "0483:374b")
        #expect(sensor.serial?.text == "066EFF373535503457062922")
        #expect(sensor.profile == "st-nucleo-vl53l8ch" && sensor.sensorProfile?.name == "st-nucleo-vl53l8ch")
        #expect(sensor.access == .ready)
        #expect(sensor.kernelDriver == "cdc_acm")
        #expect(sensor.ttyNodes == ["/dev/ttyACM0"])
        #expect(sensor.interfaces.map(\.kind.description) == ["ff/ff/ff", "08/06/50", "02/02/01", "0a/00/00"])
        #expect(sensor.diagnosis == nil)
    }

    struct Row: CustomTestStringConvertible {
        let testDescription: String
        let access: AttachedSensor.Access
        /// Words that the diagnosis must hold.
        let says: [String]
        let change: @Sendable (inout DeviceFacts) -> Void
        var mayOpen = true
        var held: Set<String> = []
    }

    static let rows = [
        Row(
            testDescription: "no permission", access: .denied, says: ["/dev/bus/usb/001/004", "permission denied"], change: { _ in },
            mayOpen: false),
        Row(
            testDescription: "tty open elsewhere", access: .busy, says: ["/dev/ttyACM0", "another program"], change: { _ in },
            held: ["/dev/ttyACM0"]),
        Row(
            testDescription: "claimed by another libusb program", access: .busy, says: ["another program"],
            change: { $0.drivers[3] = "usbfs" }),
        Row(testDescription: "debug interface claimed by a debugger", access: .ready, says: [], change: { $0.drivers[0] = "usbfs" }),
        Row(testDescription: "driver gave nothing back", access: .ready, says: [], change: { ($0.drivers, $0.serialNodes) = ([:], []) }),
        Row(
            testDescription: "no configuration", access: .noSerialInterface, says: ["0483:374b", "12 Mbit/s", "no configuration"],
            change: { $0.configuration = nil }),
        Row(
            testDescription: "storage only", access: .noSerialInterface, says: ["no serial interface", "08/06/50 (usb-storage)"],
            change: { $0.configuration?.interfaces.removeAll { $0.number != 1 } }),
        Row(
            testDescription: "V2 probe", access: .noSerialInterface, says: ["no serial port"],
            change: { facts in
                facts.productId = 0x3748
                facts.configuration?.interfaces.removeAll { $0.number != 0 }
            }),
        Row(
            testDescription: "CH340", access: .noSerialInterface, says: ["CH340", "--port /dev/ttyUSB0"],
            change: { facts in
                (facts.vendorId, facts.productId) = (0x1a86, 0x7523)
                facts.configuration = ConfigurationDescriptor.parse(KnownDescriptors.ch340).first
                facts.serialNodes = [SerialNode(node: "/dev/ttyUSB0", interface: 0)]
            }),
        Row(
            testDescription: "a sensor that is not supported yet", access: .ready, says: ["TMF8829", "not supported yet", "48x32"],
            change: { ($0.vendorId, $0.productId) = (0x1bcf, 0xed4c) }),
        Row(
            testDescription: "its maker's board", access: .noSerialInterface, says: ["TMF8829", "not supported yet", "ams-OSRAM"],
            change: { facts in
                (facts.vendorId, facts.productId) = (0x1325, 0x1000)
                facts.configuration?.interfaces.removeAll()
            }),
        Row(testDescription: "some other STM32", access: .ready, says: ["--profile"], change: { $0.productId = 0x5740 }),
    ]

    @Test(arguments: rows) func access(row: Row) throws {
        var facts = DeviceFacts.nucleo()
        row.change(&facts)
        let sensor = AttachedSensor.made(of: facts, mayOpen: row.mayOpen, held: row.held)
        #expect(sensor.access == row.access)
        #expect((sensor.diagnosis == nil) == row.says.isEmpty)
        let said = sensor.diagnosis.map { "\($0.text) \($0.next ?? "")" } ?? ""
        for words in row.says { #expect(said.contains(words)) }
    }

    @Test func everyIdIsListedOnceAndNamed() {
        let ids = KnownBoard.all.map { UInt32($0.vendorId) << 16 | UInt32($0.productId) }
        #expect(Set(ids).count == ids.count)
        #expect(KnownBoard.all.allSatisfy { ($0.profile != nil) == ($0.kind == .sensorBoard) && !$0.board.isEmpty })
        #expect(KnownBoard.find(vendorId: 0x0483, productId: 0xffff) == nil)
    }
}
