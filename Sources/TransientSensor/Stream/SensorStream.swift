public import NLOSCore

/// A source and the firmware session that reads it, run together on the owner's thread.
///
/// The owner waits for `readiness` and `deadlineNs` among its own events and then calls `service`; nothing here blocks.
public final class SensorStream {
    public let source: any ByteSource
    public private(set) var session: any FirmwareSession
    private let clocks: Clocks
    private let recorder: PcapRecorder?
    private var failure: SensorError?

    public init(source: any ByteSource, session: any FirmwareSession, clocks: Clocks, recorder: PcapRecorder? = nil) {
        self.source = source
        self.session = session
        self.clocks = clocks
        self.recorder = recorder
    }

    public var readiness: CInt { source.readiness }

    /// When `service` wants to be called though no byte came, on the monotonic clock. A source with a time of its own has no
    /// such moment: its time goes on with its bytes.
    public var deadlineNs: UInt64? { source.keepsOwnTime ? nil : session.deadlineNs }

    /// Begins the conversation; what it says goes to `emit`.
    public func start(_ emit: (SessionOutput) -> Void) throws(SensorError) {
        session.start(nowNs: source.keepsOwnTime ? 0 : clocks.monotonicNs()) { pass($0, to: emit) }
        try check()
    }

    /// Takes in what has arrived and lets time take effect.
    public func service(_ emit: (SessionOutput) -> Void) throws(SensorError) -> Drained {
        let drained = try source.drain { chunk, arrival in
            guard !chunk.isEmpty else {
                session.lostBytes(nowNs: arrival.monotonicNs) { pass($0, to: emit) }
                return
            }
            recorder?.received(chunk, arrival)
            if source.keepsOwnTime { session.tick(nowNs: arrival.monotonicNs) { pass($0, to: emit) } }
            session.push(chunk, arrival) { pass($0, to: emit) }
        }
        if !source.keepsOwnTime {
            let now = clocks.monotonicNs()
            if let deadline = session.deadlineNs, deadline <= now { session.tick(nowNs: now) { pass($0, to: emit) } }
        }
        try check()
        return drained
    }

    /// No byte will come any more: what is complete goes out, the rest is counted.
    public func finish(_ emit: (SessionOutput) -> Void) {
        session.finish { pass($0, to: emit) }
    }

    /// Gives the device back. Idempotent.
    public func close() { source.close() }

    private func pass(_ output: SessionOutput, to emit: (SessionOutput) -> Void) {
        switch output {
        case .send(let bytes):
            do {
                try source.send(bytes)
                recorder?.sent(bytes, .now(clocks))
            } catch .cannotSend {
                // A recording already holds what was sent to the board when it was made.
            } catch {
                failure = failure ?? error
            }
        case .failed(let error): failure = failure ?? error
        default: emit(output)
        }
    }

    private func check() throws(SensorError) {
        if let failure { throw failure }
    }
}
