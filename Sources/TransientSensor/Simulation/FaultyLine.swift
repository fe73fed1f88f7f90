/// What can go wrong between the board and the host. Probabilities are 0 ... 1.
public struct LineFaults: Equatable, Sendable {
    /// That a byte vanishes.
    public var byteLoss = 0.0
    /// That a byte begins a run of 16 to 512 bytes which vanish together.
    public var burstLoss = 0.0
    /// That a packet of 16 bytes comes twice.
    public var duplicatePacket = 0.0
    /// That a NUL comes before a byte.
    public var nulByte = 0.0
    /// That a 0xFF comes before a byte.
    public var ffByte = 0.0
    /// Bytes after which every line feed vanishes: a line without end.
    public var endlessLineAfter: UInt64?
    /// Bytes after which the device is gone.
    public var unplugAfter: UInt64?
    /// Sizes of the pieces that bytes are handed over in; nil leaves them as they come.
    public var pieceBytes: ClosedRange<Int>?
    /// Garbage instead of every byte, as with a wrong line rate.
    public var garbage = false

    public init() {}
}

/// Bytes go in and come out damaged: deterministic by seed, whatever pieces they go in by.
public struct FaultyLine: Sendable {
    /// Bytes that the host was given.
    public private(set) var bytesOut: UInt64 = 0
    /// Nothing comes out any more.
    public private(set) var isUnplugged = false

    private let faults: LineFaults
    private let damages: Bool
    private var random: SeededGenerator
    private var pieceRandom: SeededGenerator
    private var bytesIn: UInt64 = 0
    private var burstLeft = 0
    private var packet: [UInt8] = []
    private var out: [UInt8] = []

    public init(_ faults: LineFaults, seed: UInt64) {
        self.faults = faults
        random = SeededGenerator(seed: seed)
        pieceRandom = SeededGenerator(seed: ~seed)
        var whole = LineFaults()
        whole.pieceBytes = faults.pieceBytes
        damages = faults != whole
    }

    /// Hands on what becomes of `bytes`.
    public mutating func pass(_ bytes: UnsafeRawBufferPointer, _ emit: (UnsafeRawBufferPointer) -> Void) {
        guard damages else {
            bytesOut += UInt64(bytes.count)
            return handOver(bytes, emit)
        }
        guard !isUnplugged else { return }
        out.removeAll(keepingCapacity: true)
        for byte in bytes { damage(byte) }
        if let limit = faults.unplugAfter, bytesOut + UInt64(out.count) >= limit {
            out.removeSubrange(Int(limit - bytesOut)...)
            isUnplugged = true
        }
        bytesOut += UInt64(out.count)
        let damaged = out
        damaged.withUnsafeBytes { handOver($0, emit) }
    }

    private mutating func damage(_ byte: UInt8) {
        bytesIn += 1
        if burstLeft > 0 {
            burstLeft -= 1
            return
        }
        if random.happens(faults.burstLoss) {
            burstLeft = Int.random(in: 15..<512, using: &random)
            return
        }
        if random.happens(faults.byteLoss) { return }
        if random.happens(faults.nulByte) { deliver(0x00) }
        if random.happens(faults.ffByte) { deliver(0xff) }
        if faults.garbage {
            deliver(UInt8(truncatingIfNeeded: random.next()))
        } else if byte != UInt8(ascii: "\n") || bytesIn <= faults.endlessLineAfter ?? .max {
            deliver(byte)
        }
    }

    private mutating func deliver(_ byte: UInt8) {
        out.append(byte)
        guard faults.duplicatePacket > 0 else { return }
        packet.append(byte)
        guard packet.count == 16 else { return }
        if random.happens(faults.duplicatePacket) { out.append(contentsOf: packet) }
        packet.removeAll(keepingCapacity: true)
    }

    private mutating func handOver(_ bytes: UnsafeRawBufferPointer, _ emit: (UnsafeRawBufferPointer) -> Void) {
        guard let sizes = faults.pieceBytes else { return bytes.isEmpty ? () : emit(bytes) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: sizes, using: &pieceRandom))
            emit(UnsafeRawBufferPointer(rebasing: piece))
            rest = rest.dropFirst(piece.count)
        }
    }
}
