import EmulatedUSB
import Glibc
import NLOSCore
import Testing

@testable import TransientSensor

extension EmulatedBusSuite {
    /// What is found, in which state, without opening anything.
    @Suite struct Finding {
        let bus = EmulatedBus()

        @Test func everyKindOfBoardInOneList() throws {
            let boards: [(String, BoardModel)] = [
                ("1-1", .hub), ("1-1.2", .stlinkV21), ("1-1.10", .stlinkV3TwoPorts), ("1-2", .stlinkV2), ("1-3", .ch340), ("2-1", .unoR3),
                ("1-4", .stm32VirtualPort), ("1-5", .stlinkDFU),
            ]
            let plugged = try boards.map { try bus.plug($0.1, at: $0.0) }
            let sensors = try Discovery.list().sensors
            #expect(
                sensors.map { "\($0.path) \($0.id) \($0.access.rawValue) \($0.profile ?? "-")" } == [
                    "usb:1-1.2 0483:374b ready st-nucleo-vl53l8ch", "usb:1-1.10 0483:3753 ready st-nucleo-vl53l8ch",
                    "usb:1-2 0483:3748 no_serial_interface -", "usb:1-3 1a86:7523 no_serial_interface -", "usb:1-4 0483:5740 ready -",
                    "usb:1-5 0483:df11 no_serial_interface -", "usb:2-1 2341:0043 ready -",
                ])
            #expect(plugged.allSatisfy { !$0.log.contains(.opened) && $0.log.touched.isEmpty })
            let nucleo = sensors[0]
            #expect(nucleo.kernelDriver == "cdc_acm" && nucleo.ttyNodes == ["/dev/ttyACM0"] && nucleo.speedMbps == 12)
            #expect(nucleo.node == plugged[1].place.devnode && nucleo.configuration == 1)
            #expect(nucleo.serial?.text == "066EFF373535503457062922")
            #expect(sensors[1].serialPorts == 2 && sensors[1].ttyNodes.count == 2)
        }

        @Test func serialNumbersAsTheyAre() throws {
            try bus.plug(.stlinkV21, at: "1-1", serial: EmulatedUSB.SerialNumber(units: nil, sysfs: Array("\u{1b}[2J\u{7}0123456".utf8)))
            try bus.plug(.stlinkV21, at: "1-2", serial: .none)
            try bus.plug(.stlinkV21, at: "1-3", serial: EmulatedUSB.SerialNumber(units: nil, sysfs: [0xff, 0xfe, 0x41]))
            let serials = try Discovery.list().sensors.map(\.serial)
            #expect(serials.map { $0?.text } == ["1B5B324A0730313233343536", nil, nil])
            #expect(serials[1] == nil && serials[2]?.bytes == [0xff, 0xfe, 0x41])
        }

        @Test func aNodeThatMayNotBeOpenedIsListedAsDenied() throws {
            let board = try bus.plug(.stlinkV21)
            board.setNodeMode(0o600)
            let sensors = try EmulatedBus.asNobody { try Discovery.list().sensors }
            #expect(sensors.map(\.access) == [.denied])
            #expect(try Discovery.list().sensors.map(\.access) == [.ready])
        }

        @Test func aClaimByAnotherProgramShowsAsBusy() throws {
            let board = try bus.plug(.stlinkV21)
            board.setAnotherProgram(holds: 3)
            #expect(try Discovery.list().sensors.map(\.access) == [.busy])
        }

        @Test func listingLeavesNothingBehind() throws {
            try bus.plug(.stlinkV21)
            _ = try Discovery.list()
            let before = Holdings.now()
            for _ in 0..<20 {
                _ = try Discovery.list()
                _ = try DiscoveryMonitor(clocks: .kernel).next()
            }
            #expect(Holdings.settle(to: before), "\(Holdings.now()), before: \(before)")
        }

        @Test func libusbFindsTheSameBoards() throws {
            try bus.plug(.stlinkV21, at: "1-1")
            try bus.plug(.stlinkV3TwoPorts, at: "1-2")
            try bus.plug(.hub, at: "1-3")
            let byUdev = try Discovery.list().sensors
            let byLibusb = try USBContext().listDevices().sorted { $0.busPath < $1.busPath }
            #expect(byLibusb.map(\.busPath) == byUdev.map(\.busPath))
            #expect(byLibusb.map(\.node) == byUdev.map(\.node) && byLibusb.map(\.speedMbps) == byUdev.map(\.speedMbps))
            #expect(byLibusb.map { $0.configuration?.serialPairs } == byUdev.map { $0.serialPairs })
        }
    }

    /// Boards that come, go and change hands while somebody watches.
    @Suite struct Watching {
        let bus = EmulatedBus()

        /// Collects changes until there are `count`, waiting for each a bounded time.
        private func changes(_ monitor: DiscoveryMonitor, _ count: Int) throws -> [String] {
            var seen: [String] = []
            while true {
                while let change = try monitor.next() {
                    seen.append("\(change.kind.rawValue) \(change.sensor.path) \(change.sensor.access.rawValue)")
                }
                var waited = pollfd(fd: monitor.descriptor, events: Int16(POLLIN), revents: 0)
                // What should have been said is there; a little longer for what should not.
                guard poll(&waited, 1, seen.count < count ? 10_000 : 50) == 1 else { return seen }
            }
        }

        @Test func plugUnplugReplug() throws {
            try bus.plug(.stlinkV21, at: "1-1")
            let monitor = try DiscoveryMonitor(clocks: .kernel)
            #expect(try changes(monitor, 1) == ["present usb:1-1 ready"])
            let second = try bus.plug(.stlinkV3E, at: "1-2")
            #expect(try changes(monitor, 1).first == "added usb:1-2 ready")
            bus.unplug(second)
            #expect(try changes(monitor, 1).last == "removed usb:1-2 ready")
            try bus.plug(.stlinkV3E, at: "1-2")
            #expect(try changes(monitor, 1).first == "added usb:1-2 ready")
        }

        @Test func aBoardThatKeepsComingBackIsAResetLoop() throws {
            let monitor = try DiscoveryMonitor(clocks: .kernel)
            var loops: [Bool] = []
            for _ in 0..<5 {
                let board = try bus.plug(.stlinkV21)
                while loops.isEmpty || board.status.isPlugged {
                    var waited = pollfd(fd: monitor.descriptor, events: Int16(POLLIN), revents: 0)
                    try #require(poll(&waited, 1, 10_000) == 1)
                    guard let added = try monitor.next(), added.kind == .added else { continue }
                    loops.append(added.isResetLoop)
                    bus.unplug(board)
                }
                while let change = try monitor.next(), change.kind != .removed {}
            }
            #expect(loops == [false, false, false, false, true])
        }

        @Test func strangersAreNoNews() throws {
            let monitor = try DiscoveryMonitor(clocks: .kernel)
            let hub = try bus.plug(.hub, at: "1-1")
            bus.unplug(hub)
            #expect(try changes(monitor, 0).isEmpty)
        }

        @Test func pluggedBetweenWatchAndListIsToldOnce() throws {
            let monitor = try DiscoveryMonitor(clocks: .kernel)
            try bus.plug(.stlinkV21)
            let told = try changes(monitor, 1)
            #expect(told.filter { $0.hasPrefix("added") || $0.hasPrefix("present") }.count == 1)
        }

        @Test func aClaimAndItsReleaseAreAccessChanges() throws {
            let board = try bus.plug(.stlinkV21)
            let monitor = try DiscoveryMonitor(clocks: .kernel)
            #expect(try changes(monitor, 1) == ["present usb:1-4 ready"])
            let link = try LinkListener.open(board)
            #expect(try changes(monitor, 1).last == "access_changed usb:1-4 busy")
            link.close()
            #expect(try changes(monitor, 1).last == "access_changed usb:1-4 ready")
        }
    }
}
