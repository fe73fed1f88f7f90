/// Bytes on their way from the event thread to the owner's, each chunk with the time of its arrival.
///
/// Bounded: a chunk for which there is no room is dropped whole, counted, and leaves a hole in its place, so the owner
/// knows between which bytes something is missing. One thread pushes, one takes; nothing is allocated after `init`.
final class ByteQueue: Sendable {
    /// A stretch of `storage`. No length: a hole.
    private struct Chunk: Sendable {
        var offset: Int
        var length: Int
        var arrival: Arrival
    }

    private struct State {
        var firstChunk = 0
        var chunkCount = 0
        var firstByte = 0
        var byteCount = 0
        /// A hole after the last chunk, not yet a chunk itself.
        var hole: Arrival?
        var lost: UInt64 = 0
        var raised = false
        var needsOwner = false
    }

    private let signal: Signal
    private let state = Guarded(State())
    // Rings. The pushing thread writes only outside the stretches that `state` says are in use, the taking thread reads
    // only inside of them: that is why these may cross threads.
    private nonisolated(unsafe) let storage: UnsafeMutableRawBufferPointer
    private nonisolated(unsafe) let chunks: UnsafeMutableBufferPointer<Chunk>

    /// At most `capacity` bytes, in at most one chunk for each 32 of them. Memory is touched only as it fills.
    init(capacity: Int) throws(SensorError) {
        signal = try Signal()
        storage = .allocate(byteCount: capacity, alignment: 16)
        chunks = .allocate(capacity: max(16, capacity / 32))
    }

    deinit {
        storage.deallocate()
        chunks.deallocate()
    }

    /// Readable while there is a chunk or a hole to take, or after `callOwner`.
    var readiness: CInt { signal.descriptor }
    /// Bytes dropped so far.
    var lost: UInt64 { state.withLock { $0.lost } }

    /// Copies the bytes in, or drops and counts them all.
    func push(_ bytes: UnsafeRawBufferPointer, _ arrival: Arrival) {
        guard !bytes.isEmpty else { return }
        state.withLock { state in
            // A chunk may need two entries (at the end of the storage), and the hole before it one.
            guard bytes.count <= storage.count - state.byteCount, state.chunkCount + 3 <= chunks.count else {
                return punch(&state, losing: bytes.count, arrival)
            }
            if let hole = state.hole { append(Chunk(offset: 0, length: 0, arrival: hole), &state) }
            state.hole = nil
            let start = (state.firstByte + state.byteCount) % storage.count
            let straight = min(bytes.count, storage.count - start)
            copy(bytes[..<straight], to: start, arrival, &state)
            copy(bytes[straight...], to: 0, arrival, &state)
            raise(&state)
        }
    }

    /// Bytes are missing here; `count` of them are known to be.
    func lose(_ count: Int, _ arrival: Arrival) {
        state.withLock { punch(&$0, losing: count, arrival) }
    }

    /// Hands the oldest chunk to `body`; a hole is an empty one. False when there is none.
    func take(_ body: (UnsafeRawBufferPointer, Arrival) -> Void) -> Bool {
        guard let chunk = state.withLock({ oldest(&$0) }) else { return false }
        // Without the lock: the pushing thread must not wait for a decoder.
        body(UnsafeRawBufferPointer(rebasing: storage[chunk.offset..<chunk.offset + chunk.length]), chunk.arrival)
        state.withLock { state in
            state.firstChunk = (state.firstChunk + 1) % chunks.count
            state.chunkCount -= 1
            state.firstByte = (state.firstByte + chunk.length) % storage.count
            state.byteCount -= chunk.length
            // An empty queue begins again at the front: a steady stream touches little memory.
            if state.chunkCount == 0 { (state.firstChunk, state.firstByte) = (0, 0) }
            lowerIfIdle(&state)
        }
        return true
    }

    /// Keeps `readiness` readable until `ownerCame`, chunks or none.
    func callOwner() {
        state.withLock { state in
            state.needsOwner = true
            raise(&state)
        }
    }

    func ownerCame() {
        state.withLock { state in
            state.needsOwner = false
            lowerIfIdle(&state)
        }
    }

    private func oldest(_ state: inout State) -> Chunk? {
        if state.chunkCount == 0, let hole = state.hole {
            append(Chunk(offset: 0, length: 0, arrival: hole), &state)
            state.hole = nil
        }
        return state.chunkCount == 0 ? nil : chunks[state.firstChunk]
    }

    private func punch(_ state: inout State, losing count: Int, _ arrival: Arrival) {
        state.lost += UInt64(count)
        if state.hole == nil { state.hole = arrival }
        raise(&state)
    }

    private func copy(_ bytes: Slice<UnsafeRawBufferPointer>, to offset: Int, _ arrival: Arrival, _ state: inout State) {
        guard !bytes.isEmpty else { return }
        UnsafeMutableRawBufferPointer(rebasing: storage[offset..<offset + bytes.count]).copyMemory(
            from: UnsafeRawBufferPointer(rebasing: bytes))
        append(Chunk(offset: offset, length: bytes.count, arrival: arrival), &state)
        state.byteCount += bytes.count
    }

    private func append(_ chunk: Chunk, _ state: inout State) {
        chunks.initializeElement(at: (state.firstChunk + state.chunkCount) % chunks.count, to: chunk)
        state.chunkCount += 1
    }

    /// Raised and lowered under the lock that guards what it stands for; else a push between a look and a `lower` is forgotten.
    private func raise(_ state: inout State) {
        guard !state.raised else { return }
        state.raised = true
        signal.raise()
    }

    private func lowerIfIdle(_ state: inout State) {
        guard state.raised, state.chunkCount == 0, state.hole == nil, !state.needsOwner else { return }
        state.raised = false
        signal.lower()
    }
}
