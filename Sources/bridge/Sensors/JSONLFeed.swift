import CLinux
import Glibc
import NLOSCore
import TransientSensor

/// A JSONL capture played back: every line is read with all checks and labelled anew as what a replay may claim.
final class JSONLFeed: FrameFeed {
    private let name: String
    private let reader: LineReader
    private let clocks: Clocks
    private let fast: Bool
    /// Monotonic time here minus that of the capture, once the first line is known.
    private var offset: (here: UInt64, captured: UInt64)?
    private var waiting: TransientFrame?
    private var order = TransientSequence()
    private var lines: UInt64 = 0
    private var refused: UInt64 = 0
    private var skipped: UInt64 = 0

    init(path: String, fast: Bool, clocks: Clocks) throws(SystemFailure) {
        name = path
        reader = try LineReader(path: path, longest: TransientFrame.longestLine)
        self.fast = fast
        self.clocks = clocks
    }

    var readiness: CInt? { nil }
    var canWait: Bool { true }
    var deadlineNs: UInt64? { waiting.map(dueNs) }

    func start(_ emit: (FeedEvent) -> Void) {}

    func service(_ emit: (FeedEvent) -> Void) throws(RunFailure) -> Drained {
        if let frame = waiting {
            guard clocks.monotonicNs() >= dueNs(frame) else { return .idle }
            waiting = nil
            emit(.frame(frame))
            return .more
        }
        guard let line = try nextLine() else { return .finished }
        lines += 1
        switch line {
        case .tooLong: refuse(.messageTooLarge, emit)
        case .bytes(let text):
            do throws(Rejection) {
                let frame = try TransientFrame.decode(text)
                try follow(frame, emit)
                pace(frame.replayed, emit)
            } catch {
                skipped += UInt64(text.count) + 1
                refuse(error, emit)
            }
        }
        return waiting == nil ? .more : .idle
    }

    func finish(_ emit: (FeedEvent) -> Void) throws(RunFailure) {
        guard refused > 0 else { return }
        throw RunFailure(
            Message(
                text: "\(escaped(name.utf8)): \(refused) of \(lines) lines break the contract and were left out",
                next: "nlos-bridge check --as transient \(escaped(name.utf8))"),
            status: .failed, end: .endOfInput)
    }

    func close() {}

    func account(in summary: inout CaptureSummary) {
        summary.bytesReceived = reader.bytesRead
        summary.bytesSkipped = skipped
    }

    /// A capture's frames follow each other. A jump is a gap that the capture already had; another session begins anew.
    private func follow(_ frame: TransientFrame, _ emit: (FeedEvent) -> Void) throws(Rejection) {
        do throws(Rejection) {
            try order.accept(frame)
        } catch {
            guard error == .sessionChanged || error == .invalidField("sequence") else { throw error }
            if error != .sessionChanged { emit(.gap("sequence_jump", atMonotonicNs: frame.monotonicNs)) }
            order = TransientSequence()
            try order.accept(frame)
        }
    }

    private func nextLine() throws(RunFailure) -> LineReader.Line? {
        do throws(SystemFailure) {
            return try reader.next()
        } catch {
            throw RunFailure(error, file: name)
        }
    }

    private func refuse(_ rejection: Rejection, _ emit: (FeedEvent) -> Void) {
        refused += 1
        emit(.refused(rejection.name))
    }

    private func pace(_ frame: TransientFrame, _ emit: (FeedEvent) -> Void) {
        if fast { return emit(.frame(frame)) }
        // A capture whose time goes back (two captures in one file) starts its pace anew.
        if let begun = offset, begun.captured <= frame.monotonicNs {
        } else {
            offset = (clocks.monotonicNs(), frame.monotonicNs)
        }
        waiting = frame
    }

    private func dueNs(_ frame: TransientFrame) -> UInt64 {
        guard let offset else { return 0 }
        let (due, overflow) = offset.here.addingReportingOverflow(interval(from: offset.captured, to: frame.monotonicNs))
        return overflow ? .max : due
    }
}
