import CLibUDev
import CLibUSB
import CLinux
import EmulatedUSB
import Foundation
import Testing

extension EmulatedBusSuite {
    /// Plugging in and out, as udev tells it.
    @Suite struct Plugging {
        let bus = EmulatedBus()

        @Test func factsInSysfs() throws {
            let board = try bus.plug(.stlinkV21, at: "1-4", devnum: 7)
            let udev = PlainUdev(on: bus)
            let device = try #require(udev.devices().first { $0.syspath.hasSuffix("/1-4") })
            #expect(device.node == "/dev/bus/usb/001/007" && device.node == board.place.devnode)
            let facts = [
                ("idVendor", "0483"), ("idProduct", "374b"), ("bcdDevice", "0100"), ("busnum", "1"), ("devnum", "7"), ("speed", "12"),
                ("manufacturer", "STMicroelectronics"), ("product", "STM32 STLink"), ("serial", "066EFF373535503457062922"),
                ("bConfigurationValue", "1"),
            ]
            for (name, value) in facts { #expect(device.attribute(name) == value, "\(name)") }
            let interfaces = udev.devices(type: "usb_interface").filter { $0.syspath.contains("/1-4/") }
            #expect(interfaces.map(\.driver) == [nil, "usb-storage", "cdc_acm", "cdc_acm"])
            #expect(interfaces.map { $0.attribute("bInterfaceNumber") } == ["00", "01", "02", "03"])
            let ttys = udev.devices(subsystem: "tty", type: nil)
            #expect(ttys.map(\.node) == ["/dev/ttyACM0"])
            #expect(ttys[0].syspath.hasPrefix(interfaces[2].syspath + "/"))
        }

        static let serials: [(SerialNumber, [UInt8]?)] = [
            ("066EFF373535503457062922", Array("066EFF373535503457062922".utf8)), (.none, nil), ("", []),
            (.raw([0x50, 0x3F, 0x6A, 0x06, 0x80, 0x7F, 0x01]), [0x50, 0x3F, 0x6A, 0x06, 0xC2, 0x80, 0x7F, 0x01]),
            (SerialNumber(units: nil, sysfs: [0xFF, 0x1B, 0x5B, 0x32, 0x4A]), [0xFF, 0x1B, 0x5B, 0x32, 0x4A]),
        ]

        @Test(arguments: serials) func serialNumbersAreBytes(serial: SerialNumber, expected: [UInt8]?) throws {
            try bus.plug(.stlinkV21, serial: serial)
            let file = ChildProgram.contents(of: "/sys/bus/usb/devices/1-4/serial")
            #expect(file.map { $0.dropLast(1) }.map(Array.init) == expected)
        }

        @Test func announcements() throws {
            let udev = PlainUdev(on: bus)
            let monitor = PlainMonitor(udev)
            let first = try bus.plug(.stlinkV21NoStorage, at: "1-4")
            let plugged = ["add 1-4", "add 1-4:1.0", "add 1-4:1.1", "add 1-4:1.2", "add ttyACM0"]
            #expect(monitor.events { $0.last == "add ttyACM0" } == ["add usb1", "add usb1:1.0"] + plugged)
            bus.unplug(first)
            let pulled = ["remove ttyACM0", "remove 1-4:1.0", "remove 1-4:1.1", "remove 1-4:1.2", "remove 1-4"]
            #expect(monitor.events { $0.last == "remove 1-4" } == pulled)
            let second = try bus.plug(.stlinkV21NoStorage, at: "1-4", serial: "another")
            #expect(second.place.devnum != first.place.devnum)
            #expect(monitor.events { $0.last == "add ttyACM0" } == plugged)
        }

        static var socketHoldsTen: Bool {
            (try? String(contentsOfFile: "/proc/sys/net/unix/max_dgram_qlen", encoding: .utf8)).map { $0 == "10\n" } ?? false
        }

        @Test(.enabled(if: socketHoldsTen, "this machine's datagram sockets hold more than ten messages"))
        func listenerThatDoesNotReadMissesSome() throws {
            let monitor = PlainMonitor(PlainUdev(on: bus))
            bus.unplug(try bus.plug(.stlinkV21NoStorage, at: "1-4"))
            let early = monitor.events { $0.count == 10 }
            try bus.plug(.ftdi, at: "1-5")
            let late = monitor.events { $0.last == "add 1-5:1.0" }
            #expect(early.contains("add 1-4") && late.last == "add 1-5:1.0" && !(early + late).contains("remove 1-4"))
        }

        @Test func driversAreAnnounced() throws {
            let board = try bus.plug(.stlinkV21NoStorage)
            let host = PlainHost(on: bus)
            let udev = PlainUdev(on: bus)
            let monitor = PlainMonitor(udev)
            let handle = try host.open(board)
            #expect(libusb_detach_kernel_driver(handle.handle, 1) == 0)
            #expect(libusb_attach_kernel_driver(handle.handle, 1) == 0)
            let events = monitor.events { $0.last == "add ttyACM0" }
            #expect(events.contains("remove ttyACM0") && events.contains("unbind 1-4:1.1") && events.contains("bind 1-4:1.1"))
        }

        @Test func libusbHearsOfIt() throws {
            let host = PlainHost(on: bus)
            let board = try bus.plug(.stlinkV21)
            #expect(host.devices { libusb_get_device_address($0) }.contains(UInt8(board.place.devnum)))
            bus.unplug(board)
            // The announcement reaches libusb's own thread a moment later.
            let gone = host.waitUntil { !host.devices { libusb_get_device_address($0) }.contains(UInt8(board.place.devnum)) }
            #expect(gone)
        }

        @Test func severalBoardsAndAHub() throws {
            try bus.plug(.hub, at: "1-1")
            let boards = [
                try bus.plug(.stlinkV21, at: "1-1.3", serial: "same"), try bus.plug(.stlinkV21, at: "1-4", serial: "same"),
                try bus.plug(.stlinkV3E, at: "2-1", serial: "other"),
            ]
            #expect(boards.flatMap(\.ttys) == ["ttyACM0", "ttyACM1", "ttyACM2"])
            let host = PlainHost(on: bus)
            let chains = host.devices { device in
                var ports = [UInt8](repeating: 0, count: 7)
                let depth = libusb_get_port_numbers(device, &ports, 7)
                return [libusb_get_bus_number(device)] + ports.prefix(Int(max(0, depth)))
            }
            for chain: [UInt8] in [[1, 1, 3], [1, 4], [2, 1]] { #expect(chains.contains(chain)) }
            for board in boards {
                let handle = try host.open(board)
                try handle.claim(board)
                board.feed([UInt8(board.place.devnum)])
                #expect(handle.read(board.model.serialPorts[0].input.address, room: 512).bytes == [UInt8(board.place.devnum)])
            }
        }

        @Test func hubTakesItsBoardsAlong() throws {
            let hub = try bus.plug(.hub, at: "1-1")
            let board = try bus.plug(.stlinkV21, at: "1-1.3")
            bus.unplug(hub)
            #expect(!board.status.isPlugged)
            #expect(PlainUdev(on: bus).devices().map { ($0.syspath as NSString).lastPathComponent } == ["usb1"])
        }

        @Test func sameDeviceNumberAgain() throws {
            let host = PlainHost(on: bus)
            let first = try bus.plug(.stlinkV21, devnum: 9)
            bus.unplug(first)
            let second = try bus.plug(.stlinkV21, devnum: 9)
            let handle = try host.open(second)
            try handle.claim(second)
            #expect(first.log.actions.isEmpty && second.log.contains(.claimed(2)))
        }
    }
}
