internal import CUMockdev

/// Transfers: how they wait, move bytes and end.
extension DeviceCore {
    /// Queues a transfer. `data` is the OUT data (bulk), or the data stage of a control OUT request.
    mutating func submit(_ urb: Urb, setup: Setup?, data: [UInt8]) -> IoctlResult {
        if urb.kind == .control {
            guard let setup else { return .failed(EINVAL) }
            return submitControl(urb, setup, data)
        }
        guard let number = interface(of: urb.endpoint) else { return .failed(ENOENT) }
        if let errno = use(number, by: urb.client) { return .failed(errno) }
        if urb.isContinuation {
            if refusesContinuation[urb.client, default: []].contains(urb.endpoint) { return .failed(EREMOTEIO) }
        } else {
            refusesContinuation[urb.client]?.remove(urb.endpoint)
        }
        if urb.endpoint & 0x80 != 0 {
            if urb.kind == .bulk {
                log.inTransfers += 1
                log.inTransferSizes.insert(urb.capacity)
            }
            pending[urb.endpoint, default: []].append(urb)
            if urb.kind == .bulk { log.deepestQueue = max(log.deepestQueue, inFlight(on: urb.endpoint)) }
            pump(urb.endpoint)
        } else {
            write(urb, data)
        }
        return .done
    }

    private mutating func write(_ urb: Urb, _ data: [UInt8]) {
        var urb = urb
        if halted.contains(urb.endpoint) { return complete(urb, -EPIPE) }
        // A transfer in flight keeps its bytes in `received` until the device takes them.
        if holdsOutput {
            urb.received = data
            pending[urb.endpoint, default: []].append(urb)
            return
        }
        urb.sent = data.count
        log.written += data
        output += data
        complete(urb, 0)
    }

    /// The device takes bulk OUT data again.
    mutating func takeOutput() {
        holdsOutput = false
        for endpoint in pending.keys where endpoint & 0x80 == 0 && endpoint != 0 {
            let waiting = pending[endpoint] ?? []
            pending[endpoint] = []
            for urb in waiting { write(urb, urb.received) }
        }
    }

    private mutating func submitControl(_ urb: Urb, _ setup: Setup, _ data: [UInt8]) -> IoctlResult {
        if setup.isForInterface, let errno = use(UInt8(truncatingIfNeeded: setup.index), by: urb.client) { return .failed(errno) }
        var urb = urb
        switch control.answer(setup, data, &log) {
        case .data(let bytes):
            urb.received = Array(bytes.prefix(Int(setup.length)))
            complete(urb, 0)
        case .accepted:
            urb.sent = data.count
            complete(urb, 0)
        case .stall: complete(urb, -EPIPE)
        case .silence: pending[0, default: []].append(urb)
        }
        return .done
    }

    mutating func discard(_ address: UInt, by client: ClientID) -> IoctlResult {
        for (endpoint, urbs) in pending {
            guard let at = urbs.firstIndex(where: { $0.client == client && $0.address == address }) else { continue }
            var urb = urbs[at]
            pending[endpoint]?.remove(at: at)
            if endpoint & 0x80 != 0, !racesDiscard.isEmpty {
                let late = racesDiscard.prefix(urb.capacity - urb.received.count)
                urb.received += late
                racesDiscard.removeFirst(late.count)
            }
            log.actions.append(.discarded(endpoint: endpoint))
            complete(urb, -ENOENT)
            return .done
        }
        return .failed(EINVAL)
    }

    /// The oldest completed transfer of this descriptor.
    mutating func reap(by client: ClientID) -> Urb? {
        guard completed[client]?.isEmpty == false else { return nil }
        return completed[client]?.removeFirst()
    }

    // MARK: The device's side

    mutating func feed(_ bytes: [UInt8], to endpoint: UInt8) {
        log.bytesDropped += queues[endpoint]?.feed(bytes) ?? bytes.count
        pump(endpoint)
    }

    mutating func sendEmptyPacket(on endpoint: UInt8) {
        queues[endpoint]?.push([])
        pump(endpoint)
    }

    mutating func halt(_ endpoint: UInt8) {
        halted.insert(endpoint)
        pump(endpoint)
    }

    /// Moves packets into waiting transfers, in order.
    mutating func pump(_ endpoint: UInt8) {
        guard endpoint & 0x80 != 0, let packetSize = queues[endpoint]?.packetSize else { return }
        while var urb = pending[endpoint]?.first {
            if halted.contains(endpoint) {
                pending[endpoint]?.removeFirst()
                complete(urb, -EPIPE)
                continue
            }
            if overflowsNext, urb.kind == .bulk {
                overflowsNext = false
                pending[endpoint]?.removeFirst()
                complete(urb, -EOVERFLOW)
                continue
            }
            guard let packet = queues[endpoint]?.next() else { return }
            let room = urb.capacity - urb.received.count
            urb.received += packet.prefix(room)
            if packet.count > room {
                pending[endpoint]?.removeFirst()
                complete(urb, -EOVERFLOW)
            } else if packet.count < packetSize || packet.count == room {
                pending[endpoint]?.removeFirst()
                complete(urb, urb.shortIsError && urb.received.count < urb.capacity ? -EREMOTEIO : 0)
            } else {
                pending[endpoint]?[0] = urb
            }
        }
    }

    /// Every bulk IN transfer in flight fails with this errno, as on a bad cable.
    mutating func failTransfers(on endpoint: UInt8, errno: Int32) {
        let urbs = pending[endpoint] ?? []
        pending[endpoint] = []
        for urb in urbs { complete(urb, -errno) }
    }

    /// The cable is pulled: everything in flight comes back, nothing works after.
    mutating func unplug() {
        gone = true
        for endpoint in pending.keys.sorted() { failTransfers(on: endpoint, errno: ESHUTDOWN) }
        for endpoint in queues.keys { queues[endpoint]?.removeAll() }
    }

    private mutating func complete(_ urb: Urb, _ status: Int32) {
        var urb = urb
        urb.status = status
        if urb.endpoint & 0x80 == 0, urb.kind != .control { urb.received = [] }
        completed[urb.client]?.append(urb)
        if status < 0, status != -ENOENT, status != -ECONNRESET, urb.kind == .bulk { cancelContinuations(of: urb) }
    }

    /// After a failed piece of a cut-up transfer the kernel takes back the pieces behind it, up to the next transfer.
    private mutating func cancelContinuations(of urb: Urb) {
        let waiting = pending[urb.endpoint] ?? []
        let pieces = waiting.prefix { $0.client == urb.client && $0.isContinuation }
        if pieces.count == waiting.count { refusesContinuation[urb.client, default: []].insert(urb.endpoint) }
        pending[urb.endpoint] = Array(waiting.dropFirst(pieces.count))
        for piece in pieces { complete(piece, -ENOENT) }
    }
}
