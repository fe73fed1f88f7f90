import EmulatedUSB
import Glibc
import NLOSCore
import Testing

@testable import TransientSensor

extension EmulatedBusSuite {
    /// A link that is disturbed while it runs.
    @Suite struct LinkFaults {
        let bus = EmulatedBus()

        private func start(_ model: BoardModel = .stlinkV21) throws -> (EmulatedBoard, LinkListener) {
            let board = try bus.plug(model)
            return (board, try LinkListener(opening: board))
        }

        @Test func oneStallIsClearedAndLeavesOneHole() throws {
            let (board, listener) = try start()
            board.feed([1, 2, 3])
            #expect(listener.listen { $0.bytes.count == 3 })
            board.stallInput()
            #expect(listener.listen { _ in board.log.contains(.clearedHalt(endpoint: 0x85)) })
            board.feed([4, 5])
            #expect(listener.listen { $0.bytes.count == 5 })
            #expect(listener.bytes == [1, 2, 3, 4, 5] && listener.holes == [3])
            #expect(board.log.count(.clearedHalt(endpoint: 0x85)) == 1)
            // As whoever writes the summary asks for it: without knowing what kind of source it is.
            let source: any ByteSource = listener.link
            #expect(source.stalls == 1)
            source.close()
            #expect(source.stalls == 1)
        }

        @Test func aSecondStallAtOnceEndsIt() throws {
            let (board, listener) = try start()
            board.stallInput()
            #expect(listener.listen { _ in board.log.contains(.clearedHalt(endpoint: 0x85)) })
            board.stallInput()
            #expect(!listener.listen { _ in false })
            #expect(listener.error == .stalledEndpoint(path: "usb:1-4"))
            #expect(board.log.count(.clearedHalt(endpoint: 0x85)) == 1)
            listener.link.close()
            #expect(board.status.kernelHasPort)
        }

        @Test func overflowIsAHoleAndNeverBytes() throws {
            let (board, listener) = try start()
            board.feed([1])
            #expect(listener.listen { $0.bytes == [1] })
            board.overflowNext()
            #expect(listener.listen { $0.holes.count == 1 })
            board.feed([2, 3])
            #expect(listener.listen { $0.bytes.count == 3 })
            #expect(listener.bytes == [1, 2, 3] && listener.holes == [1])
            listener.link.close()
        }

        @Test func lineErrorsAreSurvived() throws {
            let (board, listener) = try start()
            board.failInput()
            #expect(listener.listen { !$0.holes.isEmpty })
            board.feed([8])
            #expect(listener.listen { $0.bytes == [8] })
            listener.link.close()
        }

        @Test func cancelledTransfersStillCarryTheirBytes() throws {
            let (board, listener) = try start()
            board.feed(Array(1...16))  // a full packet: its transfer stays open
            board.stallInput()
            #expect(listener.listen { $0.link.stalls == 1 && $0.bytes.count == 16 })
            #expect(listener.bytes == Array(1...16))
            listener.link.close()
        }

        @Test(arguments: UnplugOrder.allCases, [0, 5, 16, 700]) func unplugInMidFrame(order: UnplugOrder, bytes: Int) throws {
            let (board, listener) = try start()
            let sent = (0..<bytes).map { UInt8(truncatingIfNeeded: $0) }
            board.feed(sent)
            bus.unplug(board, order: order)
            #expect(!listener.listen { _ in false })
            #expect(listener.error == .unplugged(path: "usb:1-4"))
            // A packet that filled nothing and ended nothing is still received.
            #expect(listener.bytes == sent && listener.holes.isEmpty)
            #expect(throws: SensorError.unplugged(path: "usb:1-4")) { try listener.link.send([1]) }
            listener.link.close()
        }

        @Test func replugIsANewDeviceInTheSamePlace() throws {
            let (first, listener) = try start()
            let before = try Discovery.list().sensors
            bus.unplug(first)
            #expect(!listener.listen { _ in false })
            listener.link.close()
            let second = try bus.plug(.stlinkV21)
            #expect(second.place.devnum != first.place.devnum)
            // The old facts do not open the new device.
            #expect(throws: SensorError.unplugged(path: "usb:1-4")) {
                try USBLink(opening: before[0], coding: SensorProfile.nucleoVL53L8CH.lineCoding, clocks: .kernel)
            }
            let again = try LinkListener(opening: second)
            second.feed([1])
            #expect(again.listen { $0.bytes == [1] })
            again.link.close()
        }

        @Test func aFullQueueCountsAndTransfersKeepRunning() throws {
            let board = try bus.plug(.stlinkV3E)
            let listener = try LinkListener(opening: board, bufferBytes: 65_536)
            let block = [UInt8](repeating: 0x20, count: 16_384)
            for _ in 0..<10 {
                board.feed(block)
                #expect(board.wait { $0.bytesWaiting == 0 && $0.transfersToFetch == 0 })
            }
            #expect(listener.listen { $0.link.bytesLost > 0 && !$0.holes.isEmpty })
            board.feed([1, 2, 3])
            #expect(listener.listen { $0.bytes.last == 3 })
            // One transfer may have come home while the queue was being emptied.
            #expect(listener.holes.count == 1 && listener.holes[0] >= listener.bytes.count - 3 - 512)
            #expect(UInt64(listener.bytes.count) + listener.link.bytesLost == UInt64(10 * block.count + 3))
            listener.link.close()
            #expect(listener.link.bytesLost > 0)
        }

        @Test func writesAreBoundedAndNamed() throws {
            let (board, listener) = try start()
            board.setHoldsOutput(true)
            #expect(throws: SensorError.usb(path: "usb:1-4", operation: "write", failure: .timeout)) { try listener.link.send([1]) }
            board.setHoldsOutput(false)
            board.stallOutput()
            #expect(throws: SensorError.usb(path: "usb:1-4", operation: "write", failure: .stalled)) { try listener.link.send([1]) }
            // Reading goes on.
            board.feed([4])
            #expect(listener.listen { $0.bytes == [4] })
            listener.link.close()
        }

        @Test(arguments: [Fault.stall, .lineError, .overflow]) func faultsLeaveNothingBehind(fault: Fault) throws {
            let (board, first) = try start()
            first.link.close()
            let before = Holdings.now()
            for _ in 0..<5 {
                let listener = try LinkListener(opening: board)
                fault.strike(board)
                _ = listener.listen { !$0.holes.isEmpty }
                listener.link.close()
            }
            #expect(Holdings.settle(to: before), "\(Holdings.now()), before: \(before)")
        }

        /// The emulation keeps something for each board that was ever plugged in, so it is measured without a link first.
        @Test func unplugsLeaveNothingBehind() throws {
            func cycle(_ opened: Bool) throws {
                let board = try bus.plug(.stlinkV21)
                let listener = opened ? try LinkListener(opening: board) : nil
                bus.unplug(board)
                _ = listener?.listen { _ in false }
                listener?.link.close()
            }
            try cycle(true)
            let start = Holdings.now()
            for _ in 0..<4 { try cycle(false) }
            let plain = Holdings.now()
            for _ in 0..<4 { try cycle(true) }
            let most = Holdings(descriptors: plain.descriptors + plain.descriptors - start.descriptors, threads: plain.threads)
            #expect(Holdings.settle(to: most), "\(Holdings.now()), at most: \(most)")
        }

        enum Fault: Sendable {
            case stall, lineError, overflow

            func strike(_ board: EmulatedBoard) {
                switch self {
                case .stall: board.stallInput()
                case .lineError: board.failInput()
                case .overflow: board.overflowNext()
                }
            }
        }
    }
}
