import NLOSCore

/// Keeps many reads queued on one bulk endpoint and moves what they bring into a queue.
///
/// Many, because each short packet ends one: at 2,250,000 baud a debug probe sends about 15 packets a millisecond, and
/// it has no flow control. 128 of them ride out several milliseconds in which the event thread does not get to run.
final class InboundTransfers: Sendable {
    static let count = 128
    /// Bytes a transfer, before rounding up to whole packets. Small, so that a frame's last bytes do not wait in a
    /// half-filled buffer for the next frame when its last packet happens to be a full one.
    static let size = 512

    private let queue: ByteQueue
    private let device: OpenDevice
    let endpoint: EndpointDescriptor
    private let clocks: Clocks
    private let flow: Guarded<InboundFlow>
    // Filled once in `start`, before the event thread runs, and only read after.
    private nonisolated(unsafe) var slots: [TransferSlot] = []

    init(
        from endpoint: EndpointDescriptor, of device: OpenDevice, path: String, clocks: Clocks, into queue: ByteQueue
    ) {
        self.queue = queue
        self.device = device
        self.endpoint = endpoint
        self.clocks = clocks
        flow = Guarded(InboundFlow(path: path))
    }

    /// Submits all of them; the caller stops it when this throws.
    func start() throws(SensorError) {
        // A device may answer with whole packets only: a buffer that is no multiple of one can overflow.
        let size = (Self.size + endpoint.maxPacketSize - 1) / endpoint.maxPacketSize * endpoint.maxPacketSize
        // With fewer than asked for it reads as well; with none it would wait for bytes that nothing fetches.
        slots = (0..<Self.count).compactMap { _ in TransferSlot(from: endpoint, size: size, of: device, owner: self) }
        guard !slots.isEmpty else { throw .reading(flow.withLock { $0.path }, .noMemory) }
        do throws(USBFailure) { try submitAll() } catch { throw .reading(flow.withLock { $0.path }, error) }
    }

    private func submitAll() throws(USBFailure) {
        // One lock for the state and for every submit and cancel that must agree with it: a transfer submitted after the
        // others were called home would never come. libusb calls no callback from inside either.
        try flow.withLock { flow throws(USBFailure) in
            flow.resume()
            for slot in slots {
                try slot.submit()
                flow.submitted()
            }
        }
    }

    /// Called by libusb on the thread that handles events: copies, and puts the transfer to work again.
    func landed(_ slot: TransferSlot) {
        let arrival = Arrival.now(clocks)
        let end = slot.end
        let lost = slot.received.count
        // After an overflow nobody can say what is in the buffer; otherwise bytes count whatever the status.
        if end != .overflowed { queue.push(slot.received, arrival) }
        let (next, needsOwner) = flow.withLock { flow in
            let next = flow.landed(end, nowNs: arrival.monotonicNs)
            switch next {
            case .keep: break
            case .cancelOthers: cancelAll()
            case .submitAgain: submitAgain(slot, &flow)
            }
            return (next, flow.needsOwner)
        }
        // Transfers that merely come home after another one's stall are the same hole.
        if end.leavesHole, next != .keep { queue.lose(end == .overflowed ? lost : 0, arrival) }
        if needsOwner { queue.callOwner() }
    }

    private func submitAgain(_ slot: TransferSlot, _ flow: inout InboundFlow) {
        do throws(USBFailure) {
            try slot.submit()
            flow.submitted()
        } catch {
            flow.fail(.reading(flow.path, error))
            cancelAll()
        }
    }

    private func cancelAll() { for slot in slots { slot.cancel() } }

    /// What the owner has to know when the queue is empty: nil while more may come.
    ///
    /// Clears a stalled endpoint, once, and starts again; it waits for the device, so the owner's thread does it.
    func attend() -> SensorError? {
        let (phase, path) = flow.withLock { ($0.phase, $0.path) }
        switch phase {
        case .flowing, .halting, .ending, .closing: return nil
        case .ended(let error): return error
        case .halted:
            do throws(USBFailure) {
                queue.ownerCame()
                try device.clearHalt(endpoint.address)
                try submitAll()
            } catch {
                fail(.reading(path, error))
            }
            return nil
        }
    }

    /// Ends it, with this error once every transfer is home.
    private func fail(_ error: SensorError) {
        let needsOwner = flow.withLock { flow in
            flow.fail(error)
            cancelAll()
            return flow.needsOwner
        }
        if needsOwner { queue.callOwner() }
    }

    /// Times that the endpoint stalled.
    var stalls: UInt64 { flow.withLock { $0.stalls } }

    /// Nobody handles events any more.
    func abandon(_ failure: USBFailure) {
        flow.withLock { $0.abandon(.usb(path: $0.path, operation: "handle events", failure: failure)) }
        queue.callOwner()
    }

    /// Calls all transfers home and waits for them. Only after the event thread has ended: events are handled here.
    func stop() {
        flow.withLock { flow in
            flow.close()
            cancelAll()
        }
        let limit = clocks.monotonicNs() + 5_000_000_000
        var failures = 0
        while flow.withLock({ $0.inFlight }) > 0 {
            if device.context.handleEvents(seconds: 1) != nil { failures += 1 }
            // A library that only fails brings nothing home, and would be asked as fast as it can fail.
            if failures == 3 || clocks.monotonicNs() > limit {
                // The kernel still has the buffers. Freeing them would let it write into whatever lies there next.
                _ = Unmanaged.passRetained(self)
                return
            }
        }
    }
}

extension SensorError {
    /// A read or write that failed because the device is gone is an unplug; anything else is told as it is.
    static func reading(_ path: String, _ failure: USBFailure) -> SensorError { .during("read", path, failure) }

    static func during(_ operation: String, _ path: String, _ failure: USBFailure) -> SensorError {
        failure == .gone ? .unplugged(path: path) : .usb(path: path, operation: operation, failure: failure)
    }
}
