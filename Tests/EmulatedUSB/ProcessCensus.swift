internal import Foundation

/// What this process holds, as the kernel counts it. For tests that something leaves nothing behind.
public struct ProcessCensus: Equatable, Sendable, CustomStringConvertible {
    public let descriptors: Int
    public let threads: Int

    public static func now() -> ProcessCensus {
        // The listing itself holds one descriptor while it counts.
        ProcessCensus(descriptors: entries("/proc/self/fd") - 1, threads: entries("/proc/self/task"))
    }

    /// Counts until the numbers are not above these, since the other end of a closed connection goes a moment later.
    public func settled(_ limit: Duration = .seconds(5)) -> ProcessCensus {
        let end = ContinuousClock.now + limit
        var last = Self.now()
        while last.descriptors > descriptors || last.threads > threads, ContinuousClock.now < end {
            Thread.sleep(forTimeInterval: 0.01)
            last = Self.now()
        }
        return last
    }

    public var description: String { "\(descriptors) descriptors, \(threads) threads" }

    private static func entries(_ path: String) -> Int { (try? FileManager.default.contentsOfDirectory(atPath: path).count) ?? 0 }
}
