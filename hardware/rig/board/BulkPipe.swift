import Glibc

/// A bulk IN endpoint: bytes of the firmware become packets, packets fill the host's transfers as a host controller does it.
struct BulkPipe {
    /// What the chip between UART and USB can keep; what comes meanwhile is lost, as on a line without flow control.
    static let chipBytes = 4096

    let packetSize: Int
    /// Packets are at most this long, one size after the other: 1-byte packets, odd ones.
    var packetSizes: [Int] = []
    private(set) var isHalted = false
    /// Halts again this many times after it was cleared.
    var haltsAgain = 0
    /// Transfers that end with this status instead of bytes, in order.
    var failures: [Int32] = []
    /// Packets without bytes that come before the next byte.
    var emptyPackets = 0
    private(set) var bytesLost = 0
    private(set) var bytesTaken: [UInt8] = []

    private var waiting: [UInt8] = []
    private var transfers: [Submission] = []
    private var partial: [UInt8] = []
    private var packets = 0

    init(packetSize: Int) { self.packetSize = packetSize }

    mutating func halt() { isHalted = true }

    /// The host has cleared the halt.
    mutating func clear() {
        isHalted = haltsAgain > 0
        haltsAgain = max(0, haltsAgain - 1)
    }

    mutating func feed(_ bytes: UnsafeRawBufferPointer) {
        let room = max(0, Self.chipBytes - waiting.count)
        waiting.append(contentsOf: bytes.prefix(room))
        bytesLost += max(0, bytes.count - room)
    }

    mutating func submit(_ transfer: Submission) { transfers.append(transfer) }

    /// True when it was still here: it ends without an answer. What it held already goes with it, as on a real bus: to the host.
    mutating func unlink(_ number: UInt32, _ reply: ([UInt8]) -> Void) -> Bool {
        guard let index = transfers.firstIndex(where: { $0.number == number }) else { return false }
        if index == 0, !partial.isEmpty { waiting.insert(contentsOf: partial, at: 0) }
        if index == 0 { partial.removeAll() }
        transfers.remove(at: index)
        return true
    }

    /// Answers every transfer that can be answered now.
    mutating func answer(_ reply: ([UInt8]) -> Void) {
        bytesTaken.removeAll(keepingCapacity: true)
        while let transfer = transfers.first {
            if isHalted {
                finish(status: -EPIPE, reply)
            } else if let failure = failures.first {
                failures.removeFirst()
                finish(status: failure, reply)
            } else if emptyPackets > 0 {
                emptyPackets -= 1
                finish(status: 0, reply)
            } else {
                guard !waiting.isEmpty else { return }
                let limit = packetSizes.isEmpty ? packetSize : min(packetSize, packetSizes[packets % packetSizes.count])
                packets += 1
                let count = min(limit, waiting.count, transfer.length - partial.count)
                partial.append(contentsOf: waiting[..<count])
                waiting.removeFirst(count)
                if count < packetSize || partial.count == transfer.length { finish(status: 0, reply) }
            }
        }
    }

    private mutating func finish(status: Int32, _ reply: ([UInt8]) -> Void) {
        let transfer = transfers.removeFirst()
        reply(Reply.submitted(transfer.number, status: status, count: partial.count, data: partial))
        bytesTaken.append(contentsOf: partial)
        partial.removeAll(keepingCapacity: true)
    }
}
