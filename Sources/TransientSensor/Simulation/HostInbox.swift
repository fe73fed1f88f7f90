/// Bytes from the host that have not reached the board yet, in the order of their times.
///
/// Bounded: what a host writes while nobody lets the board's time pass is lost, as on a UART without flow control.
struct HostInbox: Sendable {
    private static let limit = 4096

    private var queue: [(atNs: UInt64, bytes: [UInt8])] = []
    private var held = 0
    private(set) var overrun: UInt64 = 0

    var firstNs: UInt64? { queue.first?.atNs }

    /// No byte can come before one that came earlier, nor before `nowNs`.
    mutating func put(_ bytes: some Collection<UInt8>, atNs: UInt64, nowNs: UInt64) {
        let kept = bytes.prefix(Self.limit - held)
        overrun += UInt64(bytes.count - kept.count)
        guard !kept.isEmpty else { return }
        queue.append((max(atNs, nowNs, queue.last?.atNs ?? 0), Array(kept)))
        held += kept.count
    }

    mutating func take() -> [UInt8] {
        let bytes = queue.removeFirst().bytes
        held -= bytes.count
        return bytes
    }
}
