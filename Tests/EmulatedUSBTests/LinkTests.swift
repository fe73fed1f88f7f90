import EmulatedUSB
import NLOSCore
import Testing

@testable import TransientSensor

extension EmulatedBusSuite {
    /// A link in good order: what it takes, in which order, what arrives, and that all of it is given back.
    @Suite struct Link {
        let bus = EmulatedBus()

        @Test(arguments: [
            ("374b", BoardModel.stlinkV21), ("3752", .stlinkV21NoStorage), ("374e", .stlinkV3E), ("374f", .stlinkV3Set),
            ("3753", .stlinkV3TwoPorts), ("uno", .unoR3),
        ])
        func takesThePortAndGivesItBack(name: String, model: BoardModel) throws {
            let board = try bus.plug(model)
            let port = try #require(model.serialPorts.first)
            let listener = try LinkListener(opening: board)
            #expect(board.status.lineCoding == EmulatedUSB.LineCoding(baud: 2_250_000))
            board.feed([1, 2, 3])
            #expect(listener.listen { $0.bytes.count == 3 })
            listener.link.close()
            let log = board.log
            let order: [HostAction] = [
                .opened, .detached(port.control), .claimed(port.control), .claimed(port.data),
                .setLineCoding(EmulatedUSB.LineCoding(baud: 2_250_000)), .getLineCoding, .released(port.data), .released(port.control),
                .attached(port.control), .closed,
            ]
            #expect(board.wait { $0.openDescriptors == 0 })
            #expect(log.actions.filter { order.contains($0) && $0 != .closed } == order.dropLast())
            #expect(board.status.kernelHasPort && board.status.onlyPortTouched)
            let forbidden = log.actions.contains {
                switch $0 {
                case .clearedHalt, .setLineState, .reset, .setInterface, .setConfiguration, .sendBreak, .claimedImplicitly, .unknownIoctl:
                    true
                default: false
                }
            }
            #expect(!forbidden)
            #expect(log.inTransferSizes.allSatisfy { $0 % port.input.packetSize == 0 })
            #expect(log.deepestQueue >= 16)
            #expect(log.fruitlessFetches < 50)
        }

        /// An auto-reset circuit acts on the rise, whoever had the port before; and a board must not write to a host that is gone.
        @Test func modemLinesRiseOnceSomebodyReadsAndFallAtTheEnd() throws {
            let board = try bus.plug(.unoR3)
            let listener = try LinkListener(opening: board, modemLines: .raised)
            board.feed([1, 2, 3])
            #expect(listener.listen { $0.bytes.count == 3 })
            listener.link.close()
            #expect(board.wait { $0.openDescriptors == 0 })
            let lines = board.log.actions.compactMap { if case .setLineState(let dtr, let rts) = $0 { [dtr, rts] } else { nil } }
            #expect(lines == [[false, false], [true, true], [false, false]])
            #expect(board.status.kernelHasPort && board.status.onlyPortTouched)
        }

        /// A board without modem lines has nothing hanging on them, and one that takes any rate is not asked which it took.
        @Test func aBoardThatKnowsNeitherLinesNorRates() throws {
            let board = try bus.plug(.unoR3)
            board.stallRequests([0x20, 0x22])
            let link = try LinkListener.open(board, modemLines: .raised, takesAnyRate: true)
            #expect(!board.log.contains(.getLineCoding))
            link.close()
            #expect(board.wait { $0.openDescriptors == 0 } && board.status.kernelHasPort)
        }

        /// All flags and none mean two ways of submitting in libusb.
        @Test(arguments: [1, 2, 7, 16, 63, 64, 511, 512], [EmulatedBus.allCapabilities, EmulatedBus.noCapabilities])
        func anyChunkAddsUp(size: Int, capabilities: UInt32) throws {
            let board = try bus.plug(.stlinkV3E, capabilities: capabilities)
            let listener = try LinkListener(opening: board)
            board.setChunking(.bytes(size))
            let sent = (0..<2001).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 251) }
            for start in stride(from: 0, to: sent.count, by: 500) { board.feed(Array(sent[start..<min(start + 500, sent.count)])) }
            #expect(listener.listen { $0.bytes.count >= sent.count })
            #expect(listener.bytes == sent)
            #expect(listener.holes.isEmpty && listener.link.bytesLost == 0)
            listener.link.close()
        }

        @Test func emptyPacketsMeanNothing() throws {
            let board = try bus.plug(.stlinkV21NoStorage)
            let listener = try LinkListener(opening: board)
            board.setChunking(.cycle([64, 0, 64, 0, 0, 10]))
            let sent = (0..<138).map { UInt8($0) }
            board.feed(sent)
            #expect(listener.listen { $0.bytes.count == sent.count })
            #expect(listener.bytes == sent && listener.holes.isEmpty)
            #expect(!listener.listen(seconds: 0) { $0.error != nil })
            listener.link.close()
        }

        @Test func bytesOutArriveInOrder() throws {
            let board = try bus.plug(.stlinkV21)
            let listener = try LinkListener(opening: board)
            let packet = (0..<26).map { UInt8($0) }
            let long = (0..<10_000).map { UInt8(truncatingIfNeeded: $0) }
            try listener.link.send(packet)
            try listener.link.send(long)
            try listener.link.send([])
            #expect(board.log.written == packet + long)
            listener.link.close()
            #expect(throws: SensorError.unplugged(path: "usb:1-4")) { try listener.link.send([1]) }
        }

        @Test func secondPortOfABoardWithTwo() throws {
            let board = try bus.plug(.stlinkV3TwoPorts)
            let second = try #require(board.model.serialPorts.last)
            let listener = try LinkListener(opening: board, vcp: 1)
            board.feed([7], port: 1)
            #expect(listener.listen { $0.bytes == [7] })
            listener.link.close()
            #expect(board.log.touched == [second.control, second.data])
            #expect(throws: SensorError.noSuchSerialPort(path: "usb:1-4", asked: 3, has: 2)) { try LinkListener.open(board, vcp: 2) }
        }

        @Test func twoBoardsAtOnce() throws {
            let boards = try ["1-1", "1-2"].map { try bus.plug(.stlinkV21, at: $0) }
            let listeners = try boards.map { try LinkListener(opening: $0) }
            for (number, board) in boards.enumerated() { board.feed(Array(repeating: UInt8(number), count: 21)) }
            for (number, listener) in listeners.enumerated() {
                #expect(listener.listen { $0.bytes.count == 21 })
                #expect(listener.bytes.allSatisfy { Int($0) == number })
            }
            listeners[0].link.close()
            boards[1].feed([9])
            #expect(listeners[1].listen { $0.bytes.last == 9 })
            listeners[1].link.close()
        }

        @Test func closeIsIdempotentAndFinal() throws {
            let board = try bus.plug(.stlinkV21)
            let link = try LinkListener.open(board)
            link.close()
            link.close()
            #expect(try link.drain { _, _ in Issue.record("bytes after close") } == .finished)
            #expect(board.log.count(.attached(2)) == 1)
        }

        @Test func fiftyStartsLeaveNothingBehind() throws {
            let board = try bus.plug(.stlinkV21)
            try LinkListener.open(board).close()
            let before = Holdings.now()
            for round in 0..<50 {
                let link = try LinkListener.open(board)
                // With all transfers in flight, and with bytes nobody drained.
                if round % 2 == 0 { board.feed([1, 2, 3]) }
                if round == 7 { #expect(Holdings.now() != before) }
                link.close()
                #expect(board.status.kernelHasPort)
            }
            #expect(Holdings.settle(to: before), "\(Holdings.now()), before: \(before)")
        }

        @Test func lettingGoOfALinkClosesIt() throws {
            let board = try bus.plug(.stlinkV21)
            _ = try LinkListener.open(board)
            #expect(board.status.kernelHasPort)
        }

        /// Ctrl-C must reach the program's own thread, whichever thread the kernel looks at first.
        @Test func itsThreadsTakeNoSignals() throws {
            let board = try bus.plug(.stlinkV21)
            let before = ThreadSignals.blocked()
            let link = try LinkListener.open(board)
            let new = ThreadSignals.blocked().filter { before[$0.key] == nil }.values
            link.close()
            let wanted: UInt64 = 1 << (2 - 1) | 1 << (15 - 1)
            // Ours, and libusb's own that listens to udev.
            #expect(new.count { $0 & wanted == wanted } >= 2)
        }
    }
}
