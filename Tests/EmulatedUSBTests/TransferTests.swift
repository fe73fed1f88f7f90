import CLibUSB
import EmulatedUSB
import Testing

extension EmulatedBusSuite {
    /// Bytes in both directions, and every way in which a transfer ends.
    @Suite struct Transfers {
        let bus = EmulatedBus()
        let host: PlainHost

        init() { host = PlainHost(on: bus) }

        private func ready(_ model: BoardModel = .stlinkV21, capabilities: UInt32 = EmulatedBus.allCapabilities) throws -> (
            EmulatedBoard, PlainHandle
        ) {
            let board = try bus.plug(model, capabilities: capabilities)
            let handle = try host.open(board)
            try handle.claim(board)
            return (board, handle)
        }

        @Test(arguments: [1, 2, 7, 15, 16, 400], [EmulatedBus.allCapabilities, EmulatedBus.fewCapabilities, EmulatedBus.noCapabilities])
        func chunksAddUp(size: Int, capabilities: UInt32) throws {
            let (board, handle) = try ready(capabilities: capabilities)
            board.setChunking(.bytes(size))
            let sent = (0..<100).map { UInt8(truncatingIfNeeded: $0 * 7) }
            board.feed(sent)
            var got: [UInt8] = []
            while got.count < sent.count {
                // 100 = 6 x 16 + 4, so that the last packet is short and no read waits for more.
                let (code, bytes) = handle.read(0x85, room: 4096)
                try #require(code == 0)
                got += bytes
            }
            #expect(got == sent)
            #expect(board.wait { $0.bytesWaiting == 0 })
        }

        /// Without a limit on packets libusb submits one transfer, with one it submits pieces of 16 KiB, and takes the rest back when a
        /// short packet ends the transfer early.
        @Test(arguments: [
            (EmulatedBus.allCapabilities, [40_960]), (EmulatedBus.fewCapabilities, [8192, 16_384]),
            (EmulatedBus.noCapabilities, [8192, 16_384]),
        ])
        func longReads(capabilities: UInt32, sizes: [Int]) throws {
            let (board, handle) = try ready(capabilities: capabilities)
            for count in [100, 16_384 + 100, 32_768 + 1, 40_959] {
                let sent = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) }
                board.feed(sent)
                let (code, bytes) = handle.read(0x85, room: 40_960)
                #expect(code == 0 && bytes == sent, "\(count): \(code), \(bytes.count) bytes")
                #expect(board.wait { $0.transfersInFlight == 0 && $0.bytesWaiting == 0 })
            }
            #expect(board.log.inTransferSizes.sorted() == sizes)
        }

        @Test func bytesOutReachTheFirmware() throws {
            let (board, handle) = try ready()
            board.onHostBytes { [weak board] bytes in board?.feed(bytes.reversed() + [0xFF]) }
            let (code, count) = handle.write(0x05, [1, 2, 3])
            #expect(code == 0 && count == 3)
            #expect(handle.read(0x85, room: 64).bytes == [3, 2, 1, 0xFF])
            #expect(board.log.written == [1, 2, 3])
        }

        @Test func emptyPacketEndsAReadWithNothing() throws {
            let (board, handle) = try ready()
            board.sendEmptyPacket()
            let (code, bytes) = handle.read(0x85, room: 64)
            #expect(code == 0 && bytes.isEmpty)
        }

        @Test func waitingHostSleeps() throws {
            let (board, handle) = try ready()
            let (code, _) = handle.read(0x85, room: 64, timeout: 300)
            #expect(code == LIBUSB_ERROR_TIMEOUT.rawValue)
            #expect(board.log.fruitlessFetches < 10)
        }

        @Test func cancelKeepsWhatHadArrived() throws {
            let (board, handle) = try ready()
            let transfer = PlainTransfer(handle, endpoint: 0x85, room: 64)
            try transfer.submit()
            board.feed(Array(1...16))  // one full packet: the transfer stays open
            board.arriveDuringCancel([17, 18])
            #expect(transfer.status == nil)
            try #require(transfer.cancel() == 0)
            #expect(host.handleEvents { transfer.status != nil })
            #expect(transfer.status == LIBUSB_TRANSFER_CANCELLED)
            #expect(transfer.bytes == Array(1...18))
            #expect(board.log.contains(.discarded(endpoint: 0x85)))
        }

        @Test func stallLastsUntilCleared() throws {
            let (board, handle) = try ready()
            board.stallInput()
            #expect(handle.read(0x85, room: 64).code == LIBUSB_ERROR_PIPE.rawValue)
            #expect(handle.read(0x85, room: 64).code == LIBUSB_ERROR_PIPE.rawValue)
            #expect(libusb_clear_halt(handle.handle, 0x85) == 0)
            board.feed([9])
            #expect(handle.read(0x85, room: 64).bytes == [9])
            board.stallOutput()
            #expect(handle.write(0x05, [1]).code == LIBUSB_ERROR_PIPE.rawValue)
            #expect(libusb_clear_halt(handle.handle, 0x05) == 0)
            #expect(handle.write(0x05, [1]).code == 0)
            #expect(board.log.written == [1])
            #expect(board.log.contains(.clearedHalt(endpoint: 0x85)))
        }

        @Test func overflow() throws {
            let (board, handle) = try ready()
            board.feed(Array(1...16))
            #expect(handle.read(0x85, room: 10).code == LIBUSB_ERROR_OVERFLOW.rawValue)
            board.overflowNext()
            #expect(handle.read(0x85, room: 64).code == LIBUSB_ERROR_OVERFLOW.rawValue)
            board.feed([5])
            #expect(handle.read(0x85, room: 64).bytes == [5])
        }

        @Test func heldOutputTimesOutWithoutBytes() throws {
            let (board, handle) = try ready()
            board.setHoldsOutput(true)
            let (code, count) = handle.write(0x05, [1, 2], timeout: 50)
            #expect(code == LIBUSB_ERROR_TIMEOUT.rawValue && count == 0)
            board.setHoldsOutput(false)
            #expect(handle.write(0x05, [3]).code == 0)
            #expect(board.log.written == [3])
        }

        @Test func fullQueueDropsAndCounts() throws {
            let (board, handle) = try ready()
            board.setQueueLimit(20)
            board.feed(Array(1...30))
            #expect(board.log.bytesDropped == 10)
            #expect(handle.read(0x85, room: 64).bytes == Array(1...20))
        }

        @Test(arguments: UnplugOrder.allCases) func unplugWithTransfersInFlight(order: UnplugOrder) throws {
            let (board, handle) = try ready()
            let transfers = (0..<8).map { _ in PlainTransfer(handle, endpoint: 0x85, room: 64) }
            for transfer in transfers { try transfer.submit() }
            board.feed(Array(1...20))
            bus.unplug(board, order: order)
            #expect(host.handleEvents { transfers.allSatisfy { $0.status != nil } })
            #expect(transfers[0].status == LIBUSB_TRANSFER_COMPLETED && transfers[0].bytes == Array(1...20))
            #expect(transfers.dropFirst().allSatisfy { $0.status == LIBUSB_TRANSFER_NO_DEVICE })
            #expect(handle.read(0x85, room: 64).code == LIBUSB_ERROR_NO_DEVICE.rawValue)
            #expect(handle.write(0x05, [1]).code == LIBUSB_ERROR_NO_DEVICE.rawValue)
            #expect(libusb_release_interface(handle.handle, 3) == LIBUSB_ERROR_NO_DEVICE.rawValue)
        }
    }
}
