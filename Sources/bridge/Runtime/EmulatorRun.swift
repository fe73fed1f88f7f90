import CLinux
import Glibc
import NLOSCore
import TransientSensor

/// Runs an emulated firmware on a line until a signal or the firmware's own end.
struct EmulatorRun {
    /// What a host may be behind before the board's words are lost, as on a line without flow control.
    private static let backlogLimit = 64 << 10
    /// A host that takes nothing for this long is not there: what waits for it is lost, so that the next one joins the present.
    private static let patienceNs: UInt64 = 200_000_000

    private var board: SimulatedBoard
    private let line: EmulatorLine
    private let copy: LineCopy?
    private let signals: SignalInbox
    private let clocks: Clocks
    private var waiting = Waiting()
    private var backlog: [UInt8] = []
    private var progressNs: UInt64 = 0
    private(set) var bytesSent: UInt64 = 0
    private(set) var bytesDropped: UInt64 = 0
    private(set) var bytesReceived: UInt64 = 0

    init(board: SimulatedBoard, line: EmulatorLine, copy: LineCopy?, signals: SignalInbox, clocks: Clocks) {
        self.board = board
        self.line = line
        self.copy = copy
        self.signals = signals
        self.clocks = clocks
    }

    /// Throws when the copy cannot be written: what it lacks could not be told from what was lost on the way.
    mutating func run() throws(SystemFailure) -> ExitStatus {
        var incoming = [UInt8](repeating: 0, count: 4096)
        while true {
            if board.isUnplugged, backlog.isEmpty { return .done }
            waiting.begin()
            waiting.add(signals.descriptor, readable: true)
            let place = waiting.add(line.descriptor, readable: true, writable: !backlog.isEmpty)
            waiting.wait(untilNs: board.nextEventNs, clocks)
            if let signal = signals.received() { return signal }
            if waiting.ready(place) {
                let count = read(line.descriptor, &incoming, incoming.count)
                if count > 0 {
                    bytesReceived += UInt64(count)
                    board.receive(incoming[..<count], atNs: clocks.monotonicNs())
                } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
                    say(Message(text: "the line hung up"))
                    return .failed
                }
            }
            board.advance(toNs: clocks.monotonicNs()) { bytes in
                if backlog.count + bytes.count > Self.backlogLimit {
                    bytesDropped += UInt64(bytes.count)
                } else {
                    backlog.append(contentsOf: bytes)
                }
            }
            try flush()
        }
    }

    private mutating func flush() throws(SystemFailure) {
        guard !backlog.isEmpty else {
            progressNs = clocks.monotonicNs()
            return
        }
        let written = backlog.withUnsafeBytes { write(line.descriptor, $0.baseAddress, $0.count) }
        guard written > 0 else {
            guard interval(from: progressNs, to: clocks.monotonicNs()) > Self.patienceNs else { return }
            bytesDropped += UInt64(backlog.count)
            return backlog.removeAll(keepingCapacity: true)
        }
        progressNs = clocks.monotonicNs()
        bytesSent += UInt64(written)
        try copy?.append(backlog[..<written])
        backlog.removeFirst(written)
    }
}
