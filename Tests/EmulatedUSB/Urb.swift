internal import CUMockdev

/// Which open descriptor of the board's node a request came through.
typealias ClientID = UInt

/// A USB request block in the emulated kernel's hands.
struct Urb {
    enum Kind: UInt8 {
        case isochronous = 0
        case interrupt, control, bulk
    }

    /// Whose it is, and where its `usbdevfs_urb` lives in that process: together they name it.
    let client: ClientID
    let address: UInt
    let kind: Kind
    let endpoint: UInt8
    let flags: UInt32
    /// Bytes that the host's buffer has room for (IN) or that it carries (OUT). For control requests the data stage only.
    let capacity: Int

    /// Bytes for the host so far (IN), and how many the device took (OUT).
    var received: [UInt8] = []
    var sent = 0
    /// Negative errno; meaningful when completed.
    var status: Int32 = 0

    var actualLength: Int { endpoint & 0x80 != 0 ? received.count : sent }
    /// Part of a longer transfer that libusb cut into pieces.
    var isContinuation: Bool { flags & UInt32(USBDEVFS_URB_BULK_CONTINUATION) != 0 }
    var shortIsError: Bool { flags & UInt32(USBDEVFS_URB_SHORT_NOT_OK) != 0 }
}

/// How fed bytes are cut into packets.
public enum Chunking: Sendable, Equatable {
    /// Full packets, then the rest. A feed that ends on a full packet leaves the transfer open, as a real device does.
    case full
    /// At most this many bytes a packet, capped at the endpoint's packet size.
    case bytes(Int)
    /// These sizes over and over; zero is a zero-length packet.
    case cycle([Int])
}

/// A device's bulk IN endpoint: packets that wait for the host.
struct PacketQueue {
    let packetSize: Int
    var chunking = Chunking.full
    /// Bytes that may wait; what comes on top is dropped, as a bridge without flow control does. Nil: no limit.
    var limit: Int?
    private var packets: [[UInt8]] = []
    private var taken = 0
    private(set) var waiting = 0
    private var turn = 0

    init(packetSize: Int) { self.packetSize = packetSize }

    /// Cuts `bytes` into packets; returns how many bytes had no room.
    mutating func feed(_ bytes: [UInt8]) -> Int {
        let room = limit.map { max(0, $0 - waiting) } ?? bytes.count
        var rest = bytes.prefix(room)
        while !rest.isEmpty {
            let size = nextSize()
            push(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return max(0, bytes.count - room)
    }

    mutating func push(_ packet: [UInt8]) {
        waiting += packet.count
        packets.append(packet)
    }

    mutating func next() -> [UInt8]? {
        guard taken < packets.count else { return nil }
        defer {
            taken += 1
            if taken > 1024 {
                packets.removeFirst(taken)
                taken = 0
            }
        }
        waiting -= packets[taken].count
        return packets[taken]
    }

    mutating func removeAll() {
        packets = []
        taken = 0
        waiting = 0
    }

    private mutating func nextSize() -> Int {
        switch chunking {
        case .full: return packetSize
        case .bytes(let count): return min(max(1, count), packetSize)
        case .cycle(let sizes):
            precondition(sizes.contains { $0 > 0 }, "a cycle of chunk sizes needs one above zero")
            defer { turn += 1 }
            return min(sizes[turn % sizes.count], packetSize)
        }
    }
}
