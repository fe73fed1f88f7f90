import BoardModels
import Glibc
import NLOSCore
import TransientSensor

/// A virtual board in real time: the cable, the lines of commands, the file of what the host took.
struct BoardRun {
    private var board: VirtualBoard
    private let cable: Cable
    private var said: String?

    init(_ model: BoardModel, port: Int, serial: String, seed: UInt64, faults: [String]) throws {
        let scenes = faults.filter { $0.hasPrefix("scene=") }.map { String($0.dropFirst(6)) }
        let firmware = SimulatedBoard(
            scene: try .named(scenes.last ?? "matte-wall"), faults: try FaultSwitches(faults.filter { !$0.hasPrefix("scene=") }),
            seed: seed, startNs: Self.nowNs, joining: .midStream)
        guard let board = VirtualBoard(model: model, serial: BoardModels.SerialNumber(serial), firmware: firmware),
            let cable = Cable(port: port, megabits: model.megabits)
        else {
            perror("rig-board: cannot plug in")
            exit(1)
        }
        self.board = board
        self.cable = cable
    }

    private static var nowNs: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// The exit status.
    mutating func run(commands: String, copy: String) -> Int32 {
        // Opened for both directions, so that a writer that closes is no end.
        let orders = open(commands, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        let taken = open(copy, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard orders >= 0, taken >= 0 else {
            perror("rig-board: cannot open its files")
            return 1
        }
        while !board.isUnplugged {
            var waits = [
                pollfd(fd: cable.descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: orders, events: Int16(POLLIN), revents: 0),
            ]
            let left = board.nextEventNs.map { Int32(clamping: (interval(from: Self.nowNs, to: $0) + 999_999) / 1_000_000) }
            _ = poll(&waits, 2, left ?? -1)
            var isPlugged = true
            if waits[0].revents != 0 { isPlugged = takeRequest() }
            if waits[1].revents != 0 { isPlugged = obey(orders) && isPlugged }
            board.advance(toNs: Self.nowNs)
            board.input.answer { [cable] in isPlugged = cable.give($0) && isPlugged }
            board.input.bytesTaken.withUnsafeBytes { _ = write(taken, $0.baseAddress, $0.count) }
            report()
            guard isPlugged else { return 0 }
        }
        return 0
    }

    private mutating func takeRequest() -> Bool {
        guard let header = cable.take(Wire.headerBytes), var request = Request(header: header) else { return false }
        if case .submit(var transfer) = request, !transfer.isIn, transfer.length > 0 {
            guard let data = cable.take(transfer.length) else { return false }
            transfer.data = data
            request = .submit(transfer)
        }
        var isPlugged = true
        board.take(request, atNs: Self.nowNs) { [cable] in isPlugged = cable.give($0) && isPlugged }
        return isPlugged
    }

    private mutating func obey(_ orders: CInt) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = read(orders, &bytes, bytes.count)
        guard count > 0 else { return true }
        for line in String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n") {
            if line == "unplug" { return false }
            if !board.obey(line) { Self.tell("no such order: \(line)") }
        }
        return true
    }

    /// What the host did, when it has changed.
    private mutating func report() {
        let others = board.touched.sorted().map { String($0, radix: 16) }.joined(separator: ",")
        let now = "coding \(board.coding?.description ?? "-") lost \(board.input.bytesLost) others \(others.isEmpty ? "none" : others)"
        guard now != said else { return }
        said = now
        Self.tell(now)
    }

    /// Standard output, line by line, whatever it is.
    private static func tell(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = write(STDOUT_FILENO, bytes, bytes.count)
    }
}
