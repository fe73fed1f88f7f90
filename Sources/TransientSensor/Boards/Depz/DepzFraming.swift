internal import Glibc

/// Finds packets in a stream of bytes: a value that finds the same ones for any split of the same bytes.
///
/// A header that does not fit costs one byte, and the search goes on in the next one: a magic may stand inside a payload. A payload
/// that does not fit its checksum costs the whole packet.
struct DepzFraming: Sendable {
    enum Event {
        case packet(DepzPacket)
        /// The header is right and the payload is not.
        case damagedPayload(DepzHeader, bytes: Int)
        /// Something looked like the start of a packet and is none; its first byte.
        case damagedHeader
        /// Bytes between packets.
        case skipped(Int)
    }

    /// A larger payload is none that the board can make, and would be waited for in vain.
    private let mostPayload: Int
    /// The beginning of a packet whose end has not come: at least the first byte of a magic, and a right header once that is whole.
    private var tail: [UInt8] = []

    /// Source of the limit: the board's payload buffer.
    init(mostPayload: Int = 2_304) { self.mostPayload = mostPayload }

    /// What the bytes that wait cost.
    var bytesHeld: Int { tail.count }

    mutating func push(_ chunk: UnsafeRawBufferPointer, _ emit: (Event) -> Void) {
        var place = 0
        while !tail.isEmpty {
            guard place < chunk.count else { return }
            place += extendTail(chunk, from: place, emit)
        }
        while place < chunk.count {
            guard let magic = Self.magic(in: chunk, from: place) else {
                emit(.skipped(chunk.count - place))
                return
            }
            if magic > place { emit(.skipped(magic - place)) }
            place = magic
            guard chunk.count - place >= DepzHeader.bytes else { break }
            guard let header = header(UnsafeRawBufferPointer(rebasing: chunk[place..<place + DepzHeader.bytes])) else {
                emit(.damagedHeader)
                place += 1
                continue
            }
            guard chunk.count - place >= header.packetBytes else { break }
            deliver(header, UnsafeRawBufferPointer(rebasing: chunk[place..<place + header.packetBytes]), emit)
            place += header.packetBytes
        }
        tail.append(contentsOf: UnsafeRawBufferPointer(rebasing: chunk[place...]))
    }

    /// Gives up what waits for its end, and says how many bytes that were.
    mutating func dropTail() -> Int {
        defer { tail.removeAll(keepingCapacity: true) }
        return tail.count
    }

    /// Where the next magic is, or its first byte at the very end.
    private static func magic(in chunk: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var place = start
        while place < chunk.count {
            guard let base = chunk.baseAddress, let found = memchr(base + place, CInt(DepzHeader.magic[0]), chunk.count - place) else {
                return nil
            }
            place = UnsafeRawPointer(found) - base
            if place + 1 == chunk.count || chunk[place + 1] == DepzHeader.magic[1] { return place }
            place += 1
        }
        return nil
    }

    private func header(_ start: UnsafeRawBufferPointer) -> DepzHeader? {
        DepzHeader(start).flatMap { $0.payloadBytes <= mostPayload ? $0 : nil }
    }

    private func deliver(_ header: DepzHeader, _ bytes: UnsafeRawBufferPointer, _ emit: (Event) -> Void) {
        let end = DepzHeader.bytes + header.payloadBytes
        let payload = UnsafeRawBufferPointer(rebasing: bytes[DepzHeader.bytes..<end])
        var sum: UInt32 = 0
        for place in (end..<bytes.count).reversed() { sum = sum << 8 | UInt32(bytes[place]) }
        if bytes.count == end || header.protection.sum(of: payload) == sum {
            emit(.packet(DepzPacket(header: header, payload: payload)))
        } else {
            emit(.damagedPayload(header, bytes: bytes.count))
        }
    }

    /// Takes what the packet in the tail still needs, and says how many bytes that were.
    private mutating func extendTail(_ chunk: UnsafeRawBufferPointer, from start: Int, _ emit: (Event) -> Void) -> Int {
        guard tail.count >= DepzHeader.bytes else {
            tail.append(chunk[start])
            alignTail(emit)
            deliverTail(emit)
            return 1
        }
        let wanted = tailHeader?.packetBytes ?? 0
        let taken = min(wanted - tail.count, chunk.count - start)
        tail.append(contentsOf: UnsafeRawBufferPointer(rebasing: chunk[start..<start + taken]))
        deliverTail(emit)
        return taken
    }

    private var tailHeader: DepzHeader? {
        tail.withUnsafeBytes { header(UnsafeRawBufferPointer(rebasing: $0[..<DepzHeader.bytes])) }
    }

    /// Drops bytes from the front until what is left may begin a packet.
    private mutating func alignTail(_ emit: (Event) -> Void) {
        while let first = tail.first {
            if first != DepzHeader.magic[0] || tail.count > 1 && tail[1] != DepzHeader.magic[1] {
                emit(.skipped(1))
            } else if tail.count >= DepzHeader.bytes, tailHeader == nil {
                emit(.damagedHeader)
            } else {
                return
            }
            tail.removeFirst()
        }
    }

    private mutating func deliverTail(_ emit: (Event) -> Void) {
        guard tail.count >= DepzHeader.bytes, let header = tailHeader, tail.count == header.packetBytes else { return }
        tail.withUnsafeBytes { deliver(header, $0, emit) }
        tail.removeAll(keepingCapacity: true)
    }
}
