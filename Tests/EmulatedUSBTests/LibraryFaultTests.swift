import EmulatedUSB
import Glibc
import NLOSCore
import Testing

@testable import TransientSensor

extension EmulatedBusSuite {
    /// libusb itself fails: what no device and no kernel does on request. None of it may last: a context that is never given back would be
    /// met by every later test of this process.
    @Suite struct LibraryFaultsOnALink {
        let bus = EmulatedBus()

        private static func usb(_ operation: String, _ failure: USBFailure, path: String = "usb:1-4") -> SensorError {
            .usb(path: path, operation: operation, failure: failure)
        }

        struct Row: CustomTestStringConvertible, Sendable {
            let testDescription: String
            let call: LibraryFaults.Call
            let code: Int32
            var after = 0
            let error: SensorError
        }

        static let rows: [Row] = [
            Row(
                testDescription: "libusb_init", call: .initialize, code: -11,
                error: usb("libusb_init", .other(code: -11), path: "usb")),
            Row(testDescription: "the list of devices", call: .list, code: -11, error: usb("open", .other(code: -11))),
            Row(testDescription: "opening: no memory", call: .open, code: -11, error: usb("open", .other(code: -11))),
            Row(testDescription: "opening: gone", call: .open, code: -4, error: .unplugged(path: "usb:1-4")),
            Row(
                testDescription: "no transfer can be made", call: .allocateTransfer, code: -11, after: 2,
                error: usb("read", .other(code: -11))),
            Row(testDescription: "no read can be submitted", call: .submit, code: -11, after: 2, error: usb("read", .other(code: -11))),
            Row(
                testDescription: "the last read cannot be submitted", call: .submit, code: -1, after: 2 + InboundTransfers.count - 1,
                error: usb("read", .ioError)),
        ]

        @Test("what libusb refuses while a board is opened is named, and all is given back", arguments: rows)
        func opening(row: Row) throws {
            defer { LibraryFaults.clear() }
            let board = try bus.plug(.stlinkV21)
            LibraryFaults.fail(row.call, code: row.code, after: row.after)
            #expect(throws: row.error) { try LinkListener.open(board) }
            #expect(LibraryFaults.failures(of: row.call) > 0)
            LibraryFaults.clear()
            #expect(board.status.kernelHasPort && board.status.onlyPortTouched)
            #expect(board.wait { $0.openDescriptors == 0 && $0.transfersInFlight == 0 })
        }

        @Test("some transfers are enough: fewer than asked for still read everything")
        func fewTransfers() throws {
            defer { LibraryFaults.clear() }
            let board = try bus.plug(.stlinkV21)
            LibraryFaults.fail(.allocateTransfer, after: 2 + 3)
            let listener = try LinkListener(opening: board)
            board.feed(Array(0..<200))
            #expect(listener.listen { $0.bytes.count == 200 })
            #expect(listener.bytes == Array(0..<200) && listener.holes.isEmpty)
            listener.link.close()
            #expect(board.status.kernelHasPort)
        }

        @Test("a read that cannot be submitted again ends the stream with its error, and keeps what came before")
        func resubmitting() throws {
            defer { LibraryFaults.clear() }
            let board = try bus.plug(.stlinkV21)
            let listener = try LinkListener(opening: board)
            board.feed([1, 2, 3])
            #expect(listener.listen { $0.bytes.count == 3 })
            LibraryFaults.fail(.submit, code: -11)
            board.feed([4, 5])
            #expect(!listener.listen { _ in false })
            #expect(listener.error == Self.usb("read", .other(code: -11)))
            #expect(listener.bytes == [1, 2, 3, 4, 5])
            LibraryFaults.clear()
            listener.link.close()
            #expect(board.status.kernelHasPort)
        }

        @Test("an event loop that fails is heard of at once, does not spin, and closing is not delayed", arguments: [1, 3])
        func events(times: Int) throws {
            defer { LibraryFaults.clear() }
            let board = try bus.plug(.stlinkV21)
            let listener = try LinkListener(opening: board)
            board.feed([1, 2, 3])
            #expect(listener.listen { $0.bytes.count == 3 })
            LibraryFaults.fail(.handleEvents, code: -1, times: times)
            board.feed([4])  // the loop comes back from its wait and meets the failure
            board.feed([5])
            #expect(!listener.listen { _ in false })
            #expect(listener.error == Self.usb("handle events", .ioError))
            listener.link.close()
            #expect(LibraryFaults.failures(of: .handleEvents) < 8, "it spins")
            #expect(board.status.kernelHasPort)
            LibraryFaults.clear()
        }
    }
}
