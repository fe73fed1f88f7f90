public import NLOSCore

/// Someone who keeps every byte that passes, in both directions.
public protocol StreamTap: AnyObject {
    /// What the board said; an empty buffer marks a hole.
    func received(_ bytes: UnsafeRawBufferPointer, at arrival: Arrival)
    /// What the board was sent.
    func sent(_ bytes: [UInt8])
    /// A batch has passed: what it held should survive a crash of this program.
    func batchEnded()
}

/// A source and the firmware session that reads it, run together on the owner's thread.
///
/// The owner waits for `readiness` and `deadlineNs` among its own events and then calls `service`; nothing here blocks.
public final class SensorStream {
    public let source: any ByteSource
    public private(set) var session: any FirmwareSession
    private let clocks: Clocks
    private let tap: (any StreamTap)?
    /// What the session has said and nobody has been told yet. The session is at rest when it is told, so that the listener
    /// may ask it things.
    private var outputs: [SessionOutput] = []
    /// Bytes for the board; they go out when the source is not in the middle of handing bytes over.
    private var outgoing: [[UInt8]] = []
    private var failure: SensorError?
    /// When a line that the session has found silent is opened again, if it stays silent until then.
    private var reviveAtNs: UInt64?
    /// A firmware's own restart makes no sound for up to 4 s and mends itself; a session gives up after 10 s.
    private static let silenceNs: UInt64 = 5_000_000_000
    /// A write that failed on the bus, and until when an unplug may still turn out to have been the reason.
    private var doubtedWrite: (error: SensorError, untilNs: UInt64)?
    /// A hub tells of an unplug some hundred milliseconds after transfers have begun to fail.
    private static let unplugDelayNs: UInt64 = 1_000_000_000
    /// When a line that failed was opened again last.
    private var reopenedAtNs: UInt64?
    private var hasBegun = false
    private var isOpen = true
    /// The line itself has failed: nothing can be said to the board any more.
    private var lineFailed = false

    public init(source: any ByteSource, session: any FirmwareSession, clocks: Clocks, tap: (any StreamTap)? = nil) {
        self.source = source
        self.session = session
        self.clocks = clocks
        self.tap = tap
    }

    public var readiness: CInt { source.readiness }

    /// When `service` wants to be called though no byte came, on the monotonic clock. A source with a time of its own has no
    /// such moment: its time goes on with its bytes.
    public var deadlineNs: UInt64? {
        source.keepsOwnTime ? nil : [session.deadlineNs, reviveAtNs, doubtedWrite?.untilNs].compactMap(\.self).min()
    }

    /// Begins the conversation; what the session says goes to `emit`. With a source that has a time of its own it begins with the
    /// first byte, which is the first to tell that time.
    public func start(_ emit: (SessionOutput) -> Void) throws(SensorError) {
        guard !source.keepsOwnTime else { return }
        begin(clocks.monotonicNs(), emit)
        try settle()
    }

    private func begin(_ nowNs: UInt64, _ emit: (SessionOutput) -> Void) {
        hasBegun = true
        session.start(nowNs: nowNs) { outputs.append($0) }
        tell(emit)
    }

    /// Takes in what has arrived and lets time take effect.
    public func service(_ emit: (SessionOutput) -> Void) throws(SensorError) -> Drained {
        let drained: Drained
        do throws(SensorError) {
            drained = try source.drain { take($0, $1, emit) }
        } catch {
            lineFailed = true
            try reopen(after: error, emit)
            lineFailed = false
            drained = .more
        }
        tap?.batchEnded()
        if !source.keepsOwnTime { tick(clocks.monotonicNs(), emit) }
        try settle()
        if let doubtedWrite, clocks.monotonicNs() >= doubtedWrite.untilNs { throw doubtedWrite.error }
        if let reviveAtNs, clocks.monotonicNs() >= reviveAtNs { try revive(emit) }
        return drained
    }

    private func take(_ chunk: UnsafeRawBufferPointer, _ arrival: Arrival, _ emit: (SessionOutput) -> Void) {
        tap?.received(chunk, at: arrival)
        if source.keepsOwnTime {
            if !hasBegun { begin(arrival.monotonicNs, emit) }
            tick(arrival.monotonicNs, emit)
        }
        if chunk.isEmpty {
            session.lostBytes(nowNs: arrival.monotonicNs) { outputs.append($0) }
        } else {
            reviveAtNs = nil
            session.push(chunk, arrival) { outputs.append($0) }
        }
        tell(emit)
    }

    /// A line that fails while the board is still there: somebody reset it, took the interface away, or the machine has slept. The
    /// kernel tells of a reset as of an unplug. Worth opening it again, unless that was done a moment ago. Throws what ends the stream:
    /// the unplug that it was, or why a board that is there cannot be opened.
    private func reopen(after error: SensorError, _ emit: (SessionOutput) -> Void) throws(SensorError) {
        let now = clocks.monotonicNs()
        guard error.mayBeAReset, reopenedAtNs.map({ now >= $0 + Self.silenceNs }) ?? true else { throw error }
        reopenedAtNs = now
        doubtedWrite = nil
        do throws(SensorError) {
            guard try source.revive() else { throw error }
        } catch let why {
            if case .unplugged = error { throw error }
            throw why
        }
        emit(.notice(Message(text: "\(source.path): the line failed and the board is still there; opened again")))
    }

    /// Debug probes have been seen to stay silent until their port is opened again: worth one attempt in every silence. One that does
    /// not help costs nothing, for nothing came anyway.
    private func revive(_ emit: (SessionOutput) -> Void) throws(SensorError) {
        reviveAtNs = nil
        guard try source.revive() else { return }
        emit(.notice(Message(text: "\(source.path): silent; opened again")))
    }

    /// No byte will come any more: what is complete goes out, the rest is counted.
    public func finish(_ emit: (SessionOutput) -> Void) {
        session.finish { outputs.append($0) }
        tell(emit)
    }

    /// Stops what the session has started, and gives the device back. Idempotent.
    public func close() {
        // Also where the session gave the stream up: the board measures all the same.
        if isOpen, hasBegun, !lineFailed, !session.farewell.isEmpty { try? deliver(session.farewell) }
        isOpen = false
        source.close()
    }

    private func tick(_ nowNs: UInt64, _ emit: (SessionOutput) -> Void) {
        guard let deadline = session.deadlineNs, deadline <= nowNs else { return }
        session.tick(nowNs: nowNs) { outputs.append($0) }
        tell(emit)
    }

    private func tell(_ emit: (SessionOutput) -> Void) {
        for output in outputs {
            switch output {
            case .send(let bytes): outgoing.append(bytes)
            case .failed(let error): failure = failure ?? error
            case .gap(.silence, let lastByteNs):
                if !source.keepsOwnTime { reviveAtNs = lastByteNs + Self.silenceNs }
                emit(output)
            default: emit(output)
            }
        }
        outputs.removeAll(keepingCapacity: true)
    }

    private func deliver(_ bytes: [UInt8]) throws(SensorError) {
        try source.send(bytes)
        tap?.sent(bytes)
    }

    private func send(_ bytes: [UInt8]) {
        do throws(SensorError) {
            try deliver(bytes)
        } catch .cannotSend {
            // A recording already holds what was sent to the board when it was made.
        } catch let error where error.mayBeAnUnplug {
            doubtedWrite = doubtedWrite ?? (error, clocks.monotonicNs() + Self.unplugDelayNs)
        } catch {
            lineFailed = true
            failure = failure ?? error
        }
    }

    private func settle() throws(SensorError) {
        for bytes in outgoing { send(bytes) }
        outgoing.removeAll(keepingCapacity: true)
        if let failure { throw failure }
    }
}

extension SensorError {
    /// What a write ends with when the board is pulled out under it: the read that waits beside it will tell.
    fileprivate var mayBeAnUnplug: Bool { if case .usb(_, "write", .ioError) = self { true } else { false } }

    /// What a read ends with when another program resets the device.
    fileprivate var mayBeAReset: Bool {
        switch self {
        case .unplugged, .usb(_, "read", _): true
        default: false
        }
    }
}
