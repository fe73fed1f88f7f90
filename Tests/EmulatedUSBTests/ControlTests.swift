import CLibUSB
import EmulatedUSB
import Testing

extension EmulatedBusSuite {
    /// Endpoint zero: line coding, line state, strings, and requests that stall.
    @Suite struct Controls {
        let bus = EmulatedBus()
        let host: PlainHost

        init() { host = PlainHost(on: bus) }

        private func ready() throws -> (EmulatedBoard, PlainHandle) {
            let board = try bus.plug(.stlinkV21)
            let handle = try host.open(board)
            try handle.claim(board)
            return (board, handle)
        }

        @Test func lineCodingIsRecordedAndReadBack() throws {
            let (board, handle) = try ready()
            #expect(board.status.lineCoding == .kernelDefault)
            var wire: [UInt8] = [0x10, 0x55, 0x22, 0, 0, 0, 8]
            #expect(handle.control(0x21, 0x20, index: 2, &wire) == 7)
            #expect(board.log.lineCodings == [LineCoding(baud: 2_250_000)])
            #expect(LineCoding(baud: 2_250_000).wire == wire)
            var back = [UInt8](repeating: 0, count: 7)
            #expect(handle.control(0xA1, 0x21, index: 2, &back) == 7)
            #expect(back == wire)
            board.claimLineCoding([0, 0xC2, 1, 0, 0, 0, 8])
            #expect(handle.control(0xA1, 0x21, index: 2, &back) == 7)
            #expect(LineCoding(wire: back) == LineCoding(baud: 115_200))
            #expect(libusb_reset_device(handle.handle) == 0)
            #expect(board.status.lineCoding == .kernelDefault)
        }

        @Test func lineState() throws {
            let (board, handle) = try ready()
            var none: [UInt8] = []
            #expect(handle.control(0x21, 0x22, value: 3, index: 2, &none) == 0)
            #expect(handle.control(0x21, 0x22, value: 1, index: 2, &none) == 0)
            #expect(board.log.actions.suffix(2) == [.setLineState(dtr: true, rts: true), .setLineState(dtr: true, rts: false)])
        }

        @Test func wrongInterfaceStalls() throws {
            let (board, handle) = try ready()
            var wire: [UInt8] = [0x10, 0x55, 0x22, 0, 0, 0, 8]
            for index: UInt16 in [0, 3] {
                #expect(handle.control(0x21, 0x20, index: index, &wire) == LIBUSB_ERROR_PIPE.rawValue)
                #expect(board.log.contains(.stalledRequest(type: 0x21, request: 0x20, index: index)))
            }
            #expect(board.status.lineCoding == .kernelDefault)
            #expect(board.log.contains(.claimedImplicitly(0)) && !board.status.onlyPortTouched)
            wire.removeLast()
            #expect(handle.control(0x21, 0x20, index: 2, &wire) == LIBUSB_ERROR_PIPE.rawValue)
        }

        @Test func chosenRequestsStallOrStaySilent() throws {
            let (board, handle) = try ready()
            var wire: [UInt8] = [0x10, 0x55, 0x22, 0, 0, 0, 8]
            board.stallRequests([0x20])
            #expect(handle.control(0x21, 0x20, index: 2, &wire) == LIBUSB_ERROR_PIPE.rawValue)
            board.stallRequests([])
            board.ignoreRequests([0x20])
            let code = libusb_control_transfer(handle.handle, 0x21, 0x20, 0, 2, &wire, 7, 50)
            #expect(code == LIBUSB_ERROR_TIMEOUT.rawValue)
            board.ignoreRequests([])
            #expect(handle.control(0x21, 0x20, index: 2, &wire) == 7)
        }

        @Test func strings() throws {
            let (_, handle) = try ready()
            var text = [UInt8](repeating: 0, count: 64)
            let count = libusb_get_string_descriptor_ascii(handle.handle, 3, &text, 64)
            #expect(String(decoding: text.prefix(Int(max(0, count))), as: UTF8.self) == "066EFF373535503457062922")
        }
    }
}
