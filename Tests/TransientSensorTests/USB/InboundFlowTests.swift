import Testing

@testable import TransientSensor

@Suite struct InboundFlowTests {
    private let second: UInt64 = 1_000_000_000

    private func flowing(_ inFlight: Int) -> InboundFlow {
        var flow = InboundFlow(path: "usb:1-4")
        for _ in 0..<inFlight { flow.submitted() }
        return flow
    }

    @Test(arguments: [TransferEnd.completed, .timedOut, .cancelled, .overflowed, .failed])
    func goesOnAfter(end: TransferEnd) {
        var flow = flowing(2)
        #expect(flow.landed(end, nowNs: 0) == .submitAgain)
        #expect(flow.phase == .flowing && flow.inFlight == 1)
    }

    @Test func stallIsClearedOnceAllAreHome() {
        var flow = flowing(3)
        #expect(flow.landed(.stalled, nowNs: 0) == .cancelOthers)
        #expect(flow.landed(.cancelled, nowNs: 1) == .keep)
        #expect(!flow.needsOwner)
        #expect(flow.landed(.stalled, nowNs: 2) == .keep)
        #expect(flow.phase == .halted && flow.needsOwner)
        flow.resume()
        flow.submitted()
        #expect(flow.landed(.completed, nowNs: 3) == .submitAgain)
        #expect(flow.stalls == 1)
    }

    @Test(arguments: [(0.999_999, true), (1.0, false)]) func secondStall(secondsLater: Double, ends: Bool) {
        var flow = flowing(1)
        _ = flow.landed(.stalled, nowNs: 5)
        flow.resume()
        flow.submitted()
        _ = flow.landed(.stalled, nowNs: 5 + UInt64(secondsLater * Double(second)))
        #expect(flow.phase == (ends ? .ended(.stalledEndpoint(path: "usb:1-4")) : .halted))
    }

    @Test func unplugEndsWhenTheLastIsHome() {
        var flow = flowing(3)
        #expect(flow.landed(.gone, nowNs: 0) == .cancelOthers)
        // One that had completed before comes later: its bytes count, and it is not submitted again.
        #expect(flow.landed(.completed, nowNs: 0) == .keep)
        #expect(!flow.needsOwner)
        #expect(flow.landed(.gone, nowNs: 0) == .keep)
        #expect(flow.phase == .ended(.unplugged(path: "usb:1-4")))
    }

    @Test func unplugDuringAStall() {
        var flow = flowing(2)
        _ = flow.landed(.stalled, nowNs: 0)
        _ = flow.landed(.gone, nowNs: 0)
        #expect(flow.phase == .ended(.unplugged(path: "usb:1-4")))
    }

    @Test func failuresInARowEndItAndAGoodOneForgivesThem() {
        var flow = flowing(1)
        func fails(_ count: Int) -> InboundFlow.Next? {
            var next: InboundFlow.Next?
            for _ in 0..<count {
                next = flow.landed(.failed, nowNs: 0)
                if next == .submitAgain { flow.submitted() }
            }
            return next
        }
        #expect(fails(InboundFlow.failuresInARow) == .submitAgain)
        #expect(flow.landed(.completed, nowNs: 0) == .submitAgain)
        flow.submitted()
        #expect(fails(InboundFlow.failuresInARow + 1) == .cancelOthers)
        #expect(flow.phase == .ended(.usb(path: "usb:1-4", operation: "read", failure: .ioError)))
    }

    @Test func failsAtOnceWhenNothingIsInFlight() {
        var flow = flowing(0)
        flow.fail(.unplugged(path: "usb:1-4"))
        #expect(flow.needsOwner)
        flow.fail(.cannotSend(path: "usb:1-4"))
        #expect(flow.phase == .ended(.unplugged(path: "usb:1-4")))
    }

    @Test func closingSubmitsNothing() {
        var flow = flowing(2)
        flow.close()
        #expect(flow.landed(.completed, nowNs: 0) == .keep)
        #expect(flow.landed(.gone, nowNs: 0) == .keep)
        #expect(flow.phase == .closing && flow.inFlight == 0 && !flow.needsOwner)
    }
}
