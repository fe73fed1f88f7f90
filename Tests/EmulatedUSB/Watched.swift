internal import Foundation

/// A value under a lock whose changes can be waited for.
final class Watched<Value>: @unchecked Sendable {
    // `value` is only touched under `condition`.
    private let condition = NSCondition()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func change<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        condition.lock()
        defer {
            condition.broadcast()
            condition.unlock()
        }
        return try body(&value)
    }

    func read<Result>(_ body: (Value) -> Result) -> Result { condition.withLock { body(value) } }

    /// Waits until the value satisfies `wanted`; false when the time is over first.
    func wait(_ limit: Duration, until wanted: (Value) -> Bool) -> Bool {
        let parts = limit.components
        let end = Date(timeIntervalSinceNow: Double(parts.seconds) + Double(parts.attoseconds) * 1e-18)
        return condition.withLock {
            while !wanted(value) {
                guard condition.wait(until: end) else { return wanted(value) }
            }
            return true
        }
    }
}
