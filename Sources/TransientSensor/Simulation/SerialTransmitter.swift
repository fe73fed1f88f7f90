/// The board's transmitter: one text at a time, leaving byte by byte at the line's rate and appearing in bursts.
struct SerialTransmitter: Sendable {
    private(set) var text: [UInt8] = []
    private(set) var sent = 0
    private let bytesPerSecond: UInt64
    private let burstBytes: Int
    /// The moment at which byte `firstByte` began to leave.
    private var startNs: UInt64 = 0
    private var firstByte = 0

    init(bytesPerSecond: UInt64, burstBytes: Int) {
        self.bytesPerSecond = max(1, bytesPerSecond)
        self.burstBytes = max(1, burstBytes)
    }

    var isIdle: Bool { sent == text.count }

    /// Begins a text that `write` appends to the empty buffer.
    mutating func start(atNs: UInt64, _ write: (inout [UInt8]) -> Void) {
        text.removeAll(keepingCapacity: true)
        write(&text)
        startNs = atNs
        sent = 0
        firstByte = 0
    }

    /// Takes the text's beginning as already gone.
    mutating func skip(_ bytes: Int) {
        sent = min(bytes, text.count)
        firstByte = sent
    }

    /// When the next burst is complete; only while not idle.
    var dueNs: UInt64 { startNs + UInt64(burstEnd - firstByte) * 1_000_000_000 / bytesPerSecond }

    private var burstEnd: Int { min(sent + burstBytes, text.count) }

    mutating func sendBurst(_ emit: (UnsafeRawBufferPointer) -> Void) {
        let end = burstEnd
        text.withUnsafeBytes { emit(UnsafeRawBufferPointer(rebasing: $0[sent..<end])) }
        sent = end
    }

    /// The burst as a host at another line rate hears it: a byte of noise for each byte.
    mutating func sendBurst(as noise: inout SeededGenerator, _ emit: (UnsafeRawBufferPointer) -> Void) {
        var count = 0
        sendBurst { count = $0.count }
        let garbage = (0..<count).map { _ in UInt8(truncatingIfNeeded: noise.next()) }
        garbage.withUnsafeBytes(emit)
    }

    /// Drops what follows the row that is being sent. False when that was the last one.
    mutating func stopAfterRow() -> Bool {
        // A burst that ends with a row's end has left the row: nothing of the next one has been sent.
        if sent > 0, text[sent - 1] == UInt8(ascii: "\n") { return drop(from: sent) }
        return drop(from: (text[sent...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count - 1) + 1)
    }

    /// Cuts the text near its middle, never at a row's end.
    mutating func tear() {
        var cut = text.count / 2
        while cut > 0, cut < text.count, text[cut - 1] == UInt8(ascii: "\n") { cut += 1 }
        text.removeSubrange(cut...)
    }

    private mutating func drop(from end: Int) -> Bool {
        guard end < text.count else { return false }
        text.removeSubrange(end...)
        return true
    }
}
