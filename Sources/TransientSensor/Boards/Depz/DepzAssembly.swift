/// Puts a result frame together from the chunks that the board cuts it into.
///
/// A chunk at offset 0 begins a frame; every other one has to go on where the one before ended, in a frame of the same size.
struct DepzAssembly: Sendable {
    enum Outcome {
        /// Whole; the data is valid while it is handed over. `bytes` are those of all its packets.
        case whole(UnsafeRawBufferPointer, deviceUs: UInt64, bytes: Int)
        case fault(FrameFault, bytes: Int)
        /// A chunk of a frame whose beginning was never seen, or was given up.
        case skipped(bytes: Int)
    }

    /// Time of the board's clock, size of the frame, offset of this chunk.
    static let chunkHeader = 12
    /// The most that the board takes for a frame's size.
    static let mostBytes = 8_192

    private var data: [UInt8] = []
    private var wholeBytes = 0
    private var deviceUs: UInt64 = 0
    /// Bytes of the packets in `data`; 0 when no frame is open.
    private var packetBytes = 0

    mutating func take(_ payload: UnsafeRawBufferPointer, packetBytes bytes: Int, _ emit: (Outcome) -> Void) {
        guard payload.count > Self.chunkHeader else { return drop(.malformed, and: bytes, emit) }
        let size = Int(UInt16(littleEndian: payload.loadUnaligned(fromByteOffset: 8, as: UInt16.self)))
        let offset = Int(UInt16(littleEndian: payload.loadUnaligned(fromByteOffset: 10, as: UInt16.self)))
        let part = UnsafeRawBufferPointer(rebasing: payload[Self.chunkHeader...])
        guard size <= Self.mostBytes, offset + part.count <= size else { return drop(.malformed, and: bytes, emit) }
        if offset == 0 {
            let unfinished = dropOpen()
            if unfinished > 0 { emit(.fault(.missingPart, bytes: unfinished)) }
            let time = UInt64(littleEndian: payload.loadUnaligned(as: UInt64.self))
            guard part.count < size else { return emit(.whole(part, deviceUs: time, bytes: bytes)) }
            (wholeBytes, deviceUs) = (size, time)
        } else if packetBytes == 0 {
            return emit(.skipped(bytes: bytes))
        } else if size != wholeBytes || offset != data.count {
            return drop(.missingPart, and: bytes, emit)
        }
        data.append(contentsOf: part)
        packetBytes += bytes
        guard data.count == wholeBytes else { return }
        data.withUnsafeBytes { emit(.whole($0, deviceUs: deviceUs, bytes: packetBytes)) }
        clear()
    }

    /// Gives up the frame that is open, and says how many bytes its packets had; 0 when none is.
    mutating func dropOpen() -> Int {
        defer { clear() }
        return packetBytes
    }

    /// Gives up the chunk that came, and the frame that it does not belong to.
    private mutating func drop(_ fault: FrameFault, and bytes: Int, _ emit: (Outcome) -> Void) {
        emit(.fault(fault, bytes: packetBytes + bytes))
        clear()
    }

    private mutating func clear() {
        data.removeAll(keepingCapacity: true)
        packetBytes = 0
    }
}
