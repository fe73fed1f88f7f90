import CLibUSB
import CLinux
import EmulatedUSB
import Foundation
import Testing

extension EmulatedBusSuite {
    /// Other processes and users on the bus, and what is left behind.
    @Suite struct Processes {
        let bus = EmulatedBus()

        @Test func childSeesTheBus() throws {
            try bus.plug(.stlinkV3E, at: "1-4")
            let child = try ChildProgram("/bin/cat", ["/sys/bus/usb/devices/1-4/idProduct"]).finish()
            #expect(child.ending == .exited(0) && child.text == "374e\n")
            let missing = try ChildProgram("/bin/cat", ["/sys/bus/usb/devices/1-5/idProduct"]).finish()
            #expect(missing.ending == .exited(1) && missing.stdout.isEmpty && missing.errorText.contains("1-5"))
        }

        @Test func childCanBeSignalled() throws {
            let child = try ChildProgram("/bin/sh", ["-c", "echo ready; exec sleep 60"])
            #expect(child.wait { $0.text == "ready\n" })
            child.signal(SIGTERM)
            #expect(child.finish().ending == .killed(signal: SIGTERM))
        }

        @Test func permissions() throws {
            let board = try bus.plug(.stlinkV21)
            let host = PlainHost(on: bus)
            board.setNodeMode(0o600)
            EmulatedBus.asNobody {
                #expect(access(board.place.devnode, R_OK | W_OK) == -1)
                #expect(throws: PlainFailure(LIBUSB_ERROR_ACCESS)) { _ = try host.open(board) }
            }
            if getuid() == 0 {
                let child = try ChildProgram("/bin/sh", ["-c", "exec 5<>\(board.place.devnode)"], asNobody: true).finish()
                #expect(child.ending != .exited(0))
            }
            board.setNodeMode(0o666)
            try EmulatedBus.asNobody {
                #expect(access(board.place.devnode, R_OK | W_OK) == 0)
                _ = try host.open(board)
            }
        }

        @Test func theCensusSeesWhatIsLeft() throws {
            // What earlier tests left is going away meanwhile and may hide a rise once; not every time.
            let rose = (0..<5).contains { _ in
                let before = ProcessCensus.now()
                let extra = (0..<8).map { _ in open("/dev/null", O_RDONLY) }
                let hosts = (0..<4).map { _ in PlainHost(on: bus) }  // one monitor thread for all of them
                let during = ProcessCensus.now()
                withExtendedLifetime(hosts) { for descriptor in extra { _ = close(descriptor) } }
                return during.descriptors >= before.descriptors + 8 && during.threads >= before.threads + 1
            }
            #expect(rose)
        }

        @Test func nothingIsLeftAfterASession() throws {
            let board = try bus.plug(.stlinkV21)
            func session() throws {
                let host = PlainHost(on: bus)
                let handle = try host.open(board)
                try handle.claim(board)
                board.feed([1])
                #expect(handle.read(0x85, room: 64).bytes == [1])
            }
            try session()
            _ = board.wait { $0.openDescriptors == 0 }
            board.setAnotherProgram(holds: 2, false)
            let before = ProcessCensus.now()
            for _ in 0..<8 { try session() }
            #expect(board.wait { $0.openDescriptors == 0 })
            // A thread of the test runner's own pool may have ended meanwhile.
            let after = before.settled()
            #expect(after.descriptors <= before.descriptors && after.threads <= before.threads, "\(after), before: \(before)")
        }
    }
}
