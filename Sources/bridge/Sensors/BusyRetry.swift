import NLOSCore
import TransientSensor

/// Patience with a port that somebody else holds: ModemManager looks at a new port for some seconds and then lets it go.
struct BusyRetry {
    /// Waits between the attempts, seconds; after the last one the answer stands.
    private static let pauses = [0.25, 0.5, 1, 2, 4]

    let signals: SignalInbox
    let clocks: Clocks

    /// Runs `open` until it is not busy, the patience is over, or a signal comes.
    func callAsFunction<Opened>(_ open: () throws(RunFailure) -> Opened) throws(RunFailure) -> Opened {
        for (attempt, pause) in Self.pauses.enumerated() {
            do throws(RunFailure) {
                return try open()
            } catch {
                guard error.isBusy else { throw error }
                if attempt == 0 {
                    let patience = Self.pauses.reduce(0, +)
                    say(Message(text: "\(error.message?.text ?? "busy"); trying again for \(decimal(patience, places: 0)) s"))
                }
                try wait(pause)
            }
        }
        return try open()
    }

    private func wait(_ seconds: Double) throws(RunFailure) {
        var waiting = Waiting()
        waiting.begin()
        waiting.add(signals.descriptor, readable: true)
        waiting.wait(untilNs: clocks.monotonicNs() + UInt64(seconds * 1e9), clocks)
        if let signal = signals.received() {
            throw RunFailure(nil, status: signal, end: .interrupted)
        }
    }
}
