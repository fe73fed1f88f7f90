import EmulatedUSB
import Glibc
import NLOSCore
import Synchronization
import Testing

@testable import TransientSensor

extension EmulatedBusSuite {
    /// B23: a board that has gone silent is opened again.
    @Suite struct LinkRevivals {
        let bus = EmulatedBus()

        @Test func everythingIsGivenBackAndTakenAnew() throws {
            let board = try bus.plug(.stlinkV21)
            let listener = try LinkListener(opening: board)
            board.feed([1, 2, 3])
            #expect(listener.listen { $0.bytes.count == 3 })
            board.clearLog()
            #expect(try listener.link.revive())
            let coding = EmulatedUSB.LineCoding(baud: 2_250_000)
            let order: [HostAction] = [
                .released(3), .released(2), .attached(2), .opened, .detached(2), .claimed(2), .claimed(3), .setLineCoding(coding),
                .getLineCoding,
            ]
            #expect(board.log.actions.filter(order.contains) == order)
            #expect(board.status.lineCoding == coding && board.status.onlyPortTouched)
            board.feed([4, 5])
            #expect(listener.listen { $0.bytes.count == 5 })
            #expect(listener.bytes == [1, 2, 3, 4, 5] && listener.holes == [3])
            try listener.link.send([7])
            #expect(board.log.written == [7])
            listener.link.close()
            #expect(board.status.kernelHasPort && board.wait { $0.openDescriptors == 0 })
        }

        @Test func whatWasReceivedBeforeIsKeptAndTotalsGoOn() throws {
            let board = try bus.plug(.stlinkV21)
            let listener = try LinkListener(opening: board)
            board.stallInput()
            #expect(listener.listen { $0.link.stalls == 1 && board.log.contains(.clearedHalt(endpoint: 0x85)) })
            board.overflowNext()
            #expect(listener.listen { $0.holes.count == 2 })
            let lost = listener.link.bytesLost
            board.feed([1, 2])
            #expect(board.wait { $0.bytesWaiting == 0 && $0.transfersToFetch == 0 })
            #expect(try listener.link.revive())
            #expect(listener.link.stalls == 1 && listener.link.bytesLost == lost)
            board.feed([3])
            #expect(listener.listen { $0.bytes.count == 3 })
            #expect(listener.bytes == [1, 2, 3] && listener.holes == [0, 0, 2])
            listener.link.close()
            #expect(listener.link.stalls == 1)
        }

        @Test func theSameBoardIsFoundAgainUnderAnotherNumber() throws {
            let board = try bus.plug(.stlinkV21)
            let listener = try LinkListener(opening: board)
            bus.unplug(board)
            let again = try bus.plug(.stlinkV21)
            #expect(again.place.devnum != board.place.devnum)
            #expect(try listener.link.revive())
            again.feed([9])
            #expect(listener.listen { $0.bytes == [9] })
            listener.link.close()
            #expect(again.status.kernelHasPort)
        }

        struct Other: CustomTestStringConvertible, Sendable {
            let testDescription: String
            let plug: @Sendable (EmulatedBus) throws -> Void
        }

        @Test(arguments: [
            Other(testDescription: "nothing", plug: { _ in }),
            Other(testDescription: "another model", plug: { try $0.plug(.stlinkV3E) }),
            Other(testDescription: "another serial number", plug: { try $0.plug(.stlinkV21, serial: "066EFF373535503457069999") }),
            Other(testDescription: "the same board elsewhere", plug: { try $0.plug(.stlinkV21, at: "1-5") }),
        ])
        func anythingElseThereIsAnUnplug(other: Other) throws {
            let board = try bus.plug(.stlinkV21)
            let listener = try LinkListener(opening: board)
            board.feed([1, 2])
            #expect(board.wait { $0.bytesWaiting == 0 && $0.transfersToFetch == 0 })
            bus.unplug(board)
            try other.plug(bus)
            let unplugged = SensorError.unplugged(path: "usb:1-4")
            #expect(throws: unplugged) { try listener.link.revive() }
            // The owner is told, after the last bytes, as often as it asks.
            #expect(!listener.listen { _ in false })
            #expect(listener.error == unplugged && listener.bytes == [1, 2])
            #expect(throws: unplugged) { try listener.link.send([1]) }
            #expect(throws: unplugged) { try listener.link.revive() }
            listener.link.close()
            #expect(try listener.link.drain { _, _ in Issue.record("bytes after close") } == .finished)
        }

        @Test func aBoardThatDoesNotOpenAgainIsTheKernelsAgain() throws {
            let board = try bus.plug(.stlinkV21)
            let listener = try LinkListener(opening: board)
            board.stallRequests([0x20])
            let refused = SensorError.usb(path: "usb:1-4", operation: "SET_LINE_CODING", failure: .stalled)
            #expect(throws: refused) { try listener.link.revive() }
            #expect(!listener.listen { _ in false })
            #expect(listener.error == refused)
            #expect(board.status.kernelHasPort)
            listener.link.close()
            #expect(board.wait { $0.openDescriptors == 0 })
        }

        @Test func revivalsLeaveNothingBehind() throws {
            let board = try bus.plug(.stlinkV21)
            let link = try LinkListener.open(board)
            #expect(try link.revive())
            let before = Holdings.now()
            for _ in 0..<20 { #expect(try link.revive()) }
            #expect(Holdings.settle(to: before), "\(Holdings.now()), before: \(before)")
            link.close()
        }

        /// Frames, silence, one more opening, and frames again.
        @Test func aBoardThatWakesWhenOpenedAgainStreamsOn() throws {
            let board = try bus.plug(.stlinkV21)
            let watch = try StreamWatch(board)
            var firmware = FirmwareOnBoard(on: board)
            try watch.run { $0.frames >= 3 }
            firmware.stop()
            // The last bytes may still be on their way when the time is looked at.
            for _ in 0..<9 where watch.reopenings == 0 { try watch.skip(milliseconds: 1_000) }
            #expect(watch.reopenings == 1 && board.log.count(.detached(2)) == 2)
            firmware = FirmwareOnBoard(on: board)
            let frames = watch.frames
            try watch.run { $0.frames >= frames + 3 }
            firmware.stop()
            #expect(watch.gaps.prefix(2) == [.silence, .bytesLost])
            watch.stream.close()
            #expect(board.status.kernelHasPort)
        }

        @Test func aBoardThatStaysSilentEndsTheStream() throws {
            let board = try bus.plug(.stlinkV21)
            let watch = try StreamWatch(board)
            let firmware = FirmwareOnBoard(on: board)
            try watch.run { $0.frames >= 3 }
            firmware.stop()
            let error = #expect(throws: SensorError.self) { for _ in 0..<20 { try watch.skip(milliseconds: 1_000) } }
            #expect(error == .silent(path: "usb:1-4", seconds: 10))
            #expect(error?.message.next?.contains("update the firmware of its debug probe") == true)
            #expect(watch.reopenings == 1 && board.log.count(.detached(2)) == 2)
            watch.stream.close()
        }
    }
}

/// A board's stream, on the kernel's clocks with a lead that the test adds.
private final class StreamWatch {
    let stream: SensorStream
    private(set) var frames = 0
    private(set) var gaps: [GapReason] = []
    private(set) var reopenings = 0
    private let ahead: Ahead

    private final class Ahead: Sendable { let ns = Atomic<UInt64>(0) }

    init(_ board: EmulatedBoard) throws {
        let ahead = Ahead()
        let clocks = Clocks(
            monotonicNs: { Clocks.kernel.monotonicNs() + ahead.ns.load(ordering: .relaxed) }, bootNs: Clocks.kernel.bootNs,
            unixMs: Clocks.kernel.unixMs)
        let place = try SensorSelector(unchecked: "usb:\(board.place.port)")
        let link = try USBLink(
            opening: place.pick(from: Discovery.list().sensors), coding: SensorProfile.nucleoVL53L8CH.lineCoding, clocks: clocks)
        stream = SensorStream(source: link, session: VL53L8CHSession(mode: .join, path: link.path), clocks: clocks)
        self.ahead = ahead
        try stream.start { _ in }
    }

    /// Waits and serves until `done`; a stream that says nothing for ten seconds is an error of the test.
    func run(until done: (StreamWatch) -> Bool) throws {
        while !done(self) {
            var waited = pollfd(fd: stream.readiness, events: Int16(POLLIN), revents: 0)
            try #require(poll(&waited, 1, 10_000) == 1)
            try service()
        }
    }

    /// Empties the source, then lets so much time have passed.
    func skip(milliseconds: UInt64) throws {
        try service()
        ahead.ns.wrappingAdd(milliseconds * 1_000_000, ordering: .relaxed)
        try service()
    }

    private func service() throws {
        while try stream.service({ note($0) }) == .more {}
    }

    private func note(_ output: SessionOutput) {
        switch output {
        case .frame: frames += 1
        case .gap(let reason, _): gaps.append(reason)
        case .notice(Message(text: "usb:1-4: silent; opened again")): reopenings += 1
        default: break
        }
    }
}
